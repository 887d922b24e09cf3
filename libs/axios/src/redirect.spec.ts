import { AXIOS_COPIES, errorOf, Told, World, type WorldOptions } from './axios-world.fixture.js';
import { HttpProvider, ok, status } from './http-provider.fixture.js';

const to = (code: number, location: string) => status(code, '', { location });

describe.each(AXIOS_COPIES)('a redirected call of axios %s', (_version, axios) => {
  let provider: HttpProvider;
  let other: HttpProvider;
  let world: World;
  beforeEach(async () => {
    provider = new HttpProvider();
    other = await new HttpProvider().start(ok);
  });
  afterEach(async () => {
    world.detach();
    await Promise.all([provider.stop(), other.stop()]);
    expect(world.gate).toMatchObject({ open: 0, endedTwice: 0 });
  });
  const start = (...script: Parameters<HttpProvider['start']>): Promise<void> => startAs({}, ...script);
  const startAs = async (
    options: WorldOptions['provider'],
    ...script: Parameters<HttpProvider['start']>
  ): Promise<void> => {
    await provider.start(...script);
    world = new World({ axios, http: { baseURL: provider.url }, provider: { ...options } });
  };

  it.each(['http', 'fetch'])('is followed with a permit for each hop (%s)', async (adapter) => {
    await start(to(302, '/b?x=1'), to(307, '/c'), ok);
    const response = await world.http.get('/a', { params: { p: 1 }, adapter: adapter as 'http' });
    expect(response.data).toEqual({ ok: true });
    expect(provider.paths).toEqual(['GET /a?p=1', 'GET /b?x=1', 'GET /c']);
    expect(world.gate.granted).toBe(3);
    expect(response.sluice?.attempts).toBe(3);
  });

  it('shows credentials to no other origin', async () => {
    await start(to(302, `${other.url}/b`));
    const headers = {
      Authorization: 'Bearer secret',
      Cookie: 'a=b',
      'X-Api-Key': 'k',
      'X-Plain': 'p',
      Accept: 'text/x',
    };
    await world.http.get('/a', { headers });
    expect(provider.log[0]?.headers).toMatchObject({ authorization: 'Bearer secret', cookie: 'a=b', 'x-api-key': 'k' });
    const { authorization, cookie, 'x-api-key': key, ...rest } = other.log[0]?.headers ?? {};
    expect([authorization, cookie, key]).toEqual([undefined, undefined, undefined]);
    expect(rest).toMatchObject({ 'x-plain': 'p', accept: 'text/x' });
    await world.http.get('/a', { auth: { username: 'u', password: 'p' } });
    expect(provider.log[1]?.headers.authorization).toMatch(/^Basic /);
    expect(other.log[1]?.headers.authorization).toBeUndefined();
  });

  it.each([
    'X-Shopify-Access-Token',
    'PRIVATE-TOKEN',
    'x-amz-security-token',
    'api_key',
    'X-Session-Id',
    'X-Client-Secret',
    'X-AuthToken',
    'AccessToken',
    'X-CSRFToken',
    'x-sessionid',
    'ClientSecret',
    'X-AuthKey',
  ])('law 12: shows %s to no other origin', async (name) => {
    await start(to(302, `${other.url}/b`));
    await world.http.get('/a', { headers: { [name]: 'secret' } });
    expect(JSON.stringify(provider.log[0]?.headers)).toContain('secret');
    expect(other.paths).toEqual(['GET /b']);
    expect(JSON.stringify(other.log[0]?.headers)).not.toContain('secret');
  });

  it('keeps credentials within the origin', async () => {
    await start(to(301, '/b'), ok);
    await world.http.get('/a', { headers: { Authorization: 'Bearer mine' } });
    expect(provider.log.map((arrival) => arrival.headers.authorization)).toEqual(['Bearer mine', 'Bearer mine']);
  });

  it('of a write that turns into a read is followed without the body', async () => {
    await start(to(303, '/b'), ok);
    await world.http.post('/a', { secret: 1 });
    expect(provider.paths).toEqual(['POST /a', 'GET /b']);
    expect(provider.log[1]).toMatchObject({ body: '' });
    expect(provider.log[1]?.headers['content-type']).toBeUndefined();
  });

  it('of a bare write is delivered as it is, since a repeat may do harm', async () => {
    await start(to(307, '/b'), ok);
    const error = await errorOf(world.http.post('/a', { a: 1 }));
    expect(error.response.status).toBe(307);
    expect(provider.paths).toEqual(['POST /a']);
  });

  it('of a write that does no harm is followed with the same body', async () => {
    await start(to(308, '/b'), ok);
    await world.http.post('/a', { a: 1 }, { sluice: { safe: true } });
    expect(provider.paths).toEqual(['POST /a', 'POST /b']);
    expect(provider.log[1]?.body).toBe('{"a":1}');
  });

  it('law 7: of a keyed write to another origin, where nobody knows the key, is sent there once', async () => {
    await other.stop();
    await other.start(status(503), ok);
    await startAs({ idempotency: { header: 'Idempotency-Key' } }, to(307, `${other.url}/b`));
    const error = await errorOf(world.http.post('/a', { a: 1 }, { sluice: { idempotencyKey: 'k' } }));
    expect(error).toMatchObject({ response: { status: 503 }, sluice: { reason: 'unsafe' } });
    expect(provider.log.map(({ headers }) => headers['idempotency-key'])).toEqual(['k']);
    expect(other.log.map(({ headers }) => headers['idempotency-key'])).toEqual([undefined]);
  });

  it('law 7: of a keyed write within the origin goes on with the same key', async () => {
    await startAs({ idempotency: { header: 'Idempotency-Key' } }, to(307, '/b'), status(503), ok);
    await world.http.post('/a', { a: 1 }, { sluice: { idempotencyKey: 'k' } });
    expect(provider.paths).toEqual(['POST /a', 'POST /b', 'POST /b']);
    expect(new Set(provider.log.map(({ headers }) => headers['idempotency-key']))).toEqual(new Set(['k']));
    expect(new Set(provider.log.map(({ body }) => body))).toEqual(new Set(['{"a":1}']));
  });

  it('law 18: of an observed write is followed, as Axios alone would', async () => {
    await startAs({ mode: 'observe' }, to(307, '/b'), ok);
    await world.http.post('/a', { a: 1 });
    expect(provider.paths).toEqual(['POST /a', 'POST /b']);
    expect(provider.log[1]?.body).toBe('{"a":1}');
  });

  it('goes no further than its caller allows', async () => {
    await start(to(302, '/again'));
    const error = await errorOf(world.http.get('/a', { maxRedirects: 3 }));
    expect(error).toBeInstanceOf(axios.AxiosError);
    expect(error).toMatchObject({ code: 'ERR_FR_TOO_MANY_REDIRECTS', config: { url: '/a' } });
    expect(provider.log).toHaveLength(4);
  });

  it('is not followed where the caller wants none', async () => {
    await start(to(302, '/b'), ok);
    const response = await world.http.get('/a', { maxRedirects: 0, validateStatus: (code) => code === 302 });
    expect(response.headers['location']).toBe('/b');
    expect(provider.log).toHaveLength(1);
  });

  it('asks beforeRedirect, which may change the next request or stop it', async () => {
    await start(to(302, '/b'), ok, to(302, '/b'));
    const seen: unknown[] = [];
    await world.http.get('/a', {
      beforeRedirect: (options, details, from) => {
        seen.push([options['href'], details.statusCode, from.method]);
        options['headers']['X-Hop'] = '1';
        options['path'] = '/c';
      },
    });
    expect(seen).toEqual([[`${provider.url}/b`, 302, 'GET']]);
    expect(provider.paths).toEqual(['GET /a', 'GET /c']);
    expect(provider.log[1]?.headers['x-hop']).toBe('1');
    const stop = (): never => {
      throw new Error('not there');
    };
    expect(await errorOf(world.http.get('/a', { beforeRedirect: stop }))).toMatchObject({ message: 'not there' });
    expect(provider.log).toHaveLength(3);
  });

  it('goes on from where it was when a hop fails', async () => {
    await start(to(302, '/b'), status(503), ok);
    await world.http.get('/a');
    expect(provider.paths).toEqual(['GET /a', 'GET /b', 'GET /b']);
  });

  describe.each(['enforce', 'observe'] as const)('(%s)', (mode) => {
    const startTold = async (...script: Parameters<HttpProvider['start']>): Promise<Told> => {
      const told = new Told();
      await provider.start(...script);
      world = new World({ axios, http: { baseURL: provider.url }, provider: { mode }, events: told });
      return told;
    };
    const endsOf = ({ events }: Told): unknown[] =>
      events.flatMap((event): unknown[] => {
        if (event.type === 'decision') return [event.decision];
        return event.type === 'call-ended' ? [[event.outcome, event.attempts]] : [];
      });

    it('ends once, with its last hop', async () => {
      const told = await startTold(to(302, '/b'), to(307, '/c'), ok);
      await world.http.get('/a');
      expect(provider.paths).toEqual(['GET /a', 'GET /b', 'GET /c']);
      expect(endsOf(told)).toEqual(['deliver', ['succeeded', 3]]);
    });

    it('ends once, and fails, where it may go no further', async () => {
      const told = await startTold(to(302, '/again'));
      await errorOf(world.http.get('/a', { maxRedirects: 1 }));
      expect(provider.log).toHaveLength(2);
      expect(endsOf(told)).toEqual(['raise', ['failed', 2]]);
    });

    it('ends once, and fails, where beforeRedirect stops it', async () => {
      const told = await startTold(to(302, '/b'));
      const beforeRedirect = (): never => {
        throw new Error('not there');
      };
      await errorOf(world.http.get('/a', { beforeRedirect }));
      expect(provider.log).toHaveLength(1);
      expect(endsOf(told)).toEqual(['raise', ['failed', 1]]);
    });
  });

  it('that leads to where nobody answers does not give the redirect for an answer', async () => {
    await start(to(302, `${other.url}/b`));
    await other.stop();
    const error = await errorOf(world.http.get('/a'));
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
    expect(error.response).toBeUndefined();
  });

  it('leaves a place that is none of HTTP as it is', async () => {
    await start(to(302, 'file:///etc/passwd'));
    expect((await errorOf(world.http.get('/a'))).response.status).toBe(302);
  });
});
