/** What the other libraries use of the Axios layer. */
export { attachAxios, type Detach } from './attach.js';
export type { AxiosLike } from './axios-like.js';
export type { AxiosDeps } from './guard.js';
export { sluiceOf } from './augmentation.js';
export type { ErrorSluice, RequestSluice, ResponseSluice } from './fields.js';
