import type { Admission, AdmissionRequest, AdmissionView, Permit, Settlement } from '../gate/admission.js';
import type { Clock } from '../time/clock.js';
import { GaveUp, onAbort } from '../time/bounded.js';

export interface SettledPermit {
  readonly leaseId: string;
  readonly settlement: Settlement;
  readonly afterMs: number | null;
}

/** An admission that grants at once, unless it is told otherwise, and writes down every ask and every end. */
export class AdmissionDouble implements Admission {
  readonly asks: AdmissionRequest[] = [];
  readonly settled: SettledPermit[] = [];
  readonly released: string[] = [];
  endedTwice = 0;
  /** Places that the retry budget has left. */
  places = Infinity;
  /** Refuses asks by throwing what it gives. */
  refuse: (request: AdmissionRequest, nth: number) => unknown = () => undefined;
  /** Time from an ask to its grant; null = at once, without a promise. */
  grantAfterMs: number | null = null;

  constructor(private readonly clock: Clock) {}

  get open(): number {
    return this.granted - this.settled.length;
  }

  private granted = 0;

  admit(request: AdmissionRequest): Permit | Promise<Permit> {
    this.asks.push(request);
    const refusal = this.refuse(request, this.asks.length);
    if (refusal !== undefined) return Promise.reject(refusal);
    const askedMono = this.clock.monoMs();
    const { grantAfterMs } = this;
    if (grantAfterMs === null) return this.permit(askedMono);
    return new Promise((resolve, reject) => {
      const cancel = this.clock.schedule(grantAfterMs, () => {
        unlisten();
        resolve(this.permit(askedMono));
      });
      const unlisten = onAbort(request.signal === undefined ? [] : [request.signal], (reason) => {
        cancel();
        reject(reason);
      });
    });
  }

  private permit(askedMono: number): Permit {
    this.granted += 1;
    const leaseId = `lease-${this.granted}`;
    let over = false;
    const end = (settlement: Settlement, afterMs: number | null): boolean => {
      if (over) this.endedTwice += 1;
      else this.settled.push({ leaseId, settlement, afterMs });
      const first = !over;
      over = true;
      return first;
    };
    return {
      leaseId,
      grantedMono: this.clock.monoMs(),
      waitedMs: this.clock.monoMs() - askedMono,
      waitedFor: [],
      probe: false,
      probesBreaker: false,
      shadow: null,
      settle: (settlement) => void end(settlement, null),
      settleForRetry: (settlement, afterMs) => {
        if (!end(settlement, afterMs) || this.places <= 0) return Promise.resolve(null);
        this.places -= 1;
        return Promise.resolve(`place-${this.settled.length}`);
      },
    };
  }

  releasePlace(place: string): void {
    this.released.push(place);
  }

  pause(): void {}
  resume(): void {}
  update(): void {}

  inspect(): Promise<AdmissionView> {
    return Promise.reject(new GaveUp('a double has no view'));
  }

  drain(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
