import { Readable } from 'node:stream';
import { SluiceError } from '../errors/sluice-error.js';
import { storedErrorOf } from './stored-error-of.js';

const answered = (data: unknown, status: unknown = 422): Error =>
  Object.assign(new Error('Request failed'), {
    name: 'AxiosError',
    code: 'ERR_BAD_REQUEST',
    response: { status, data },
  });

describe('what is kept of an error', () => {
  it('is the answer that explains it', () => {
    expect(storedErrorOf(answered({ field: 'amount' }))).toEqual({
      name: 'AxiosError',
      message: 'Request failed',
      code: 'ERR_BAD_REQUEST',
      status: 422,
      body: '{"field":"amount"}',
    });
    expect(storedErrorOf(answered('plain')).body).toBe('plain');
    expect(storedErrorOf(answered(Buffer.from('bytes'))).body).toBe('bytes');
    expect(storedErrorOf(answered(new TextEncoder().encode('bytes').buffer)).body).toBe('bytes');
  });

  it('is the code of ours', () => {
    const error = new SluiceError({ code: 'PAUSED', provider: 'crm', message: 'It is paused.' });
    expect(storedErrorOf(error)).toMatchObject({ name: 'SluiceError', code: 'PAUSED', status: null, body: null });
  });

  it('law 12: holds no credential and is under 8 KB, whatever was thrown', () => {
    const secret = 's3cr3t-0123456789';
    for (const data of [
      { password: secret, text: 'x'.repeat(100_000) },
      Buffer.from(`token=${secret}&${'x'.repeat(1e6)}`),
    ]) {
      const kept = JSON.stringify(storedErrorOf(answered(data)));
      expect(kept).not.toContain(secret);
      expect(Buffer.byteLength(kept)).toBeLessThan(8_192);
    }
  });

  it('is something for anything that can be thrown', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    const trap = new Proxy({}, { get: () => { throw new Error('trap'); } }); // prettier-ignore
    const things = [undefined, null, 7, 'text', Symbol('s'), trap, answered(cycle), answered(new Readable()), answered(trap), answered(1n, '422')]; // prettier-ignore
    for (const thing of things) {
      const { name, message } = storedErrorOf(thing);
      expect([typeof name, message.length > 0]).toEqual(['string', true]);
    }
    expect(storedErrorOf('text').message).toBe('text');
    expect(storedErrorOf(answered(new Readable())).body).toBeNull();
  });
});
