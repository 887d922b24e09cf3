import type { GateView } from '../gate-view.js';
import { capacityOf } from '../../contract/capacity.js';
import type { ResolvedLimit } from '../../contract/resolved.js';
import type { Stage } from './model.js';
import type { GateState } from './state.js';

/** What an operator sees. Looking changes nothing: no probe is used up. */
export function viewOf(state: GateState, now: number): GateView {
  const { contract, breaker, budget, stages } = state;
  const pauses: GateView['pauses'][number][] = [];

  for (const stage of [...stages.all(), stages.whole]) {
    if (stage.pause.active) {
      const { until, step, beganAt } = stage.pause;
      pauses.push({ stage: stage.key, untilMs: until / 1000, step, lastedMs: (now - beganAt) / 1000 });
    }
  }

  return {
    provider: contract.name,
    limits: contract.limits.map((limit, index) => limitView(stages.whole, limit, index, now)),
    partitions: stages.count,
    leases: state.leaseExpiry.size,
    tickets: state.waiterExpiry.size,
    pauses,
    breaker:
      breaker === null ? 'off' : breaker.state === 'closed' ? 'closed' : breaker.probe === null ? 'open' : 'half-open',
    budget: budget && {
      firstsLastMinute: budget.firstsLastMinute(now),
      retriesLastMinute: budget.retriesLastMinute(now),
      places: budget.placesHeld(now),
    },
    fleet: null,
  };
}

function limitView(whole: Stage, limit: ResolvedLimit, index: number, now: number): GateView['limits'][number] {
  const { name, kind } = limit;
  const book = whole.books.find((one) => one.limit === index);
  return {
    name,
    kind,
    used: book === undefined ? null : book.used(now),
    capacity: book?.capacity ?? capacityOf(limit),
  };
}
