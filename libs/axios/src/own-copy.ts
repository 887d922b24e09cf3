import type { AxiosError, AxiosInstance, AxiosResponse, InternalAxiosRequestConfig } from 'axios';

type Config = InternalAxiosRequestConfig;

export type AxiosErrorClass = new (
  message?: string,
  code?: string,
  config?: Config,
  request?: unknown,
  response?: AxiosResponse,
) => AxiosError;
type CanceledErrorClass = new (message?: string | null, config?: Config, request?: unknown) => AxiosError;

/** The error classes of the instance's own copy of axios: an error of another copy fails the user's `instanceof`. */
export interface OwnErrors {
  readonly AxiosError: AxiosErrorClass;
  readonly CanceledError: CanceledErrorClass;
}

const NO_SUCH_ADAPTER = 'nestjs-sluice/none';

/** Leaves data as it is: the user's transforms have run, or will. */
const raw = (data: unknown): unknown => data;
export const IDENTITY = [raw];

/**
 * An instance of the same copy of axios without defaults and interceptors: what it is given is all it sends. A default that
 * the user or an interceptor took out of a request would come back otherwise.
 */
export function bareInstance(instance: AxiosInstance): AxiosInstance {
  const bare = instance.create();
  const defaults = bare.defaults as unknown as Record<string, unknown>;
  for (const key of Object.keys(defaults)) delete defaults[key];
  return bare;
}

/** Takes the classes from errors that the instance's own machinery makes: axios is not imported at run time. */
export function ownErrorsOf(bare: AxiosInstance): () => Promise<OwnErrors> {
  let loading: Promise<OwnErrors> | null = null;
  return () => (loading ??= load(bare));
}

async function load(bare: AxiosInstance): Promise<OwnErrors> {
  const signal = AbortSignal.abort();
  const [failed, cancelled] = await Promise.all([
    rejectionOf(bare.request({ url: '/', adapter: NO_SUCH_ADAPTER as 'http' })),
    rejectionOf(bare.request({ url: '/', signal, adapter: NO_SUCH_ADAPTER as 'http' })),
  ]);
  return {
    AxiosError: failed.constructor as AxiosErrorClass,
    CanceledError: cancelled.constructor as CanceledErrorClass,
  };
}

async function rejectionOf(promise: Promise<unknown>): Promise<object> {
  return promise.then(
    () => new Error('unreachable: no such adapter exists'),
    (error: object) => error,
  );
}
