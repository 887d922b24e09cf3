import { z } from 'zod';
import * as shape from './shape.js';

/** Options of Axios that a provider's client is made with, as Axios spells them. It ignores every other spelling. */
const SPELLINGS = [
  'adapter',
  'allowAbsoluteUrls',
  'allowedSocketPaths',
  'auth',
  'baseURL',
  'beforeRedirect',
  'cancelToken',
  'data',
  'decompress',
  'env',
  'family',
  'fetchOptions',
  'formDataHeaderPolicy',
  'formSerializer',
  'headers',
  'http2Options',
  'httpAgent',
  'httpVersion',
  'httpsAgent',
  'insecureHTTPParser',
  'lookup',
  'maxBodyLength',
  'maxContentLength',
  'maxRate',
  'maxRedirects',
  'method',
  'onDownloadProgress',
  'onUploadProgress',
  'params',
  'paramsSerializer',
  'parseReviver',
  'proxy',
  'responseEncoding',
  'responseType',
  'sensitiveHeaders',
  'signal',
  'socketPath',
  'timeout',
  'timeoutErrorMessage',
  'transformRequest',
  'transformResponse',
  'transitional',
  'transport',
  'url',
  'validateStatus',
  'withCredentials',
  'withXSRFToken',
  'xsrfCookieName',
  'xsrfHeaderName',
];

/** The option that was meant; undefined = the key is one, or is like none. */
function meantBy(key: string): string | undefined {
  if (SPELLINGS.includes(key)) return undefined;
  const small = key.toLowerCase();
  return (
    SPELLINGS.find((name) => name.toLowerCase() === small) ??
    SPELLINGS.find((name) => isSlipOf(name.toLowerCase(), small))
  );
}

/** Equal but for one letter more, less or another, or two that changed places. Of short names too many are near. */
function isSlipOf(name: string, key: string): boolean {
  if (name.length < 5) return false;
  let start = 0;
  while (start < name.length && name[start] === key[start]) start += 1;
  let end = 0;
  while (end < Math.min(name.length, key.length) - start && name.at(-1 - end) === key.at(-1 - end)) end += 1;
  const [left, given] = [name.slice(start, name.length - end), key.slice(start, key.length - end)];
  const swapped = left.length === 2 && given === `${left[1]}${left[0]}`;
  return swapped || Math.max(left.length, given.length) === 1;
}

/** Options of Axios: any, but none that is a slip of the pen, and no base URL that was asked for and is not there. */
export const httpShape = z
  .looseObject({ baseURL: shape.text.optional() }, { error: 'options of Axios' })
  .superRefine((value, context) => {
    for (const key of Object.keys(value)) {
      const right = meantBy(key);
      if (right !== undefined) {
        context.addIssue({ code: 'custom', path: [key], message: `${right}, as Axios spells it` });
      }
    }
    if (Object.hasOwn(value, 'baseURL') && value.baseURL === undefined) {
      const message = 'a URL: is the environment variable set? Leave `baseURL` out where requests give full URLs';
      context.addIssue({ code: 'custom', path: ['baseURL'], message });
    }
  });
