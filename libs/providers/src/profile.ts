/** What is known of a provider, as data: its contract, every number of it, and what only people need to know. */
import type { Duration, ProviderOptions } from '../../core/src/index.js';

/** A number that a contract is made with. Users may give another: `xero({ perMinute: 30 })`. */
export interface NumberFact {
  /** What it is without a word of the user; by a choice where it depends on one. */
  readonly value: number | { readonly by: string; readonly of: Readonly<Record<string, number>> };
  /** What it counts, per what, for whom: `calls a minute and tenant`. */
  readonly what: string;
  /** It could not be confirmed at the provider's own page on the day of `checked`. */
  readonly unconfirmed?: true;
  /** It counts what cannot be halved, such as calls under way. */
  readonly whole?: true;
  /** A choice, and its values that make use of it; with others it may not be given. Absent: it is always used. */
  readonly only?: { readonly by: string; readonly in: readonly string[] };
}

/** Something that differs from account to account: a plan, a kind of API, a time zone. */
export interface Choice {
  /** Absent: any text. */
  readonly values?: readonly string[];
  readonly value: string;
  readonly what: string;
}

/** How a provider signs what it sends to webhooks. */
export interface WebhookFact {
  readonly signatureHeader: string;
  readonly timestampHeader?: string;
  /** The text that is signed, in the provider's words: `t.body`. */
  readonly signed: string;
  readonly algorithm: 'hmac-sha256' | 'hmac-sha1' | 'ed25519' | 'ecdsa-p256-sha256';
  readonly encoding: 'hex' | 'base64';
  /** How old a message may be, as the provider's own library has it; null = it carries no time. */
  readonly tolerance: Duration | null;
  readonly unconfirmed?: true;
}

/** Of a page: where it is, and when its facts were last compared with this data (ISO date). */
export interface SourceFact {
  readonly url: string;
  readonly checked: string;
}

/** What people need to know beside the contract; one sentence each. */
export interface Notes {
  /** How a refusal for a limit looks: status, body, exceptions. */
  readonly refused: readonly string[];
  /** Headers and body fields that tell figures, with their units. */
  readonly told: readonly string[];
  /** What a call costs before and after, where it is not one of each. */
  readonly cost?: readonly string[];
  /** Keys of idempotency: methods, retention, conflicts; absent = the provider honours none. */
  readonly idempotency?: readonly string[];
  /** Which failures are safe to send again, and which never. */
  readonly resend: readonly string[];
  /** Limits the contract cannot hold, and other traps. */
  readonly traps?: readonly string[];
  /** What could not be confirmed. */
  readonly unconfirmed?: readonly string[];
}

type Numbers = Readonly<Record<string, NumberFact>>;
type Choices = Readonly<Record<string, Choice>>;

/** What the user chose, every default filled in. */
export type Chosen<N extends Numbers, C extends Choices> = { readonly [Name in keyof N]: number } & {
  readonly [Name in keyof C]: string;
};

export interface Profile<N extends Numbers = Numbers, C extends Choices = Choices> {
  /** Name in the catalogue, and the contract's where the user gives none. */
  readonly name: string;
  /** As people write it. */
  readonly title: string;
  readonly sources: readonly SourceFact[];
  readonly numbers: N;
  readonly choices: C;
  readonly contract: (chosen: Chosen<N, C>) => Omit<ProviderOptions, 'name'>;
  readonly notes: Notes;
  readonly webhooks?: readonly WebhookFact[];
}

/** Keeps the names of numbers and choices in the type. */
export function profile<const N extends Numbers, const C extends Choices>(given: Profile<N, C>): Profile<N, C> {
  return given;
}
