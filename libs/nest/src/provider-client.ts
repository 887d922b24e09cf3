import { HttpService } from '@nestjs/axios';
import type { CreateAxiosDefaults } from 'axios';
import { attachAxios, type AxiosDeps } from '../../axios/src/index.js';
import type { ProviderRuntime } from '../../core/src/index.js';

/**
 * The instance comes from the application's own copy of Axios, by way of its own @nestjs/axios: errors made by it are
 * `instanceof` what the application imports.
 */
export function createProviderClient(runtime: ProviderRuntime, deps: AxiosDeps): HttpService {
  const defaults = (runtime.contract.options.http ?? {}) as CreateAxiosDefaults;
  const axios = new HttpService().axiosRef;
  const instance = axios.create({ ...defaults });
  attachAxios(instance, runtime, { clock: deps.clock, random: deps.random, axios });
  return new HttpService(instance);
}
