/** What this process knows of pauses and of the breaker, for the time when nobody can be asked. */
import type { Ask, GateChange, GateCommand, Partition, StepReply } from '../../../core/src/index.js';

const WHOLE = '*';
const BREAKER = '!';

export class Known {
  /** By stage: until when nothing starts there. */
  private readonly stages = new Map<string, { readonly partition: Partition | null; readonly untilUs: number }>();

  /** @param asks what the reply answers */
  note(asks: readonly Ask[], reply: StepReply): void {
    for (const change of reply.changes) this.change(change);
    for (const wait of reply.waits) {
      if (wait.cause !== 'pause' && wait.cause !== 'breaker') continue;
      const ask = asks.find(({ ticket }) => ticket.key === wait.ticketKey);
      const whole = wait.cause === 'breaker' || ask === undefined || Object.keys(ask.ticket.partition).length === 0;
      const partition = whole ? null : ask.ticket.partition;
      this.stages.set(whole ? WHOLE : stageOf(ask.ticket.partition), { partition, untilUs: wait.certainUs });
    }
    for (const { ticketKey } of reply.grants) {
      const ask = asks.find(({ ticket }) => ticket.key === ticketKey);
      if (ask !== undefined) this.stages.delete(stageOf(ask.ticket.partition));
    }
    for (const [stage, { untilUs }] of this.stages) if (untilUs <= reply.nowUs) this.stages.delete(stage);
  }

  /** As orders for another gate. */
  pauses(nowUs: number): readonly GateCommand[] {
    return [...this.stages.values()]
      .filter(({ untilUs }) => untilUs > nowUs)
      .map(({ partition, untilUs }) => ({ type: 'pause', partition, forUs: untilUs - nowUs }));
  }

  private change(change: GateChange): void {
    if (change.type === 'pause-started') {
      const partition = partitionOf(change.stage);
      if (partition !== undefined) this.stages.set(change.stage, { partition, untilUs: change.untilUs });
    } else if (change.type === 'pause-ended') this.stages.delete(change.stage);
    else if (change.type === 'breaker-opened') {
      this.stages.set(BREAKER, { partition: null, untilUs: change.untilUs });
    } else if (change.type === 'breaker-closed') this.stages.delete(BREAKER);
  }
}

function stageOf(partition: Partition): string {
  const names = Object.keys(partition);
  return names.length === 0 ? WHOLE : names.map((name) => `${name}=${partition[name]}`).join('&');
}

/** A stage is named by what it is counted by: `account=<hash>&user=<hash>`, or `*`. Undefined = routes, ceilings and shares, which no order can name. */
function partitionOf(stage: string): Partition | null | undefined {
  if (stage === WHOLE) return null;
  const partition: Record<string, string> = {};
  for (const part of stage.split('&')) {
    const at = part.indexOf('=');
    if (at <= 0 || part.startsWith('route=')) return undefined;
    partition[part.slice(0, at)] = part.slice(at + 1);
  }
  return partition;
}
