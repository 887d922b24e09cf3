/** The states of an operation and how it may move between them. Pure: a store holds the states, this file says what is legal. */

export const OPERATION_STATES = [
  /** Accepted, and to be run as soon as its turn comes. */
  'queued',
  /** In the hands of one worker or caller, under a lease. */
  'running',
  /** To be run again at its due time: a pause, a backoff, a schedule. */
  'waiting',
  /** A write of it may have happened. Nothing of it is sent until somebody has looked. */
  'uncertain',
  /** In the hands of one reconciler, under a lease. */
  'reconciling',
  /** It happened, and its result is known. */
  'done',
  /** Given up, with the reason. An operator may drive it again, settle or discard it. */
  'dead',
  /** Given up by an operator, with a reason; or by its caller, before anything of it was sent. */
  'discarded',
] as const;

export type OperationState = (typeof OPERATION_STATES)[number];

/** Where an operation ends. `dead`, and what was given up unsent, can be begun again, by who asks for it or an operator. */
export type FinalState = 'done' | 'dead' | 'discarded';

export type OpenState = Exclude<OperationState, FinalState>;

/** Why a worker or a reconciler gave an operation up. */
export const DEAD_CAUSES = [
  /** The provider said no for good (4xx), or the method threw. */
  'rejected',
  'attempts-exhausted',
  /** The retry budget is spent and the contract says `onSpent: 'dead-letter'`. */
  'budget-exhausted',
  /** Credentials were refused twice. */
  'auth',
  /** Its deadline has passed. */
  'expired',
  /** Handed out as often as allowed, and never brought back: it may kill its workers. */
  'deliveries-exhausted',
  /** Older than the provider's pause may hold work. */
  'flushed',
  /** Reconciliation could not tell whether it happened, or an operation inside it. */
  'unresolved',
  /** What was stored cannot be read: another serializer, or another key of it. */
  'unreadable',
  /** Its caller gave up, crashed or could not wait, after something of it was sent; and nobody else can run it. */
  'cancelled',
] as const;

export type DeadCause = (typeof DEAD_CAUSES)[number];

export type TransitionCause =
  | 'created'
  /** It waits for a moment that its maker chose. */
  | 'scheduled'
  /** Begun where it was made, without a queue. */
  | 'started'
  | 'claimed'
  | 'completed'
  /** Put back until the provider can be asked again; no attempt is burnt. */
  | 'rescheduled'
  /** Put back after a failure that counts as an attempt. */
  | 'retry'
  /** Put back by a worker that shuts down; the delivery is not counted. */
  | 'given-back'
  /** Its holder did not renew the lease: it crashed, or stood still. */
  | 'lease-expired'
  /** A write left the process and no answer came. */
  | 'outcome-unknown'
  /** An unanswered write may no longer be repeated: it has no key, or the provider forgets the key. */
  | 'not-repeatable'
  /** The provider knows it. */
  | 'found'
  /** The provider does not know it; to be asked once more, later. */
  | 'absent-once'
  /** The provider did not know it twice, far enough apart: it is sent once more. */
  | 'absent-twice'
  | 'inconclusive'
  | 'redriven'
  | 'discarded'
  /** Its caller gave up or was refused, and nothing of it was sent: who asks again begins it again. */
  | 'not-sent'
  | 'resolved'
  | DeadCause;

export interface Transition {
  /** null = it did not exist. */
  readonly from: OperationState | null;
  readonly to: OperationState;
  readonly causes: readonly TransitionCause[];
}

/** Every legal move. What is not here is refused by every store. */
export const TRANSITIONS: readonly Transition[] = [
  { from: null, to: 'queued', causes: ['created'] },
  { from: null, to: 'waiting', causes: ['scheduled'] },
  { from: null, to: 'running', causes: ['started'] },
  { from: 'queued', to: 'running', causes: ['claimed'] },
  { from: 'queued', to: 'uncertain', causes: ['not-repeatable'] },
  { from: 'queued', to: 'dead', causes: ['deliveries-exhausted', 'flushed'] },
  { from: 'queued', to: 'discarded', causes: ['discarded'] },
  { from: 'waiting', to: 'running', causes: ['claimed'] },
  { from: 'waiting', to: 'uncertain', causes: ['not-repeatable'] },
  { from: 'waiting', to: 'dead', causes: ['deliveries-exhausted', 'flushed'] },
  { from: 'waiting', to: 'discarded', causes: ['discarded'] },
  { from: 'running', to: 'done', causes: ['completed'] },
  { from: 'running', to: 'waiting', causes: ['rescheduled', 'retry'] },
  { from: 'running', to: 'queued', causes: ['given-back', 'lease-expired'] },
  { from: 'running', to: 'uncertain', causes: ['outcome-unknown', 'not-repeatable', 'lease-expired'] },
  {
    from: 'running',
    to: 'dead',
    causes: [
      'rejected',
      'attempts-exhausted',
      'budget-exhausted',
      'auth',
      'expired',
      'unresolved',
      'unreadable',
      'cancelled',
    ],
  },
  { from: 'running', to: 'discarded', causes: ['not-sent'] },
  { from: 'uncertain', to: 'reconciling', causes: ['claimed'] },
  { from: 'uncertain', to: 'done', causes: ['resolved'] },
  { from: 'uncertain', to: 'discarded', causes: ['discarded'] },
  { from: 'reconciling', to: 'done', causes: ['found'] },
  { from: 'reconciling', to: 'queued', causes: ['absent-twice'] },
  {
    from: 'reconciling',
    to: 'uncertain',
    causes: ['absent-once', 'inconclusive', 'rescheduled', 'given-back', 'lease-expired'],
  },
  { from: 'reconciling', to: 'dead', causes: ['unresolved', 'unreadable'] },
  { from: 'dead', to: 'queued', causes: ['redriven'] },
  { from: 'dead', to: 'running', causes: ['redriven'] },
  { from: 'dead', to: 'uncertain', causes: ['redriven'] },
  { from: 'dead', to: 'done', causes: ['resolved'] },
  { from: 'dead', to: 'discarded', causes: ['discarded'] },
  // Only what is there for `not-sent`: `canBeginAgain`.
  { from: 'discarded', to: 'queued', causes: ['redriven'] },
  { from: 'discarded', to: 'running', causes: ['redriven'] },
];

/** Whether an operation may move so, for this cause. */
export function canMove(from: OperationState | null, to: OperationState, cause: TransitionCause): boolean {
  return TRANSITIONS.some((move) => move.from === from && move.to === to && move.causes.includes(cause));
}

/** Whether one that has ended may be begun again by who asks for it, or by an operator. */
export function canBeginAgain(state: OperationState, cause: TransitionCause): boolean {
  return state === 'dead' || (state === 'discarded' && cause === 'not-sent');
}

export function isFinal(state: OperationState): state is FinalState {
  return state === 'done' || state === 'dead' || state === 'discarded';
}

/** Whether somebody holds it under a lease. */
export function isHeld(state: OperationState): state is 'running' | 'reconciling' {
  return state === 'running' || state === 'reconciling';
}

/** Hand-outs of one operation that may end without a word of the holder; the next ends in `dead`. */
export const MAX_DELIVERIES = 3;
