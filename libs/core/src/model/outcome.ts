/** What became of one attempt. */
export type Outcome =
  /** Answered, and nothing is wrong with the answer. */
  | 'succeeded'
  /** Answered with a 4xx that is about the request, not about the provider. */
  | 'rejected'
  /** Refused by the provider for a limit: it did not run. */
  | 'limited'
  /** The provider failed (5xx, a time limit of ours, a reset) and a repeat can do no harm, or nothing was sent. */
  | 'failed'
  /** It may have happened: an unsafe, unkeyed request left and no trustworthy answer came. */
  | 'unknown'
  /** The caller gave up. */
  | 'cancelled'
  /** Refused by us, not sent. */
  | 'refused';

/** What is done next. */
export type Decision = 'deliver' | 'retry' | 'defer' | 'reconcile' | 'dead-letter' | 'raise';

/**
 * What a contract may say that an answer means, in place of what its status means.
 *
 * | meaning        | the call                                                     | other calls                 |
 * |----------------|--------------------------------------------------------------|-----------------------------|
 * | `succeeded`    | is delivered                                                 |                             |
 * | `limited`      | refused for a limit before it ran: waits and goes again      | pause                       |
 * | `overloaded`   | waits and goes again where safe or keyed: it may have run    | pause                       |
 * | `failed`       | backs off and goes again where safe or keyed                 |                             |
 * | `locked`       | refused before it ran, for no limit: waits and goes again    |                             |
 * | `key-in-use`   | its key is at work: waited out where keyed, else `rejected`  |                             |
 * | `unauthorized` | goes again with new credentials, once                        | share the new credentials   |
 * | `rejected`     | is over: the same request will not be answered otherwise     |                             |
 */
export type AnswerMeaning =
  'succeeded' | 'limited' | 'overloaded' | 'failed' | 'locked' | 'key-in-use' | 'unauthorized' | 'rejected';

/** Whether a request may be repeated without harm: a read, a write with a key the provider honours, or a bare write. */
export type Safety = 'safe' | 'keyed' | 'unkeyed';

/** First attempts, bets against a failing provider, and goes again after a refusal are counted apart. */
export type AttemptKind = 'first' | 'retry' | 'repeat';

/** What an attempt costs, by unit: `{ requests: 1, tokens: 1200 }`. */
export type Units = Readonly<Record<string, number>>;

/** Values of the contract's dimensions: `{ account: '42', user: '7' }`. */
export type Partition = Readonly<Record<string, string>>;

/** Headers as any client gives them: names in any case, one value or several. */
export type HeaderBag = Readonly<Record<string, string | readonly string[] | number | undefined>>;

/** Why the module stopped, as `error.sluice.reason` tells. */
export type StopReason =
  | 'permanent'
  | 'attempts-exhausted'
  | 'budget-exhausted'
  | 'deadline'
  | 'wait-too-long'
  | 'paused'
  | 'circuit-open'
  | 'queue'
  | 'auth'
  | 'unsafe';
