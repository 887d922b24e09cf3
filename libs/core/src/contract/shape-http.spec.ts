import { httpShape } from './shape-http.js';

/** What is found wrong with these options of Axios: `key: what was expected`. */
function findings(http: object): string[] {
  const { error } = httpShape.safeParse(http);
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('options of Axios in `http`', () => {
  it.each([
    ['baseUrl', 'baseURL'],
    ['BASEURL', 'baseURL'],
    ['basURL', 'baseURL'],
    ['timeOut', 'timeout'],
    ['timout', 'timeout'],
    ['timeuot', 'timeout'],
    ['timeoutt', 'timeout'],
    ['header', 'headers'],
    ['validateStaus', 'validateStatus'],
    ['maxRedirect', 'maxRedirects'],
    ['paramSerializer', 'paramsSerializer'],
    ['httpsAgents', 'httpsAgent'],
    ['httpsagent', 'httpsAgent'],
  ])('that Axios would ignore for their spelling are refused, with the one that was meant: %s', (key, meant) => {
    expect(findings({ [key]: 1 })).toEqual([`${key}: ${meant}, as Axios spells it`]);
  });

  it.each(['httpAgent', 'httpsAgent', 'http2Options', 'url', 'env', 'xsrfHeaderName', 'lookup', 'sluice', 'retries'])(
    'that Axios knows, or that are like none of its own, are taken: %s',
    (key) => {
      expect(findings({ [key]: 1 })).toEqual([]);
    },
  );

  it('that are asked for and not there are told at once', () => {
    expect(findings({ baseURL: undefined })).toEqual([expect.stringMatching(/baseURL: .*environment variable/)]);
  });
});
