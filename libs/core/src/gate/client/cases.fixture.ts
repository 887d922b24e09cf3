import { SeededRandom, VirtualClock } from '../../../../testing/src/index.js';
import type { ProviderOptions } from '../../contract/options.js';
import { isSluiceError } from '../../errors/sluice-error.js';
import { sleep } from '../../time/timers.js';
import type { AdmissionRequest, Settlement } from '../admission.js';
import { memoryGate } from '../memory/memory-gate.js';
import { createAdmission } from './create-admission.js';
import { contractOf, delayed, recorder, request, settlement } from './gates.fixture.js';

/** What the cases of the line share. */
export type Options = Partial<ProviderOptions> & Pick<ProviderOptions, 'limits'>;

export const GATES = [
  ['a gate that answers at once', 0],
  ['a gate that answers after 8 ms', 8],
] as const;

/** Moments may be later by this much: two rides and the way of a hint. */
export const slackOf = (roundTripMs: number): number => roundTripMs * 3;

/** Calls in line before the real gate, with a log of who started when. */
export class Rig {
  readonly clock = new VirtualClock();
  readonly events = recorder();
  readonly log: { readonly at: number; readonly name: string }[] = [];
  readonly refused: { readonly at: number; readonly name: string; readonly code: unknown }[] = [];
  readonly admission;
  running = 0;
  mostRunning = 0;

  constructor(options: Options, roundTripMs: number) {
    const inner = memoryGate();
    this.admission = createAdmission({
      contract: contractOf({ guard: 0, ...options }),
      gate: roundTripMs === 0 ? inner : delayed(inner, this.clock, () => roundTripMs),
      clock: this.clock,
      random: new SeededRandom(7),
      events: this.events,
      processId: 'p1',
    });
  }

  /** One attempt: waits for its permit, takes `ms`, ends as told. */
  async call(
    name: string,
    ms: number,
    overrides: Partial<AdmissionRequest> = {},
    end: Partial<Settlement> = {},
  ): Promise<void> {
    try {
      const permit = await this.admission.admit(request({ maxWaitMs: 3_600_000, ...overrides }));
      this.log.push({ at: this.clock.monoMs(), name });
      this.running += 1;
      this.mostRunning = Math.max(this.mostRunning, this.running);
      if (ms > 0) await sleep(this.clock, ms);
      this.running -= 1;
      permit.settle(settlement(end));
    } catch (error) {
      const code = isSluiceError(error) ? error.code : error;
      this.refused.push({ at: this.clock.monoMs(), name, code });
    }
  }

  starts(): number[] {
    return this.log.map(({ at }) => at);
  }

  /** Nothing waits, nothing is out, no timer is left. */
  async leavesNothing(): Promise<void> {
    await this.clock.advance(2_000);
    const view = await this.clock.advanceUntil(this.admission.inspect());
    // The gate looks every ten seconds whether what was in use still is.
    await this.clock.advance(12_000);
    expect(view).toMatchObject({ waiting: 0, active: 0, oldestMs: null });
    expect((await this.admission.inspect()).gate).toMatchObject({ leases: 0, tickets: 0 });
    expect(this.clock.pendingTimers).toBe(0);
  }
}

export function near(actual: readonly number[], expected: readonly number[], slackMs: number): void {
  expect(actual).toHaveLength(expected.length);
  actual.forEach((at, index) => {
    expect(at).toBeGreaterThanOrEqual((expected[index] as number) - 0.01);
    expect(at).toBeLessThanOrEqual((expected[index] as number) + slackMs * (index + 1) + 0.01);
  });
}
