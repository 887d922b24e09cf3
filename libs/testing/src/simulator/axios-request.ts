import { Readable } from 'node:stream';
import type { InternalAxiosRequestConfig } from 'axios';
import type { RawRequest } from './request.js';

/** What an HTTP client would put on the wire for this config. */
export async function rawRequestOf(config: InternalAxiosRequestConfig): Promise<RawRequest> {
  const url = new URL(fullUrl(config));
  return {
    method: (config.method ?? 'get').toUpperCase(),
    target: url.pathname + url.search,
    headers: { host: url.host, ...headersOf(config) },
    text: await textOf(config.data),
  };
}

function fullUrl({ baseURL = '', url = '', params }: InternalAxiosRequestConfig): string {
  const joined =
    /^[a-z][a-z\d+.-]*:\/\//i.test(url) || baseURL === ''
      ? url
      : `${baseURL.replace(/\/+$/, '')}/${url.replace(/^\/+/, '')}`;
  const query = queryOf(params);
  const absolute = new URL(joined, 'http://provider.invalid').href;
  return query === '' ? absolute : `${absolute}${absolute.includes('?') ? '&' : '?'}${query}`;
}

function queryOf(params: unknown): string {
  if (params === undefined || params === null) return '';
  if (params instanceof URLSearchParams) return params.toString();
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (Array.isArray(value)) for (const item of value) query.append(`${name}[]`, String(item));
    else if (value !== undefined && value !== null)
      query.append(name, value instanceof Date ? value.toISOString() : String(value));
  }
  return query.toString();
}

function headersOf({ headers, auth }: InternalAxiosRequestConfig): Record<string, string> {
  const plain: object = typeof headers?.toJSON === 'function' ? headers.toJSON() : (headers ?? {});
  const sent: Record<string, string> = {};
  for (const [name, value] of Object.entries(plain)) {
    if (value !== undefined && value !== null && value !== false) sent[name.toLowerCase()] = String(value);
  }
  if (auth) sent['authorization'] = `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`;
  return sent;
}

async function textOf(data: unknown): Promise<string> {
  if (data === undefined || data === null) return '';
  if (typeof data === 'string') return data;
  if (data instanceof URLSearchParams) return data.toString();
  if (data instanceof ArrayBuffer) return Buffer.from(data).toString('utf8');
  if (ArrayBuffer.isView(data)) return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
  if (data instanceof Readable) {
    const chunks: Buffer[] = [];
    for await (const chunk of data) chunks.push(Buffer.from(chunk as Buffer));
    return Buffer.concat(chunks).toString('utf8');
  }
  return JSON.stringify(data);
}
