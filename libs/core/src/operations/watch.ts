import type { Moved } from './port/operation.js';
import type { OperationState } from './states.js';

/** A move of an operation; `from` null = it did not exist. */
export interface OperationMove extends Omit<Moved, 'from'> {
  readonly from: OperationState | null;
}

/** What is told about the operations of this process. Neither may throw. */
export interface OperationWatch {
  /** Once for each move that this process made. */
  moved(move: OperationMove): void;
  /**
   * Something went wrong that no caller hears of. `during` is one of ours: `settle`, `renew`, `answer`, `result`, `claim`, `hasten`.
   * Provider null = it is about all of them.
   */
  failed(provider: string | null, during: string, error: unknown): void;
}
