import { AsyncLocalStorage } from 'node:async_hooks';
import { jest } from '@jest/globals';
import { isSluiceError } from '../errors/sluice-error.js';
import { VirtualClock } from '../../../testing/src/index.js';
import { createDemand } from './demand.js';
import type { Flight, ShareRequest } from './options.js';

interface Answer {
  data: { name: string };
  headers: Record<string, string>;
}

const copy = (answer: Answer): Answer => structuredClone(answer);

function setup(options = { singleFlight: true, requestReuse: false }) {
  const clock = new VirtualClock();
  const demand = createDemand({ provider: 'crm', options, clock });
  const flights: Flight[] = [];
  const landings: { resolve: (answer: Answer) => void; reject: (error: unknown) => void }[] = [];
  const start = (flight: Flight): Promise<Answer> => {
    flights.push(flight);
    return new Promise((resolve, reject) => landings.push({ resolve, reject }));
  };
  const share = (request: Partial<ShareRequest<Answer>> = {}): Promise<Answer> => {
    const all = { key: 'k', lane: 0, deadlineMono: Infinity, signal: null, reuse: null, streams: false, ...request };
    return demand.share(all, start, copy);
  };
  return { clock, demand, flights, landings, share };
}

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: (reason: unknown) => controller.abort(reason) };
}

const ada = (): Answer => ({ data: { name: 'Ada' }, headers: { etag: '1' } });

