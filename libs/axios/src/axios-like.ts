/**
 * What the module needs of an Axios instance. Axios declares its types twice, for ESM and for CommonJS, and an instance of
 * one is no `AxiosInstance` of the other; any instance of either is one of these, its `create` included, which the types
 * of old versions leave out.
 */
export interface AxiosLike {
  readonly defaults: { adapter?: unknown; httpAgent?: unknown; httpsAgent?: unknown };
  readonly interceptors: { readonly request: object; readonly response: object };
  request(config: never): Promise<unknown>;
}
