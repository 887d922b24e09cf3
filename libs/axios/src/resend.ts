import type { AxiosInstance, AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import axiosRetry from 'axios-retry';
import type { Exchange } from './exchange.js';
import { bareInstance, IDENTITY } from './own-copy.js';

type Config = InternalAxiosRequestConfig;

/**
 * axios-retry waits with a timer of its own before it sends again, even for no delay at all, unless its config's signal is
 * aborted already: then it goes on at once. Our clock has waited by then. The signal is taken off again before the request
 * is dispatched.
 */
const AT_ONCE = { aborted: true };

/** Ends axios-retry's loop from within `onRetry`. */
const STOP = { stop: true };

/** The private instance that goes on where the first attempt did not suffice. Made when it is first needed. */
export class Resender {
  private retrying: AxiosInstance | null = null;

  /** @param bare whose copies nobody guards */
  constructor(private readonly bare: AxiosInstance) {}

  /** Sends again for as long as the decision for the very last attempt says so. Never rejects; the exchange knows the end. */
  async run(exchange: Exchange): Promise<void> {
    this.retrying ??= retryingInstance(this.bare);
    let replayed = false;
    const adapter = async (config: Config): Promise<AxiosResponse> => {
      if (replayed) await exchange.step();
      // The first attempt was made before there was need of this instance.
      replayed = true;
      if (exchange.wantsRetry) throw { config };
      return { status: 200, statusText: '', headers: {}, data: undefined, config };
    };
    const onRetry = async (_count: number, _error: unknown, config: { signal?: unknown }): Promise<void> => {
      const end = await exchange.call.backoff();
      if (end !== null) {
        exchange.end = end;
        throw STOP;
      }
      config.signal = AT_ONCE;
    };
    const request = {
      url: '/',
      adapter,
      transformRequest: IDENTITY,
      transformResponse: IDENTITY,
      validateStatus: null,
      'axios-retry': { retryCondition: () => exchange.wantsRetry, onRetry },
    };
    try {
      await this.retrying.request(request as never);
    } catch (error) {
      if (error !== STOP) exchange.thrown = { error };
    }
  }
}

function retryingInstance(bare: AxiosInstance): AxiosInstance {
  const retrying = bareInstance(bare);
  axiosRetry(retrying as never, { retries: Infinity, shouldResetTimeout: true, retryDelay: () => 0 });
  retrying.interceptors.request.use((config) => {
    delete config.signal;
    return config;
  });
  return retrying;
}
