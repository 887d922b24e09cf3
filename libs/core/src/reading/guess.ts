/** What the generic reading has to take for granted. What a contract names is no guess, nor is what a standard defines. */
/** What was not said, and what was taken. Neither holds anything of the answer. */
export interface Guess {
  readonly about: string;
  readonly taken: string;
}

/** A way of writing a time that only its look tells. */
export type GuessedForm = 'seconds' | 'epoch-seconds' | 'epoch-milliseconds' | 'date-without-zone' | 'duration';

export type TimeGuesses = Readonly<Record<GuessedForm, Guess | null>>;

/** The guesses about one header. `secondsAreStandard`: a standard defines that it is a number of seconds from now; else what names its units is as good as any. */
export function guessesAbout(header: string, secondsAreStandard: boolean): TimeGuesses {
  const guess = (taken: string): Guess => ({ about: `how ${header} is written`, taken });
  return {
    seconds: secondsAreStandard ? null : guess('seconds from now, by its size'),
    'epoch-seconds': guess('seconds since 1970, by its size'),
    'epoch-milliseconds': guess('milliseconds since 1970, by its size'),
    'date-without-zone': guess('a date in UTC, as it names no zone'),
    duration: secondsAreStandard ? guess('a duration, as it names its units') : null,
  };
}

export const REFUSED_403: Guess = {
  about: 'what a 403 means that tells a wait, or on which nothing is left',
  taken: 'a refusal for a limit',
};
