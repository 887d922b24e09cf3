import { canonicalText, inOrder, NotCanonicalError, sha256 } from '../canonical/canonical.js';
import type { Partition } from '../model/outcome.js';

export interface DemandKeyParts {
  readonly provider: string;
  readonly method: string;
  /** With its origin; the query may be here or in `params`. */
  readonly url: string;
  readonly params?: unknown;
  /** What else changes the answer, or how it is fetched: each always at the same place. */
  readonly vary: readonly unknown[];
  readonly partition: Partition;
  /** '' = none. */
  readonly tenant: string;
  /** Any of them may say on whose behalf it is read. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** What says so besides the headers. */
  readonly credentials?: unknown;
}

/**
 * Tells which reads of a client are the same: those of equal keys are the same request of the same partition, tenant and
 * authorisation. A key is made for every read, and compared with those of the reads that are under way. It is a hash of all
 * but the URL and `params`; these it holds as its request does, so it must not outlive that, nor be shown.
 */
export class DemandKeys {
  private readonly before = new ReadBefore();
  private aside = '';
  private fingerprint = sha256('');

  /** Null where the parts cannot be compared: such a read is not shared. */
  keyOf(parts: DemandKeyParts): string | null {
    try {
      return this.fingerprintOf(parts) + part(parts.url) + part(parts.params ?? undefined);
    } catch (error) {
      if (error instanceof NotCanonicalError) return null;
      throw error;
    }
  }

  private fingerprintOf(parts: DemandKeyParts): string {
    if (this.before.isFollowedBy(parts)) return this.fingerprint;
    const aside = textOf(parts);
    if (aside !== this.aside) {
      this.aside = aside;
      this.fingerprint = sha256(aside);
    }
    return this.fingerprint;
  }
}

/** All but the URL and `params`. */
function textOf({ provider, method, vary, partition, tenant, headers, credentials }: DemandKeyParts): string {
  let text = part(provider) + part(method.toUpperCase());
  // Most of it is not set.
  for (let place = 0; place < vary.length; place += 1) {
    if (vary[place] !== undefined) text += `#${place}=${part(vary[place])}`;
  }
  return text + fields(partition) + part(tenant) + fields(headers) + part(credentials ?? undefined);
}

/** What is never equal to a value of a read. */
const OTHER = Symbol('other');

/**
 * Most reads of a client differ from the one before by their URL only, which is seen sooner than a text is put together. An
 * object may have another content than it had, so it is never taken for the same.
 */
class ReadBefore {
  private readonly values: unknown[] = [];
  private length = 0;
  private same = true;

  /** Whether all but the URL and `params` is as it was; if not, this read takes its place. */
  isFollowedBy({ provider, method, vary, partition, tenant, headers, credentials }: DemandKeyParts): boolean {
    const { values } = this;
    this.length = 0;
    this.same = true;
    this.put(provider);
    this.put(method);
    this.put(tenant);
    this.put(credentials ?? undefined);
    this.put(vary.length);
    for (const value of vary) this.put(value);
    this.putFields(partition);
    this.putFields(headers);
    if (values.length === this.length) return this.same;
    values.length = this.length;
    return false;
  }

  private putFields(fields: Readonly<Record<string, unknown>>): void {
    const names = Object.keys(fields);
    this.put(names.length);
    for (const name of names) {
      this.put(name);
      this.put(fields[name]);
    }
  }

  private put(value: unknown): void {
    const { values, length } = this;
    const simple = isSimple(value);
    if (!simple || values[length] !== value) {
      values[length] = simple ? value : OTHER;
      this.same = false;
    }
    this.length += 1;
  }
}

function isSimple(value: unknown): boolean {
  switch (typeof value) {
    case 'object':
      return value === null;
    case 'function':
    case 'symbol':
      return false;
    default:
      return true;
  }
}

/** No two values have the same text, none is the beginning of another's, and texts as they are take no time. */
function part(value: unknown): string {
  if (typeof value === 'string') return `"${value.length}:${value}`;
  if (value === undefined) return '-';
  const text = canonicalText(value);
  return `${text.length}:${text}`;
}

function fields(values: Readonly<Record<string, unknown>>): string {
  let text = '{';
  for (const name of inOrder(Object.keys(values))) {
    const value = values[name];
    if (value !== undefined) text += part(name) + part(value);
  }
  return `${text}}`;
}
