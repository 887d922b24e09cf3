import type { AxiosError, AxiosResponse, InternalAxiosRequestConfig } from 'axios';

/** Errors as Axios makes them, without its classes: a process may hold two copies of Axios, and this is none of them. */
export function axiosError(
  message: string,
  code: string,
  config: InternalAxiosRequestConfig,
  request: unknown,
  response?: AxiosResponse,
): AxiosError {
  const error = Object.assign(new Error(message), {
    code,
    config,
    request,
    response,
    isAxiosError: true,
    status: response?.status,
  });
  error.name = 'AxiosError';
  return Object.assign(error, {
    toJSON: () => ({ message, name: error.name, code, status: error.status ?? null }),
  }) as unknown as AxiosError;
}

export function canceledError(config: InternalAxiosRequestConfig, request: unknown): AxiosError {
  const error = Object.assign(axiosError('canceled', 'ERR_CANCELED', config, request), { __CANCEL__: true });
  error.name = 'CanceledError';
  return error;
}

/** As the adapters of Axios end: `validateStatus` decides between a response and an error that carries it. */
export function settled(response: AxiosResponse, config: InternalAxiosRequestConfig): AxiosResponse {
  const { status } = response;
  if (!config.validateStatus || config.validateStatus(status)) return response;
  const code = status >= 400 && status < 500 ? 'ERR_BAD_REQUEST' : 'ERR_BAD_RESPONSE';
  throw axiosError(`Request failed with status code ${status}`, code, config, response.request, response);
}
