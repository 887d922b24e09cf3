// Proves that the tests of the laws can fail: applies each small patch of test/mutants to a copy of the tree and runs the
// spec its header names. A mutant that no test notices is an error, and so is a spec that fails without any mutant.
// Arguments choose mutants by parts of their names.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const folder = 'test/mutants';
const LIMIT_MS = 180_000;
/** A test that waits for what a mutant took away fails well within it. */
const TEST_LIMIT_MS = 15_000;
/** Texts that are made of sources: the store's thread, and the shared gate's script. */
const MADE = [
  {
    from: 'libs/sqlite/src/worker/',
    source: 'libs/sqlite/src/generated/worker-source.ts',
    by: 'scripts/worker-source.mjs',
  },
  { from: 'libs/redis/src/lua/', source: 'libs/redis/src/generated/step-script.ts', by: 'scripts/step-script.mjs' },
];
const running = new Set();
process.on('exit', () => running.forEach(stop));
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));

const began = Date.now();
const wanted = process.argv.slice(2);
const patches = readdirSync(folder)
  .filter((name) => name.endsWith('.patch') && (wanted.length === 0 || wanted.some((word) => name.includes(word))))
  .sort()
  .map(readHeader);
const tooFew = wanted.length === 0 ? lawsWithFewerThanTwo(patches) : [];

const unsound = new Set();
const totals = new Map();
const specs = [...new Set(patches.map((patch) => patch.spec))];
await inCopies(specs, async (root, spec) => {
  const { result, text, seconds } = await run(root, spec);
  if (result === 'passed') return;
  unsound.add(spec);
  console.log(`UNSOUND   ${spec} ${result} without a mutant (${seconds} s)\n${text.slice(-1000)}`);
});
await inCopies(patches, async (root, patch) => {
  const { verdict, note, seconds } = await prove(root, patch);
  totals.set(verdict, (totals.get(verdict) ?? 0) + 1);
  const mark = verdict === 'killed' ? verdict : verdict.toUpperCase();
  console.log(`${mark.padEnd(13)} ${patch.name} (${seconds} s)${note}`);
});

for (const law of tooFew) console.log(`law ${law} has fewer than two mutants`);
const counts = [...totals].map(([verdict, count]) => `${count} ${verdict}`).join(', ');
console.log(`mutants: ${counts}; ${specs.length} specs, ${unsound.size} unsound; ${secondsSince(began)} s`);
process.exit((totals.get('killed') ?? 0) === patches.length && tooFew.length + unsound.size === 0 ? 0 : 1);

function readHeader(name) {
  const text = readFileSync(join(folder, name), 'utf8');
  const header = /^# law (\d+): .+; killed by (\S+?)(, which hangs)?$/m.exec(text);
  if (header === null) {
    throw new Error(`${name}: its first line must read "# law N: what it breaks; killed by <spec>[, which hangs]"`);
  }
  return { name, law: Number(header[1]), spec: header[2], hangs: header[3] !== undefined };
}

function lawsWithFewerThanTwo(all) {
  const laws = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18];
  return laws.filter((law) => all.filter((patch) => patch.law === law).length < 2);
}

/** Does all the work in as many copies of the tree as the machine has cores. */
async function inCopies(all, work) {
  const queue = [...all];
  const worker = async () => {
    const root = mkdtempSync(join(tmpdir(), 'sluice-mutants-'));
    try {
      for (const entry of ['libs', 'apps', 'test', 'scripts', 'package.json', 'jest.config.mjs', 'tsconfig.json']) {
        cpSync(entry, join(root, entry), { recursive: true });
      }
      symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await work(root, next);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), all.length) }, worker));
}

async function prove(root, { name, spec, hangs }) {
  if (unsound.has(spec)) return { verdict: 'not proven', note: `: ${spec} fails without it`, seconds: 0 };
  const file = resolve(folder, name);
  const applied = spawnSync('patch', ['-p1', '-F0', '--no-backup-if-mismatch', '-r', '-', '-i', file], { cwd: root });
  try {
    if (applied.status !== 0) return { verdict: 'does not apply', note: `: ${applied.stdout}`, seconds: 0 };
    for (const { from, by } of MADE) {
      if (!touchedBy(file).some((path) => path.startsWith(from))) continue;
      const made = spawnSync(process.execPath, [by], { cwd: root, encoding: 'utf8' });
      if (made.status !== 0) return { verdict: 'did not run', note: `: ${made.stderr}`, seconds: 0 };
    }
    const { result, text, seconds } = await run(root, spec);
    if (result === 'failed' || (result === 'hung' && hangs)) return { verdict: 'killed', note: '', seconds };
    if (result === 'passed') return { verdict: 'survived', note: `: ${spec}`, seconds };
    return { verdict: result, note: `: ${result === 'hung' ? spec : text.slice(-1000)}`, seconds };
  } finally {
    restore(root, file);
  }
}

function restore(root, file) {
  for (const path of [...touchedBy(file), ...MADE.map(({ source }) => source)]) cpSync(path, join(root, path));
}

function touchedBy(file) {
  return [...readFileSync(file, 'utf8').matchAll(/^\+\+\+ (?:b\/)?(\S+)/gm)].map(([, path]) => path);
}

/** `did not run` = it ended in another way than by a test that failed: a mutant that does not compile proves nothing. */
function run(root, spec) {
  const chosen = ['--selectProjects', 'unit', 'wide', 'long', '--rootDir', root];
  const args = [...chosen, '--runInBand', '--silent', `--testTimeout=${TEST_LIMIT_MS}`, '--', spec];
  return new Promise((done) => {
    const start = Date.now();
    // A group of its own: a hung spec runs in a child of this child.
    const child = spawn(process.execPath, ['scripts/test.mjs', ...args], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    running.add(child);
    let text = '';
    let hung = false;
    child.stderr.on('data', (chunk) => (text += chunk));
    const timer = setTimeout(() => {
      hung = true;
      stop(child);
    }, LIMIT_MS);
    child.on('close', (status) => {
      clearTimeout(timer);
      running.delete(child);
      const failed = /^Tests: .*\b\d+ failed/m.test(text);
      const result = hung ? 'hung' : status === 0 ? 'passed' : failed ? 'failed' : 'did not run';
      done({ result, text, seconds: secondsSince(start) });
    });
  });
}

function stop(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

function secondsSince(start) {
  return Math.round((Date.now() - start) / 1000);
}
