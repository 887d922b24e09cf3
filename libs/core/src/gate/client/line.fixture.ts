import { SeededRandom, VirtualClock } from '../../../../testing/src/index.js';
import { tokenBucket } from '../../contract/builders.js';
import type { EventSink } from '../../events/events.js';
import { isSluiceError } from '../../errors/sluice-error.js';
import type { AdmissionRequest, Permit } from '../admission.js';
import { createAdmission } from './create-admission.js';
import { contractOf, delayed, recorder, request, ScriptedGate } from './gates.fixture.js';

/** What the specs of the line share. */
export const limits = [tokenBucket({ name: 'rate', burst: 10, limit: 10, per: '1s' })];

/** The line of one process in front of a gate whose every reply is written by the test. */
export function setUp(options: Parameters<typeof contractOf>[0] = { limits }, roundTripMs = 0, sink?: EventSink) {
  const clock = new VirtualClock();
  const gate = new ScriptedGate(clock);
  const events = recorder();
  const contract = contractOf(options);
  const admission = createAdmission({
    contract,
    gate: roundTripMs > 0 ? delayed(gate, clock, () => roundTripMs) : gate,
    clock,
    random: new SeededRandom(1),
    events: sink ?? events,
    processId: 'p1',
  });
  const admit = (overrides: Partial<AdmissionRequest> = {}) => admission.admit(request(overrides));
  const allWait = (inMs = 1_000): void => {
    gate.judge = (input) => ({
      waits: input.asks.map((ask) => gate.wait(ask, inMs, { cause: 'concurrency', certainUs: gate.nowUs })),
    });
  };
  return { clock, gate, events, contract, admission, admit, allWait };
}

export type Rig = ReturnType<typeof setUp>;

/** The gate tells every ticket to wait for so long, until it is told to grant. */
export function closedGate({ gate }: Rig, inMs = 1_000): void {
  gate.judge = (input) => ({ waits: input.asks.filter((ask) => ask.waiting > 0).map((ask) => gate.wait(ask, inMs)) });
}

export function openGate({ gate }: Rig, grantsAStep = Infinity): void {
  gate.judge = (input) => {
    let left = grantsAStep;
    const grants = [];
    const waits = [];
    for (const ask of input.asks) {
      const now = gate.grants(ask, Math.min(left, ask.heads.length));
      left -= now.length;
      grants.push(...now);
      if (ask.waiting > now.length) waits.push(gate.wait(ask, 1_000));
    }
    return { grants, waits };
  };
}

/** The permit, or the code or reason it was refused with. */
export async function outcome(admitted: Permit | Promise<Permit>): Promise<unknown> {
  try {
    return await admitted;
  } catch (error) {
    return isSluiceError(error) ? error.code : error;
  }
}

/** What has become of it by now: to wait for it would be to wait for ever where it goes on waiting. */
export async function byNow({ clock }: Rig, ending: Promise<unknown>): Promise<unknown> {
  await clock.advance(0);
  return Promise.race([ending, Promise.resolve('still waiting')]);
}
