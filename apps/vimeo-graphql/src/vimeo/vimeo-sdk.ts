import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

export interface VimeoSdkRequest {
  readonly path: string;
  readonly method?: string;
  readonly query?: Readonly<Record<string, string | number>>;
}

export type VimeoSdkHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** As the Node library of Vimeo calls back: error, parsed body, status, headers. */
export type VimeoSdkCallback = (
  error: Error | null,
  body: unknown,
  statusCode: number | undefined,
  headers: VimeoSdkHeaders,
) => void;

/** A client in the style of the `@vimeo/vimeo` package: callbacks, no Axios, no interceptors. Unlike it, it takes a base URL. */
export class VimeoSdk {
  private accessToken = '';

  constructor(private readonly baseURL: string) {}

  setAccessToken(accessToken: string): void {
    this.accessToken = accessToken;
  }

  request(options: VimeoSdkRequest, callback: VimeoSdkCallback): void {
    const url = new URL(options.path, this.baseURL);
    for (const [name, value] of Object.entries(options.query ?? {})) url.searchParams.set(name, String(value));
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const headers = { authorization: `Bearer ${this.accessToken}`, accept: 'application/vnd.vimeo.*+json;version=3.4' };
    const sent = send(url, { method: options.method ?? 'GET', headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', (error) => callback(error, null, response.statusCode, response.headers));
      response.on('end', () => {
        const { statusCode = 0 } = response;
        const body = parsed(Buffer.concat(chunks).toString('utf8'));
        const error = statusCode >= 400 ? new Error(problemOf(body, statusCode)) : null;
        callback(error, body, statusCode, response.headers);
      });
    });
    sent.on('error', (error) => callback(error, null, undefined, {}));
    sent.end();
  }
}

function parsed(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return text;
  }
}

function problemOf(body: unknown, status: number): string {
  const told = (body as { error?: unknown } | null)?.error;
  return typeof told === 'string' ? told : `Vimeo answered ${status}.`;
}
