// Ratios, not absolute figures: subjects are shuffled inside every round and compared within it; the median over rounds counts.

/** Runs every subject once a round and returns, by name, the median of its ratio to `reference` and of its own value. */
export async function compare(subjects, reference, rounds) {
  return ratios(await measured(subjects, rounds), reference, (value) => value);
}

/** What every subject measured, round by round, under its name. */
export async function measured(subjects, rounds) {
  const taken = new Map(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const subject of shuffled(subjects)) taken.get(subject.name).push(await subject.measure());
  }
  return taken;
}

/** Of one figure of what was measured: its medians, and those of its ratios to `reference` in the same round. */
export function ratios(taken, reference, figure) {
  const base = taken.get(reference).map(figure);
  return [...taken].map(([name, rounds]) => {
    const values = rounds.map(figure);
    return { name, value: median(values), ratio: median(values.map((value, round) => value / base[round])) };
  });
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

export function printTable(title, rows, columns) {
  console.log(`\n## ${title}\n`);
  console.log(`| ${columns.join(' | ')} |`);
  console.log(`|${columns.map((_, index) => (index === 0 ? '---' : '---:')).join('|')}|`);
  for (const row of rows) console.log(`| ${row.join(' | ')} |`);
}

function shuffled(list) {
  const copy = [...list];
  for (let i = copy.length - 1; i > 0; i -= 1) {
    const j = Math.floor(Math.random() * (i + 1));
    [copy[i], copy[j]] = [copy[j], copy[i]];
  }
  return copy;
}
