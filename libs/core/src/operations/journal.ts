/** What an operation remembers of the requests it makes, for the one who runs it next. */
import type { RequestEnd, RequestRecord, StoredRequest } from './port/request.js';

/** The requests of one held operation, as its store knows them. */
export interface OperationJournal {
  /** Whether anything of the operation may still leave: its run goes on, and nobody else has taken it over. */
  readonly isOpen: boolean;
  /** What an earlier run, or an earlier attempt of this one, left under that step; undefined = nothing. */
  known(step: string): StoredRequest | undefined;
  /**
   * Before the first byte of a write leaves. What it resolves with holds the key and the bytes that are to be sent: those of
   * the first send.
   *
   * @throws SluiceError where nothing may be sent: OUTCOME_UNKNOWN (sent before, and not to be repeated),
   *   OPERATION_IN_PROGRESS (another process holds the operation now), PAYLOAD_TOO_LARGE, STORE_UNAVAILABLE.
   */
  record(request: RequestRecord): Promise<StoredRequest>;
  /** What became of a request that was recorded. Never rejects: what a failing store does not learn stays `sent`, and is judged as that. */
  ended(step: string, end: RequestEnd): Promise<void>;
}
