import { types } from 'node:util';
import type { AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import { type AttemptResult, decodePayload, encodePayload, harmlessHeaders } from '../../core/src/index.js';
import { Answer, answered, answerOf } from './answer.js';

type Config = InternalAxiosRequestConfig;
type Answered = Extract<AttemptResult, { type: 'answered' }>;

/** An answer as Axios gave it, before the user's transforms: those of the run that gets it again are applied anew. */
interface Kept {
  readonly statusText: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly data: unknown;
  /** Bytes came as an ArrayBuffer. */
  readonly buffer: boolean;
}

/** Bodies beyond this are not even put into words: no store takes so much. */
const MAX_KEPT_BYTES = 16_777_216;

/** What is kept of an answer: no cookies, no credentials. Null = it cannot be kept: a stream, what is no data, or too much. */
export function keepAnswer(provider: string, result: AttemptResult): string | null {
  const answer = answerOf(result);
  if (answer === null || answer.stream !== null || answer.error !== null) return null;
  const { statusText, headers, data } = answer.response as AxiosResponse<unknown>;
  if (sizeOf(data) > MAX_KEPT_BYTES) return null;
  const buffer = types.isAnyArrayBuffer(data);
  const kept: Kept = {
    statusText: statusText ?? '',
    headers: harmlessHeaders(headers),
    data: buffer ? new Uint8Array(data) : data,
    buffer,
  };
  try {
    return encodePayload(provider, 'the answer', kept);
  } catch {
    return null;
  }
}

/** The answer for a request of now, which may want its data in another form. */
export function restoreAnswer(config: Config, status: number, text: string): Answered {
  const { statusText, headers, data, buffer } = decodePayload(text) as Kept;
  const response = { status, statusText, headers, data: dataFor(config, data, buffer), config };
  return answered(new Answer(response as AxiosResponse, null, null, false));
}

function dataFor({ responseType }: Config, data: unknown, buffer: boolean): unknown {
  const binary = responseType === 'arraybuffer';
  if (typeof data === 'string') return binary ? Buffer.from(data) : data;
  if (!types.isUint8Array(data)) return data;
  const bytes = Buffer.from(data);
  if (!binary) return bytes.toString();
  return buffer ? bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) : bytes;
}

function sizeOf(data: unknown): number {
  if (typeof data === 'string') return data.length;
  return (data as { byteLength?: number } | null | undefined)?.byteLength ?? 0;
}
