import fc from 'fast-check';
import {
  canBeginAgain,
  canMove,
  DEAD_CAUSES,
  isFinal,
  isHeld,
  OPERATION_STATES,
  type OperationState,
  TRANSITIONS,
  type TransitionCause,
} from './states.js';

const from = (state: OperationState | null) => TRANSITIONS.filter((move) => move.from === state);

/** Random histories: from creation, any legal move after the other. */
const histories = fc.array(fc.nat(), { minLength: 1, maxLength: 40 }).map((picks) => {
  const history: { state: OperationState; cause: TransitionCause }[] = [];
  let state: OperationState | null = null;
  for (const pick of picks) {
    const moves: { to: OperationState; cause: TransitionCause }[] = from(state).flatMap(({ to, causes }) =>
      causes.map((cause) => ({ to, cause })),
    );
    const move = moves[pick % Math.max(1, moves.length)];
    if (move === undefined) break;
    state = move.to;
    history.push({ state, cause: move.cause });
  }
  return history;
});

const OPERATORS = ['redriven', 'discarded', 'resolved'];

describe('the states of an operation', () => {
  it('law 8: from every state some way leads to an end, without any operator but for what no check can tell', () => {
    for (const start of OPERATION_STATES) {
      const seen = new Set<OperationState>([start]);
      for (const state of seen) {
        if (isFinal(state)) continue;
        for (const { to, causes } of from(state)) {
          if (causes.some((cause) => !OPERATORS.includes(cause))) seen.add(to);
        }
      }
      expect([...seen].some(isFinal)).toBe(true);
    }
  });

  it('law 8: done is never left, what was not sent only to begin again, and dead only by who asks for it or an operator', () => {
    expect(from('done')).toEqual([]);
    expect(from('discarded').flatMap(({ causes }) => causes)).toEqual(['redriven', 'redriven']);
    expect(canBeginAgain('discarded', 'not-sent')).toBe(true);
    for (const cause of ['discarded', 'redriven'] as const) expect(canBeginAgain('discarded', cause)).toBe(false);
    expect(
      from('dead')
        .flatMap(({ causes }) => causes)
        .every((cause) => OPERATORS.includes(cause)),
    ).toBe(true);
  });

  it('law 7: what is uncertain is never run before it was absent twice, or an operator drove it', () => {
    fc.assert(
      fc.property(histories, (history) => {
        let uncertain = false;
        for (const { state, cause } of history) {
          if (cause === 'absent-twice' || cause === 'redriven') uncertain = false;
          if (state === 'uncertain') uncertain = true;
          if (uncertain) expect(['uncertain', 'reconciling', 'done', 'dead', 'discarded']).toContain(state);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('nothing is held but what was begun, claimed or driven again', () => {
    for (const { to, causes } of TRANSITIONS.filter((move) => isHeld(move.to))) {
      expect([to, causes.filter((cause) => !['started', 'claimed', 'redriven'].includes(cause))]).toEqual([to, []]);
    }
  });

  it('the shutdown of a worker and the end of a lease have a way out of every held state', () => {
    for (const state of OPERATION_STATES.filter(isHeld)) {
      for (const cause of ['given-back', 'lease-expired'] as const) {
        expect(OPERATION_STATES.some((to) => canMove(state, to, cause))).toBe(true);
      }
    }
  });

  it('every cause of death kills something, and no move is named twice', () => {
    const toDead = TRANSITIONS.filter(({ to }) => to === 'dead').flatMap(({ causes }) => causes);
    expect([...new Set(toDead)].sort()).toEqual([...DEAD_CAUSES].sort());
    const names = TRANSITIONS.map((move) => `${move.from}>${move.to}`);
    expect(new Set(names).size).toBe(names.length);
    for (const { causes } of TRANSITIONS) expect(new Set(causes).size).toBe(causes.length);
  });

  it('a move that is not in the table is not legal', () => {
    const legal = OPERATION_STATES.flatMap((a) => OPERATION_STATES.map((b) => [a, b] as const)).filter(([a, b]) =>
      canMove(a, b, 'claimed'),
    );
    expect(legal).toEqual([
      ['queued', 'running'],
      ['waiting', 'running'],
      ['uncertain', 'reconciling'],
    ]);
    expect(canMove(null, 'done', 'completed')).toBe(false);
  });
});
