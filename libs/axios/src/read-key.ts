import type { AxiosInstance, InternalAxiosRequestConfig } from 'axios';
import { type CallIdentity, DemandKeys } from '../../core/src/index.js';

type Config = InternalAxiosRequestConfig;

/** What Axios' types do not tell of its config. */
interface OtherOptions {
  readonly fetchOptions?: unknown;
  readonly sensitiveHeaders?: unknown;
}

let made = 0;

/** The keys of an instance's reads. Instances have agents, certificates and transports of their own: no two share an answer. */
export class ReadKeys {
  private readonly keys = new DemandKeys();
  private readonly client = (made += 1);

  constructor(
    private readonly provider: string,
    private readonly bare: AxiosInstance,
  ) {}

  /** Null = it cannot be compared. */
  keyOf(config: Config, full: string, { partition, tenant }: CallIdentity): string | null {
    const { paramsSerializer, params, headers, auth } = config;
    const written = paramsSerializer || params instanceof URLSearchParams;
    return this.keys.keyOf({
      provider: this.provider,
      method: config.method ?? 'get',
      url: written ? this.bare.getUri(config) : full,
      params: written ? undefined : params,
      vary: this.formOf(config),
      partition,
      tenant,
      headers,
      credentials: auth,
    });
  }

  private formOf(config: Config & OtherOptions): readonly unknown[] {
    return [
      this.client,
      config.decompress,
      config.family,
      config.fetchOptions,
      config.http2Options,
      config.httpVersion,
      config.insecureHTTPParser,
      config.maxContentLength,
      config.maxRedirects,
      config.proxy,
      config.responseEncoding,
      config.responseType,
      config.sensitiveHeaders,
      config.socketPath,
      config.timeout,
    ];
  }
}
