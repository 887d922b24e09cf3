/** The port to credentials that several processes renew as one. */
import type { HeldCredentials } from './credentials.js';

/** Newer credentials of one partition are wanted. */
export interface Renewal {
  /** Hashed. */
  readonly partition: string;
  /** Those that the provider refused; null = none were held. */
  readonly refused: HeldCredentials | null;
  /** Gets new ones. In the fleet it runs in one process at a time. */
  readonly refresh: () => Promise<HeldCredentials>;
  /** Asks for them where `refresh` has been done elsewhere. */
  readonly reread: () => Promise<HeldCredentials>;
  /** All of it may take so long. */
  readonly limitMs: number;
}

export interface SharedCredentials {
  /** Resolves with others than the refused ones: what another process got meanwhile, or got by `refresh`. @throws what `refresh` and `reread` throw. */
  renew(renewal: Renewal): Promise<HeldCredentials>;
}

/** Whether two are the same to the provider. */
export function sameCredentials(left: HeldCredentials, right: HeldCredentials): boolean {
  return textOf(left) === textOf(right);
}

function textOf({ headers }: HeldCredentials): string {
  return JSON.stringify(Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1)));
}
