import fc from 'fast-check';
import { SluiceError, type SluiceErrorCode } from '../errors/sluice-error.js';
import { endedUnknown } from '../idempotency/ends.js';
import { endingOf, type RunFacts } from './ending.js';
import type { Ending } from './port/hold.js';
import { canMove } from './states.js';

const calm: RunFacts = {
  durable: true,
  sent: false,
  unsettled: false,
  postponed: null,
  inside: null,
  gaveUp: null,
  attempts: 0,
  maxAttempts: 3,
  deadOnSpentBudget: false,
  nowMono: 1_000,
  checkInMs: 7_000,
};
const code = (name: SluiceErrorCode): SluiceError => new SluiceError({ code: name, provider: 'crm', message: name });
const axios = (status: number, reason: string): Error =>
  Object.assign(new Error('x'), { response: { status, data: {} }, sluice: { reason } });
const told = (ending: Ending): string => ('cause' in ending ? `${ending.to} ${ending.cause}` : ending.to);
const end = (error: unknown, facts: Partial<RunFacts> = {}): string => told(endingOf(error, { ...calm, ...facts }));
const later = (cause: 'retry' | 'rescheduled' | 'budget', dueMono = 61_000) => ({ cause, dueMono });

describe('how a run ends', () => {
  it.each<[string, unknown, Partial<RunFacts>, string]>([
    ['an unknown outcome', code('OUTCOME_UNKNOWN'), {}, 'uncertain outcome-unknown'],
    ['a 5xx on a bare write', axios(503, 'unsafe'), {}, 'uncertain outcome-unknown'],
    ['a write that left, whatever was thrown', new Error('x'), { unsettled: true }, 'uncertain outcome-unknown'],
    ['a write that left, postponed since', code('PAUSED'), { unsettled: true, postponed: later('rescheduled') }, 'uncertain outcome-unknown'],
    ['a write that left, its caller gone', new Error('x'), { unsettled: true, gaveUp: 'caller' }, 'uncertain outcome-unknown'],
    ['a pause', code('PAUSED'), { postponed: later('rescheduled') }, 'waiting rescheduled'],
    ['a pause, lost on the way', new Error('busy'), { postponed: later('rescheduled') }, 'waiting rescheduled'],
    ['a failure', axios(503, 'wait-too-long'), { postponed: later('retry') }, 'waiting retry'],
    ['the last failure but one', axios(503, 'wait-too-long'), { postponed: later('retry'), attempts: 1 }, 'waiting retry'],
    ['the last failure', axios(503, 'wait-too-long'), { postponed: later('retry'), attempts: 2 }, 'dead attempts-exhausted'],
    ['a pause after many failures', code('PAUSED'), { postponed: later('rescheduled'), attempts: 2 }, 'waiting rescheduled'],
    ['a spent budget', axios(503, 'budget-exhausted'), { postponed: later('budget') }, 'waiting retry'],
    ['a spent budget, for ever', axios(503, 'budget-exhausted'), { postponed: later('budget'), attempts: 2 }, 'dead attempts-exhausted'],
    ['a spent budget that kills', axios(503, 'budget-exhausted'), { postponed: later('budget'), deadOnSpentBudget: true }, 'dead budget-exhausted'],
    ['an operation inside that is put off', code('DEFERRED'), { sent: true }, 'waiting rescheduled'],
    ['an operation inside that is looked up', code('OUTCOME_UNKNOWN'), { inside: 'looked-up', sent: true }, 'waiting rescheduled'],
    ['an operation inside that is looked up after a 5xx', axios(503, 'unsafe'), { inside: 'looked-up' }, 'waiting rescheduled'],
    ['an operation inside that is looked up, and a write that left', code('OUTCOME_UNKNOWN'), { inside: 'looked-up', unsettled: true }, 'uncertain outcome-unknown'],
    ['an operation inside that is looked up, with nobody to go on', code('OUTCOME_UNKNOWN'), { inside: 'looked-up', durable: false, sent: true }, 'dead cancelled'],
    ['an operation inside that a person has to settle', code('OUTCOME_UNKNOWN'), { inside: 'given-up' }, 'dead unresolved'],
    ['an operation inside that is looked up, at a shutdown', code('OUTCOME_UNKNOWN'), { inside: 'looked-up', gaveUp: 'shutdown' }, 'queued given-back'],
    ['an operation inside that another runs', code('OPERATION_IN_PROGRESS'), {}, 'waiting rescheduled'],
    ['a store that is away, with nobody to go on', code('STORE_UNAVAILABLE'), { durable: false }, 'discarded not-sent'],
    ['a pause, with nobody to go on', code('PAUSED'), { durable: false, postponed: later('rescheduled') }, 'discarded not-sent'],
    ['a pause half way, with nobody to go on', code('PAUSED'), { durable: false, sent: true, postponed: later('rescheduled') }, 'dead cancelled'],
    ['a caller that gave up before', new Error('x'), { gaveUp: 'caller' }, 'discarded not-sent'],
    ['a caller that gave up half way', new Error('x'), { gaveUp: 'caller', sent: true }, 'queued given-back'],
    ['a caller that gave up half way, with nobody to go on', new Error('x'), { gaveUp: 'caller', sent: true, durable: false }, 'dead cancelled'],
    ['a shutdown', new Error('x'), { gaveUp: 'shutdown' }, 'queued given-back'],
    ['a lost hold', code('OPERATION_IN_PROGRESS'), { gaveUp: 'lost', sent: true }, 'queued given-back'],
    ['a refusal by a draining gate', code('SHUTDOWN'), {}, 'queued given-back'],
    ['a refusal by a draining gate, with nobody to go on', code('SHUTDOWN'), { durable: false }, 'discarded not-sent'],
    ['refused credentials', code('AUTH_FAILED'), {}, 'dead auth'],
    ['credentials that were refused twice', axios(401, 'auth'), { sent: true }, 'dead auth'],
    ['a rejection', axios(422, 'permanent'), { sent: true }, 'dead rejected'],
    ['no further attempt', axios(503, 'attempts-exhausted'), { sent: true }, 'dead attempts-exhausted'],
    ['no answer to a keyed write', code('ATTEMPT_TIMEOUT'), { sent: true }, 'dead attempts-exhausted'],
    ['an error of the application', new TypeError('x'), {}, 'dead rejected'],
    ['something that is no error', undefined, {}, 'dead rejected'],
  ])('%s', (_, error, facts, expected) => expect(end(error, facts)).toBe(expected)); // prettier-ignore

  it('says when it is to be looked at again', () => {
    expect(endingOf(code('PAUSED'), { ...calm, postponed: later('rescheduled') })).toMatchObject({ dueInMs: 60_000 });
    expect(endingOf(code('PAUSED'), { ...calm, postponed: later('rescheduled', 5) })).toMatchObject({ dueInMs: 0 });
    const inside = new SluiceError({ code: 'DEFERRED', message: 'x', retryAfterMs: 9_000 });
    expect(endingOf(inside, calm)).toMatchObject({ dueInMs: 9_000 });
    expect(endingOf(code('OUTCOME_UNKNOWN'), calm)).toMatchObject({ checkInMs: 7_000 });
  });

  it('laws 7 and 8: every end is a legal one, and what may have happened is never sent again', () => {
    const facts = fc.record({
      durable: fc.boolean(),
      sent: fc.boolean(),
      unsettled: fc.boolean(),
      postponed: fc.constantFrom(null, later('retry'), later('rescheduled'), later('budget')),
      inside: fc.constantFrom(null, 'looked-up' as const, 'given-up' as const),
      gaveUp: fc.constantFrom(null, 'caller' as const, 'shutdown' as const, 'lost' as const),
      attempts: fc.nat(5),
      maxAttempts: fc.integer({ min: 1, max: 5 }),
      deadOnSpentBudget: fc.boolean(),
      nowMono: fc.constant(0),
      checkInMs: fc.constant(0),
    });
    const errors = fc.constantFrom(code('PAUSED'), code('OUTCOME_UNKNOWN'), axios(503, 'unsafe'), axios(422, 'permanent'), null); // prettier-ignore
    fc.assert(
      fc.property(errors, facts, (error, given) => {
        const ending = endingOf(error, given);
        if (ending.to === 'absent') throw new Error('Nobody looked it up.');
        expect(canMove('running', ending.to, ending.cause)).toBe(true);
        if (given.unsettled) expect(ending.to).toBe('uncertain');
        if (error !== null && endedUnknown(error) && given.inside === null) expect(ending.to).toBe('uncertain');
        if (ending.to === 'discarded') expect(given.sent).toBe(false);
        if (!given.durable) expect(['uncertain', 'dead', 'discarded']).toContain(ending.to);
      }),
      { numRuns: 1_000 },
    );
  });
});
