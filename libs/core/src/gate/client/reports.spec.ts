import { VirtualClock, SeededRandom } from '../../../../testing/src/index.js';
import { concurrency, fixedWindow } from '../../contract/builders.js';
import type { ProviderOptions } from '../../contract/options.js';
import { EventHub } from '../../events/event-hub.js';
import type { EventSink, SluiceEvent } from '../../events/events.js';
import type { Admission } from '../admission.js';
import { memoryGate } from '../memory/memory-gate.js';
import { createAdmission } from './create-admission.js';
import { contractOf, recorder, request, settlement } from './gates.fixture.js';

function setUp(options: Partial<ProviderOptions> & Pick<ProviderOptions, 'limits'>, sink?: EventSink) {
  const clock = new VirtualClock();
  const events = recorder();
  const admission: Admission = createAdmission({
    contract: contractOf({ guard: 0, ...options }),
    gate: memoryGate(),
    clock,
    random: new SeededRandom(7),
    events: sink ?? events,
    processId: 'p1',
  });
  return { clock, events, admission };
}

test('a weight of a tenant that throws is told by the name of its error alone, and its call is admitted all the same', async () => {
  const { clock, events, admission } = setUp({
    limits: [concurrency({ limit: 1 })],
    tenants: {
      weight: () => {
        throw new TypeError('of tenant seven');
      },
    },
  });
  const first = await admission.admit(request({ tenant: 'seven' }));
  const second = admission.admit(request({ tenant: 'seven', maxWaitMs: 60_000 }));
  await clock.advance(10);
  first.settle(settlement());
  await clock.advance(10);
  (await second).settle(settlement());
  const told = events.events.filter(({ type }) => type === 'hook-failed');
  expect(told[0]).toMatchObject({ hook: 'tenants.weight', error: 'TypeError' });
  expect(JSON.stringify(events.events)).not.toContain('seven');
});

const windows = [fixedWindow({ name: 'per-minute', limit: 60, per: '1m', align: 'clock' })];

async function contradict(admission: Admission): Promise<void> {
  for (let i = 0; i < 3; i += 1) {
    const permit = await admission.admit(request());
    permit.settle(settlement({ seen: [{ limitName: 'per-minute', remaining: 50, resetInMs: 30_000 }] }));
  }
}

test('windows whose edges the resets contradict are told once as a guess, by the name of their limit', async () => {
  const { admission, events } = setUp({ limits: windows });
  await contradict(admission);
  const told = events.events.filter(({ type }) => type === 'guess');
  expect(told).toMatchObject([
    { about: expect.stringContaining('"per-minute"'), taken: 'the clock, as the contract says' },
  ]);
});

test('contradicted edges are heard by one who watches for trouble alone', async () => {
  const hub = new EventHub();
  const heard: SluiceEvent[] = [];
  hub.watchTrouble((event) => void heard.push(event));
  await contradict(setUp({ limits: windows }, hub).admission);
  expect(heard.map(({ type }) => type)).toEqual(['guess']);
});
