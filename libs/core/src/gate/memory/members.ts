import type { StepReply } from '../port.js';
import type { Waiter } from './model.js';

/** A process that has been silent for so long is forgotten. */
const PROCESS_KEPT_US = 3_600_000_000;

interface Member {
  readonly processId: string;
  stepNo: number;
  reply: StepReply | null;
  seenAt: number;
  readonly waiters: Map<string, Waiter>;
}

/** The processes that ask this gate: the number and the reply of each one's last step, and its tickets. */
export class Members {
  private readonly byId = new Map<string, Member>();
  /** The process of the last step: mostly the next one's too. */
  private latest: Member | null = null;

  /** The process asks. Those that have not for long, and of whom nothing waits, are forgotten when a new one comes. */
  seen(processId: string, now: number): Member {
    if (this.latest !== null && this.latest.processId === processId) {
      this.latest.seenAt = now;
      return this.latest;
    }
    let member = this.byId.get(processId);
    if (member === undefined) {
      for (const [id, other] of this.byId) {
        if (other.waiters.size === 0 && now - other.seenAt > PROCESS_KEPT_US) this.byId.delete(id);
      }
      member = { processId, stepNo: -1, reply: null, seenAt: now, waiters: new Map() };
      this.byId.set(processId, member);
    }
    member.seenAt = now;
    this.latest = member;
    return member;
  }

  /** A ticket waits no more. */
  forget({ processId, key }: Waiter): void {
    this.byId.get(processId)?.waiters.delete(key);
  }
}
