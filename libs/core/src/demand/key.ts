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
 * authorisation. A key is made for every read, and compared with those of the reads that are under way: it is no more than
 * its parts in a row. Of headers and credentials it holds a hash; the URL it holds as its request does, so it must not
 * outlive that, nor be shown.
 */
export class DemandKeys {
  /** Most reads of a client bring the headers of the one before. */
  private headers = '';
  private fingerprint = sha256('');

  /** Null where the parts cannot be compared: such a read is not shared. */
  keyOf(parts: DemandKeyParts): string | null {
    const { provider, method, url, params, vary, partition, tenant, headers, credentials } = parts;
    try {
      let text = part(provider) + part(method.toUpperCase()) + part(url) + part(params ?? undefined);
      // Most of it is not set.
      for (let place = 0; place < vary.length; place += 1) {
        if (vary[place] !== undefined) text += `#${place}=${part(vary[place])}`;
      }
      text += fields(partition) + part(tenant);
      return text + this.fingerprintOf(fields(headers) + part(credentials ?? undefined));
    } catch (error) {
      if (error instanceof NotCanonicalError) return null;
      throw error;
    }
  }

  private fingerprintOf(headers: string): string {
    if (headers !== this.headers) {
      this.headers = headers;
      this.fingerprint = sha256(headers);
    }
    return this.fingerprint;
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
