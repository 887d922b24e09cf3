/** What becomes of guesses: they are believed up to a bound, and told. */
import type { ResolvedContract } from '../contract/resolved.js';
import type { Guess } from '../reading/guess.js';
import type { Reading } from '../reading/reading.js';
import { usableHintMs } from '../retry/backoff.js';

type PauseRules = ResolvedContract['pause'];

/** The wait that a reading tells, as far as it is believed. */
export function believedHintMs(reading: Reading, pause: PauseRules): number | null {
  return usableHintMs(reading.waitMs, Math.min(longestGuessMs(reading, pause), pause.maxHintMs));
}

/** Nobody waits longer than this on what a reading tells, spread and all; Infinity = it is no guess. What nobody means is one. */
export function longestGuessMs({ waitGuess, overflow }: Reading, { maxGuessMs }: PauseRules): number {
  return maxGuessMs === null || (waitGuess === undefined && overflow !== true) ? Infinity : maxGuessMs;
}

/** `paused`: the answer is one that all calls wait after. */
export function tellGuesses(
  reading: Reading,
  pause: PauseRules,
  paused: boolean,
  hintMs: number | null,
  tell: (guess: Guess, kind?: string) => void,
): void {
  const { waitGuess, resetGuess, meaningGuess } = reading;
  const bound = pause.maxGuessMs === null ? '' : `; waited for at most ${seconds(pause.maxGuessMs)}`;
  const bounded = ({ about, taken }: Guess): Guess => ({ about, taken: taken + bound });
  if (waitGuess !== undefined) tell(bounded(waitGuess));
  if (resetGuess !== undefined && resetGuess !== waitGuess) tell(bounded(resetGuess));
  if (meaningGuess !== undefined) tell(meaningGuess);
  if (paused) tellCut(reading, pause, tell);
  if (paused && hintMs === null && pause.maxGuessMs !== null) tell(unhinted(pause));
}

/** A wait that nobody can mean, or longer than is believed: it stops all calls, and somebody should know why. Told once for each place. */
function tellCut(reading: Reading, pause: PauseRules, tell: (guess: Guess, kind: string) => void): void {
  const { waitMs, waitFrom = 'the answer', waitGuess } = reading;
  const longest = Math.min(longestGuessMs(reading, pause), pause.maxHintMs);
  if (waitMs === null || waitMs <= longest || (waitGuess !== undefined && longest < pause.maxHintMs)) return;
  const about = `a wait of ${days(waitMs)} that ${waitFrom} tells`;
  const taken =
    longest < pause.maxHintMs
      ? `more than anybody means; waited for at most ${seconds(longest)}`
      : `believed for ${days(longest)} only (pause.maxHint); if that is not what is meant, say in the contract's \`reading\` where the wait stands and how it is written, or lower pause.maxHint`;
  tell({ about, taken }, `cut ${waitFrom}`);
}

function days(ms: number): string {
  const count = Math.round(ms / 86_400_000);
  return count < 1 ? seconds(ms) : `${count.toLocaleString('en-US')} ${count === 1 ? 'day' : 'days'}`;
}

function unhinted({ initialMs, maxMs }: PauseRules): Guess {
  const growing = maxMs > initialMs ? `, growing to ${seconds(maxMs)}` : '';
  return {
    about: 'how long to wait after a refusal that tells no wait',
    taken: `a pause of ${seconds(initialMs)}${growing}`,
  };
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}
