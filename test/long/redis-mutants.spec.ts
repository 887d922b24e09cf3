import fc from 'fast-check';
import { STEP_PARTS } from '../../libs/redis/src/generated/step-script.js';
import { contracts } from '../gate/contracts.js';
import { type Recorded, RecordedHistory, RedisTwin } from '../gate/redis-twin.js';

const HISTORIES = 90;
const STEPS = 250;

/** What stands in the script, and what it is exchanged for: mostly a boundary that moves by one. */
const MUTANTS: readonly (readonly [what: string, from: string, to: string])[] = [
  [
    'a late ticket',
    'local late = now > entry.waiter.pollAt + GRACE_US',
    'local late = now >= entry.waiter.pollAt + GRACE_US',
  ],
  ['a ticket that is forgotten', 'local KEPT_US = 15000000', 'local KEPT_US = 15000001'],
  ['the end of a lease', 'State.contract.guardUs + Plans.worksAfterUs(plan)', 'Plans.worksAfterUs(plan)'],
  [
    'a hinted ticket',
    'if waiter.pollAt <= now + HINT_US then return false end',
    'if waiter.pollAt < now + HINT_US then return false end',
  ],
  ['ties of the line', 'one.rank == rank and one.no < no', 'one.rank == rank and one.no > no'],
  ['the quantum', 'return max(1, min(other.calls, QUANTUM, next))', 'return max(1, min(other.calls, next))'],
  [
    'the tag of one that leaves',
    'math.max(one.finish, lane.virtual) - entry.span',
    'math.max(one.finish, lane.virtual)',
  ],
  ['the virtual time', 'if entry.rank > lane.virtual then lane.virtual = entry.rank end', ''],
  ['calls that a partition admits', 'if admitted < waiter.eligible then', 'if false then'],
  ['the place of one who is held up elsewhere', 'elseif not here then\ncount = 1', 'elseif not here then\ncount = 0'],
  ['the end of a pause', 'pause.untilUs <= now and pause.probe == nil', 'pause.untilUs < now and pause.probe == nil'],
  [
    'the epoch of a pause',
    'return Pause.probeDue(pause, now) and seq > pause.epoch',
    'return Pause.probeDue(pause, now) and seq >= pause.epoch',
  ],
  [
    'the probe that is lost',
    'stage.pause.probe = nil\nstage.changed = true\nState.free(stage)',
    'stage.changed = true',
  ],
  ['the breaker that is due', 'now >= self.openUntil', 'now > self.openUntil'],
  [
    'the penalty of a permit',
    'math.max(settle.refusal.waitUs or 0, PENALTY_US)',
    '(settle.refusal.waitUs or PENALTY_US)',
  ],
  ['a step that comes again', 'if stepNo == step.stepNo then', 'if false then'],
  ['the budget', 'retries <= budget.floor', 'retries < budget.floor'],
  [
    'the better probe',
    'now <= other.pollAt + GRACE_US and other.calls > 0',
    'now < other.pollAt + GRACE_US and other.calls > 0',
  ],
  ["a reserve of one's own", 'if start > now or account.ownLeft == nil then return false end', 'do return false end'],
  [
    'permits that come back',
    'returnsOf(stage, before)[count] or math.huge',
    'returnsOf(stage, before)[count + 1] or math.huge',
  ],
  [
    'what a bucket gives back',
    'if one > moment then return min(level, lowest) end',
    'if one >= moment then return min(level, lowest) end',
  ],
  [
    'what the other partitions admit',
    'return admitted == QUANTUM and bounds.ALL or math.max(1, admitted)',
    'return bounds.ALL',
  ],
  ['a partition at rest', 'if idle <= now then', 'if idle < now then'],
];

describe('a script that decides otherwise is found out', () => {
  const histories: Recorded[] = [];

  beforeAll(() => {
    fc.assert(
      fc.property(contracts, fc.integer(), (contract, seed) => {
        const options = { steps: STEPS, observe: seed % 3 === 0, updates: seed % 2 === 0 };
        histories.push(new RecordedHistory(contract, seed, options).run().recorded);
      }),
      { numRuns: HISTORIES },
    );
  });

  it.each(MUTANTS)(
    'law 14: %s',
    async (_, from, to) => {
      expect(STEP_PARTS.split(from)).toHaveLength(2);
      const twin = new RedisTwin('script', STEP_PARTS.replace(from, to));
      await twin.open();
      let found: string | null = null;
      for (const history of histories) found ??= await twin.compare(history);
      await twin.close();
      expect(found).not.toBeNull();
    },
    600_000,
  );
});