describe('single-flight', () => {
  it('case 142: sends one request for 200 equal reads at once, and another for the next read after it', async () => {
    const { demand, landings, share } = setup();
    const all = Array.from({ length: 200 }, () => share());
    expect(landings).toHaveLength(1);
    landings[0]!.resolve(ada());
    expect(new Set(await Promise.all(all)).size).toBe(200);
    expect(demand.flights).toBe(0);
    void share().catch(() => undefined);
    expect(landings).toHaveLength(2);
  });

  it('sends one request each for reads of different keys', () => {
    const { landings, share } = setup();
    void share({ key: 'a' });
    void share({ key: 'b' });
    expect(landings).toHaveLength(2);
  });

  it('case 137: what a member does to its answer, no other member and no later read sees', async () => {
    const { landings, share } = setup({ singleFlight: true, requestReuse: true });
    const reuse = new Map<string, unknown>();
    const a = share({ reuse }).then((answer) => {
      answer.data.name = 'changed';
      answer.headers['etag'] = 'changed';
    });
    const b = share();
    landings[0]!.resolve(ada());
    await a;
    expect(await b).toEqual(ada());
    const later = await share({ reuse });
    expect(later).toEqual(ada());
    later.data.name = 'changed again';
    expect(await share({ reuse })).toEqual(ada());
    expect(landings).toHaveLength(1);
  });

  it('gives each member an error of its own, of the same class', async () => {
    const { landings, share } = setup();
    const caught = [share(), share()].map((call) => call.catch((error: unknown) => error));
    landings[0]!.reject(Object.assign(new TypeError('broken'), { code: 'E1' }));
    const [a, b] = (await Promise.all(caught)) as [Error, Error];
    expect(a).not.toBe(b);
    for (const error of [a, b]) {
      expect(error).toBeInstanceOf(TypeError);
      expect(error).toMatchObject({ message: 'broken', code: 'E1' });
    }
  });

  it.each(['an error', 'a text', 'a throw before any promise'])(
    'case 138: ends with %s, and the next read starts anew',
    async (how) => {
      const { demand } = setup();
      const request = { key: 'k', lane: 0, deadlineMono: Infinity, signal: null, reuse: null, streams: false };
      const failing = (): Promise<Answer> => {
        if (how.startsWith('a throw')) throw new Error('early');
        return Promise.reject(how === 'a text' ? 'text' : new Error('late'));
      };
      await expect(demand.share(request, failing, copy)).rejects.toBeDefined();
      expect(demand.flights).toBe(0);
      expect(await demand.share(request, async () => ada(), copy)).toEqual(ada());
    },
  );

  it('case 117: members go on in their own async context, the flight in none of them', async () => {
    const { landings, demand } = setup();
    const context = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    const request = { key: 'k', lane: 0, deadlineMono: Infinity, signal: null, reuse: null, streams: false };
    const start = (): Promise<Answer> => {
      seen.push(context.getStore());
      return new Promise((resolve, reject) => landings.push({ resolve, reject }));
    };
    const member = (name: string) =>
      context.run(name, async () => {
        await demand.share(request, start, copy);
        return context.getStore();
      });
    const both = Promise.all([member('a'), member('b')]);
    landings[0]!.resolve(ada());
    expect(await both).toEqual(['a', 'b']);
    expect(seen).toEqual([undefined]);
  });

  it('has the best lane and the latest deadline of those aboard', async () => {
    const { clock, flights, landings, share } = setup();
    const { signal } = new AbortController();
    const early = share({ lane: 2, deadlineMono: 1000, signal }).catch((error: unknown) => error);
    const stay = new AbortController();
    const late = share({ lane: 0, deadlineMono: 5000, signal: stay.signal }).catch((error: unknown) => error);
    expect([flights[0]!.lane(), flights[0]!.deadlineMono()]).toEqual([0, 5000]);
    stay.abort(new Error('gone'));
    expect(await late).toEqual(new Error('gone'));
    expect([flights[0]!.lane(), flights[0]!.deadlineMono()]).toEqual([2, 1000]);
    landings[0]!.resolve(ada());
    expect(await early).toEqual(ada());
    expect(clock.pendingTimers).toBe(0);
  });

  it('lets a member off at its own deadline, while the others fly on', async () => {
    const { clock, flights, landings, share } = setup();
    const early = share({ deadlineMono: 1000 }).catch((error: unknown) => error);
    const late = share({ deadlineMono: 5000 });
    await clock.advance(1000);
    expect(isSluiceError(await early, 'DEADLINE_EXCEEDED')).toBe(true);
    expect(flights[0]!.signal?.aborted).not.toBe(true);
    landings[0]!.resolve(ada());
    expect(await late).toEqual(ada());
    expect(clock.pendingTimers).toBe(0);
  });

  it('is torn down when the last member has left, and the next read starts anew', async () => {
    const { demand, flights, share } = setup();
    const [one, two] = [new AbortController(), new AbortController()];
    const removed = jest.spyOn(one.signal, 'removeEventListener');
    const calls = [share({ signal: one.signal }), share({ signal: two.signal })];
    const ends = Promise.allSettled(calls);
    one.abort(new Error('one'));
    expect(flights[0]!.signal?.aborted).toBe(false);
    two.abort(new Error('two'));
    expect(flights[0]!.signal?.aborted).toBe(true);
    expect(demand.flights).toBe(0);
    expect((await ends).map((end) => end.status)).toEqual(['rejected', 'rejected']);
    expect(removed).toHaveBeenCalled();
    void share().catch(() => undefined);
    expect(flights).toHaveLength(2);
  });

  it('gives a member that gives up what its request says it gets then', async () => {
    const { flights, landings, share } = setup();
    const { signal, abort } = abortable();
    const givenUp = (reason: unknown): Answer => ({ data: { name: `gone: ${reason}` }, headers: {} });
    const [leaving, staying] = [share({ signal, givenUp }), share()];
    abort('enough');
    expect((await leaving).data.name).toBe('gone: enough');
    expect((await share({ signal, givenUp })).data.name).toBe('gone: enough');
    landings[0]!.resolve(ada());
    expect(await staying).toEqual(ada());
    expect(flights).toHaveLength(1);
  });

  it('does not begin for a caller who has given up already', async () => {
    const { flights, share } = setup();
    await expect(share({ signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone');
    expect(flights).toHaveLength(0);
  });

  it('is not for streams, nor where it is switched off', () => {
    const streams = setup();
    void streams.share({ streams: true });
    void streams.share({ streams: true });
    expect(streams.flights).toHaveLength(2);
    const off = setup({ singleFlight: false, requestReuse: false });
    void off.share();
    void off.share();
    expect(off.flights).toHaveLength(2);
  });

  it('gives an answer that cannot be copied to one member, and the others read for themselves', async () => {
    const { demand } = setup();
    const request = { key: 'k', lane: 0, deadlineMono: Infinity, signal: null, reuse: null, streams: false };
    let sent = 0;
    const start = async () => ({ sent: (sent += 1), run: () => 1 });
    const get = () => demand.share(request, start, (value) => structuredClone(value));
    const [a, b] = await Promise.all([get(), get()]);
    expect([a.sent, b.sent]).toEqual([1, 2]);
  });
});

describe('reuse within one inbound request', () => {
  const both = { singleFlight: true, requestReuse: true };

  it('gives an equal read the same answer, and another inbound request its own', async () => {
    const { landings, share } = setup(both);
    const first = new Map<string, unknown>();
    const call = share({ reuse: first });
    landings[0]!.resolve(ada());
    await call;
    expect(await share({ reuse: first })).toEqual(ada());
    void share({ reuse: new Map() });
    expect(landings).toHaveLength(2);
  });

  it('law 12: keeps an answer under a hash of its key', async () => {
    const { landings, share } = setup(both);
    const reuse = new Map<string, unknown>();
    const call = share({ reuse, key: 'https://api.crm.example/contacts?token=s3cret' });
    landings[0]!.resolve(ada());
    await call;
    expect([...reuse.keys()]).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
  });

  it('gives a read of another key, another tenant being one, nothing of it', async () => {
    const { landings, share } = setup(both);
    const reuse = new Map<string, unknown>();
    const one = share({ reuse, key: 'contacts of acme' });
    landings[0]!.resolve(ada());
    await one;
    void share({ reuse, key: 'contacts of other' });
    expect(landings).toHaveLength(2);
  });

  it('keeps no failure, nothing that may not be reused, and nothing without an inbound request', async () => {
    const { landings, share } = setup(both);
    const reuse = new Map<string, unknown>();
    const failed = share({ reuse });
    landings[0]!.reject(new Error('broken'));
    await expect(failed).rejects.toThrow('broken');
    const notReusable = share({ reuse, reusable: () => false });
    landings[1]!.resolve(ada());
    await notReusable;
    expect(reuse.size).toBe(0);
  });

  it('is off unless the contract says so', async () => {
    const { landings, share } = setup();
    const reuse = new Map<string, unknown>();
    const call = share({ reuse });
    landings[0]!.resolve(ada());
    await call;
    expect(reuse.size).toBe(0);
  });
});
