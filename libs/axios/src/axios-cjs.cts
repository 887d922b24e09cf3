// Loads the types that are augmented; nothing of it is left at run time.
import type {} from 'axios';
import type { RequestSluice, ResponseSluice } from './fields.js' with { 'resolution-mode': 'import' };

// Axios as CommonJS sees it: Nest 11's HttpService. The type parameters have to be those of axios itself.
declare module 'axios' {
  interface AxiosRequestConfig<D = any, P = any> {
    sluice?: RequestSluice;
  }
  interface AxiosResponse<T = any, D = any, H = {}, P = any> {
    sluice?: ResponseSluice;
  }
}
