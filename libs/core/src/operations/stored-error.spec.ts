import fc from 'fast-check';
import { MAX_ERROR_BYTES, storableError, type StoredError } from './stored-error.js';

const SECRET = 's3cr3t-0123456789';
const error = (body: string | null, message = 'Request failed'): StoredError => ({
  name: 'AxiosError',
  message,
  code: 'ERR_BAD_REQUEST',
  status: 422,
  body,
});

describe('law 12: a stored error', () => {
  it.each([
    ['a bearer token', `Authorization: Bearer ${SECRET}`],
    ['a bearer token in a sentence', `the token was Bearer ${SECRET} and is over`],
    ['basic credentials', 'header Basic dXNlcjpzM2NyM3QtMDEyMzQ1Njc4OQ=='],
    ['a field of JSON', JSON.stringify({ user: 'x', password: SECRET, amount: 3 })],
    ['a field of JSON with a quote in it', JSON.stringify({ client_secret: `a"${SECRET}` })],
    ['a field of JSON in JSON', JSON.stringify({ echo: JSON.stringify({ accessToken: SECRET }) })],
    ['a field that was cut off', `{"refresh_token":"${SECRET}`],
    ['a parameter of a query', `GET /x?api_key=${SECRET}&page=2 failed`],
    ['a field of a form', `grant_type=password&password=${SECRET}`],
    ['a cookie', `set-cookie: sid=${SECRET}; HttpOnly`],
    ['a header of its own', `x-api-key: ${SECRET}`],
    ['the user of a URL', `connect to https://ada:${SECRET}@api.example/x`],
    ['XML', `<Login><Password>${SECRET}</Password></Login>`],
    ['a JSON Web Token', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzM2NyM3QtMDEyMzQ1Njc4OQ.${SECRET}`],
    ['a private key', `-----BEGIN PRIVATE KEY-----\n${SECRET}\n-----END PRIVATE KEY-----`],
  ])('holds no credential: %s', (_, text) => {
    for (const kept of [storableError(error(text)), storableError(error(null, text))]) {
      expect(JSON.stringify(kept)).not.toContain(SECRET);
      expect(JSON.stringify(kept)).not.toContain('dXNlcjpzM2NyM3Q');
      expect(JSON.stringify(kept)).not.toContain('eyJzdWIi');
    }
  });

  it('keeps what explains it', () => {
    const body = JSON.stringify({ message: 'Contact 17 is archived', field: 'contact.id', tokens: 3 });
    expect(storableError(error(body)).body).toContain('"message":"Contact 17 is archived","field":"contact.id"');
    expect(storableError(error(null, 'Bearer tokens are not accepted here')).message).toBe(
      'Bearer tokens are not accepted here',
    );
  });

  it('is under 8 KB whatever it was made of, and the same if made again', () => {
    const long = fc.tuple(fc.string({ unit: 'binary', maxLength: 60 }), fc.constantFrom(1, 10, 400, 5000));
    fc.assert(
      fc.property(long, long, ([head, times], [body, more]) => {
        const kept = storableError({ ...error(body.repeat(more), head.repeat(times)), name: head.repeat(times) });
        expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThan(8_192);
        expect(storableError(kept).message.length).toBeLessThanOrEqual(1_000);
      }),
      { numRuns: 200 },
    );
    expect(storableError(error('x'.repeat(1e6))).body!.length).toBeGreaterThan(MAX_ERROR_BYTES * 0.8);
  });

  it('takes no time to speak of on a body made to be slow', () => {
    const started = performance.now();
    for (const piece of [
      '"token":"\\',
      'token',
      'a.',
      '<token ',
      'bearer ',
      'eyJaaaaaaaa.',
      'x-auth-',
      'password="',
      'password=\\"\\',
      'a-eyJ-',
      'http://',
    ]) {
      storableError(error(piece.repeat(20_000)));
    }
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
