/** A piece of a body that is sent bit by bit. */
export interface BodyPart {
  /** Silence before it. */
  readonly afterMs: number;
  readonly text: string;
}

/** What the provider says. */
export interface SimulatedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Objects and arrays go out as JSON, strings as they are. Default: nothing. */
  readonly body?: unknown;
  /** The body in pieces, in place of `body`. */
  readonly parts?: readonly BodyPart[];
}

/** How the handling of one request goes. What is left out goes the usual way. */
export interface Behaviour {
  /** Default: what the route's handler answers. */
  readonly answer?: SimulatedAnswer;
  /** How the connection ends. Default: `answer`. */
  readonly ends?: 'answer' | 'reset' | 'hang';
  /** Added to the simulator's latency. */
  readonly slowMs?: number;
  /** When the handler runs: at once, only when the answer is due, or not at all. Default: `first`, and `never` where an `answer` is given or it hangs. */
  readonly executes?: 'first' | 'last' | 'never';
}

export type ScriptStep = number | Behaviour;

/** An answer of one's own: `answer(429, { 'retry-after': '2' })`. The route's handler does not run. */
export const answer = (status: number, headers: Readonly<Record<string, string>> = {}, body?: unknown): Behaviour => ({
  answer: { status, headers, body },
});

/** The connection is reset before anything was executed. */
export const reset: Behaviour = { ends: 'reset', executes: 'never' };

/** It was executed, then the connection is reset: the client cannot know. */
export const resetAfterExecuting: Behaviour = { ends: 'reset', executes: 'first' };

/** No answer ever comes, and nothing is executed. */
export const hang: Behaviour = { ends: 'hang', executes: 'never' };

/** Executed, but no answer ever comes. */
export const hangAfterExecuting: Behaviour = { ends: 'hang', executes: 'first' };

/** Executes at once and answers after `ms`: past the client's time limit this is a write that happened all the same. */
export const slow = (ms: number, step: ScriptStep = {}): Behaviour => ({ ...behaviourOf(step), slowMs: ms });

/** Executes only after `ms`, then answers: a lookup in between finds nothing yet. */
export const late = (ms: number): Behaviour => ({ slowMs: ms, executes: 'last' });

/** The body comes in pieces: `drip(200, [{ afterMs: 0, text: 'H' }, { afterMs: 500, text: 'ello' }])`. */
export const drip = (status: number, parts: readonly BodyPart[]): Behaviour => ({ answer: { status, parts } });

/** Executes, and then a broken proxy in front of the provider answers `status`. */
export const executedBut = (status: number): Behaviour => ({ answer: { status }, executes: 'first' });

/** 200 is the route's own answer; another number is a bare answer with that status. */
export function behaviourOf(step: ScriptStep): Behaviour {
  if (typeof step !== 'number') return step;
  return step === 200 ? {} : { answer: { status: step } };
}
