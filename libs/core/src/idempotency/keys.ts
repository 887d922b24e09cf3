/** Keys that tell logical operations and their requests apart. All are opaque: a hash in the form of a UUID. */
import { createHash } from 'node:crypto';
import { canonicalText, NotCanonicalError, sha256 } from '../canonical/canonical.js';
import type { OperationContext } from '../context/contexts.js';
import { SluiceError } from '../errors/sluice-error.js';
import type { Random } from '../time/random.js';

/** Which of an operation's requests: by its `step`, or by its method and target and how often they were seen. */
export interface RequestIdentity {
  readonly step?: string | null;
  readonly method: string;
  /** Name of the matched route; null = unmatched. */
  readonly route: string | null;
  /** Without query. */
  readonly path: string;
}

/** The operation of a key: the same for the same scope and key, also after a restart. */
export function operationOf(scope: string, key: string): OperationContext {
  return operationWith(opaque(['operation', scope, key]));
}

/** An operation of its own, where nothing tells it from others. */
export function randomOperation(random: Random): OperationContext {
  return operationWith(randomKey(random));
}

/** One request of an operation, known by the same name whenever the operation is run again. */
export interface NamedRequest {
  /** Its name within the operation: its `step`, else method, route, a hash of the path and ordinal. */
  readonly step: string;
  /** Its key at the provider. */
  readonly key: string;
}

/**
 * Names one request of an operation. Call it once per request, in the order they are made; all tries of the request have the
 * same name. Requests of one method and path that may change places need a `step`.
 */
export function nameRequest(operation: OperationContext, request: RequestIdentity): NamedRequest {
  if (request.step) return { step: request.step, key: opaque(['step', operation.key, request.step]) };
  // The path may name persons. A run that makes other requests than the one before must not take their answers or bytes.
  const target = request.path === '' ? '' : ` ${sha256(request.path).slice(0, 12)}`;
  const name = `${request.method.toUpperCase()} ${request.route ?? ''}${target}`;
  const ordinal = operation.ordinals.get(name) ?? 0;
  operation.ordinals.set(name, ordinal + 1);
  return { step: `${name} ${ordinal}`, key: opaque(['request', operation.key, name, String(ordinal)]) };
}

/** The key of {@link nameRequest}. */
export function requestKey(operation: OperationContext, request: RequestIdentity): string {
  return nameRequest(operation, request).key;
}

/** A random key: 122 bits in the form of a UUID of version 4. */
export function randomKey(random: Random): string {
  const words = Uint32Array.from({ length: 4 }, () => Math.floor(random.next() * 2 ** 32));
  return uuid(Buffer.from(words.buffer), 0x40);
}

/**
 * What an operation was asked to do, as a hash: equal for equal arguments, whatever the order of their keys.
 *
 * @param what Names the method in the error.
 * @throws SluiceError CONFIG when an argument cannot be compared: a cycle, a function, a promise.
 */
export function fingerprintOf(provider: string, what: string, declared: unknown): string {
  try {
    return sha256(canonicalText(declared));
  } catch (error) {
    if (!(error instanceof NotCanonicalError)) throw error;
    throw new SluiceError({
      code: 'CONFIG',
      provider,
      message:
        `Provider "${provider}": the arguments of ${what} cannot be compared: ${error.path} ${error.problem}. ` +
        'Declare what identifies the operation with `fingerprint`, as plain data.',
      cause: error,
    });
  }
}

function operationWith(key: string): OperationContext {
  return { id: opaque(['id', key]), key, ordinals: new Map(), unsettled: new Set() };
}

function opaque(parts: readonly string[]): string {
  return uuid(createHash('sha256').update(JSON.stringify(parts)).digest(), 0x80);
}

/** RFC 9562; version 8 is for hashes of one's own. */
function uuid(bytes: Buffer, version: number): string {
  bytes[6] = (bytes[6]! & 0x0f) | version;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
