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
  { waitGuess, resetGuess, meaningGuess }: Reading,
  pause: PauseRules,
  paused: boolean,
  hintMs: number | null,
  tell: (guess: Guess) => void,
): void {
  const bound = pause.maxGuessMs === null ? '' : `; waited for at most ${seconds(pause.maxGuessMs)}`;
  const bounded = ({ about, taken }: Guess): Guess => ({ about, taken: taken + bound });
  if (waitGuess !== undefined) tell(bounded(waitGuess));
  if (resetGuess !== undefined && resetGuess !== waitGuess) tell(bounded(resetGuess));
  if (meaningGuess !== undefined) tell(meaningGuess);
  if (paused && hintMs === null && pause.maxGuessMs !== null) tell(unhinted(pause));
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
