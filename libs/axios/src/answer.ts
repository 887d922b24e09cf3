import { isAnyArrayBuffer } from 'node:util/types';
import type { AxiosResponse } from 'axios';
import type { AttemptResult, HeaderBag } from '../../core/src/index.js';
import { headerOf } from './redirect.js';
import { emptyStream, type GuardedStream } from './stream-body.js';

/** Bytes beyond this, which is what functions of the contract are given parsed, are not decoded only to be looked at. */
const MAX_DECODED_BYTES = 1_048_576;
const TEXTUAL = /json|^text\//i;

/** One answer as Axios gave it, before the user's transforms. */
export class Answer {
  constructor(
    readonly response: AxiosResponse,
    readonly stream: GuardedStream | null,
    /** What the adapter threw although an answer came; null = it gave the answer. */
    readonly error: unknown,
    /** Its request carries what the module added: it is kept out of dumps. */
    readonly secret: boolean,
  ) {}

  /** Ends a body that nobody will read, so that its socket is free; who gets the answer all the same finds it empty. */
  discard(): void {
    if (this.stream === null) return;
    this.stream.discard();
    this.response.data = emptyStream(this.response.data);
  }
}

type Answered = Extract<AttemptResult, { type: 'answered' }>;

export function answered(answer: Answer): Answered {
  const { response, stream } = answer;
  return {
    type: 'answered',
    // An adapter of the user's may leave it out; Axios takes that for a success.
    status: response.status || 200,
    headers: (response.headers ?? {}) as HeaderBag,
    body: readableBody(response),
    value: answer,
    rest: stream?.rest,
  };
}

export function answerOf(result: AttemptResult | null): Answer | null {
  return result?.type === 'answered' ? (result.value as Answer) : null;
}

/** What a reading may look into: a text as it came. */
function readableBody({ data, headers }: AxiosResponse): unknown {
  if (typeof data !== 'object' || data === null) return data;
  const bytes = bytesOf(data);
  if (bytes !== null) {
    const looksReadable = TEXTUAL.test(headerOf(headers, 'content-type') ?? '');
    return looksReadable && bytes.length <= MAX_DECODED_BYTES ? bytes.toString('utf8') : undefined;
  }
  return 'pipe' in data || 'getReader' in data ? undefined : (data as unknown);
}

/** The bytes of an `arraybuffer`: a Buffer, and over fetch an ArrayBuffer. */
function bytesOf(data: object): Buffer | null {
  if (Buffer.isBuffer(data)) return data;
  return isAnyArrayBuffer(data) ? Buffer.from(data) : null;
}
