import type { ThrottledOptions } from '../decorators/throttled.options.js';
import { callOptionsOf, type OptionProblem } from './call-options.js';

function read(options: ThrottledOptions, ...args: unknown[]): { given: unknown; problems: string[] } {
  const problems: OptionProblem[] = [];
  const given = callOptionsOf(options, args, (problem) => problems.push(problem));
  return { given, problems: problems.map(({ option }) => option) };
}

const fails = (): never => {
  throw new Error('secret');
};

test('values are taken as they are, functions are given the arguments', () => {
  const options: ThrottledOptions = {
    lane: 'interactive',
    tenant: (id: string) => id,
    partition: (_id: string, user: string) => ({ user }),
    units: () => ({ requests: 2 }),
    deadline: () => '5s',
    safe: () => true,
  };
  expect(read(options, 'acme', '7')).toEqual({
    given: {
      lane: 'interactive',
      tenant: 'acme',
      partition: { user: '7' },
      units: { requests: 2 },
      deadline: '5s',
      safe: true,
    },
    problems: [],
  });
});

test('a function that gives undefined says nothing, and that is no problem, but for the partition', () => {
  const nothing = (): undefined => undefined;
  const options = { lane: nothing, tenant: nothing, units: nothing, deadline: nothing, safe: nothing };
  expect(read(options)).toEqual({ given: {}, problems: [] });
  expect(read({ partition: nothing as never })).toEqual({ given: {}, problems: ['partition'] });
});

test.each<[keyof ThrottledOptions, unknown]>([
  ['lane', ''],
  ['tenant', ''],
  ['tenant', 7],
  ['partition', { user: 7 }],
  ['partition', ['7']],
  ['units', { requests: -1 }],
  ['units', { requests: Number.NaN }],
  ['deadline', '5 parsecs'],
  ['deadline', -1],
  ['safe', 'yes'],
])('law 13: a function of %s that gives %j is reported, and the default applies', (option, value) => {
  expect(read({ [option]: () => value })).toEqual({ given: {}, problems: [option] });
});

test('law 13: a function that throws is reported, and the others still count', () => {
  expect(
    read({ lane: fails, tenant: fails, units: fails, deadline: fails, safe: fails, partition: () => ({}) }),
  ).toEqual({
    given: { partition: {} },
    problems: ['lane', 'tenant', 'units', 'deadline', 'safe'],
  });
});

describe('law 13: a function that gives a promise, which nobody waits for,', () => {
  const late = (async () => ({ account: '7' })) as never;
  const options: ThrottledOptions = {
    lane: late,
    tenant: late,
    partition: late,
    units: late,
    deadline: late,
    safe: late,
  };

  test('is reported, whatever it is for', () => {
    expect(read(options)).toEqual({
      given: {},
      problems: ['lane', 'tenant', 'partition', 'units', 'deadline', 'safe'],
    });
  });

  test('ends no process where the promise fails', () => {
    const promises: Promise<never>[] = [];
    const handled: boolean[] = [];
    const failing = (() => {
      const promise = Promise.reject<never>(new Error('secret'));
      const at = promises.push(promise) - 1;
      handled[at] = false;
      promise.catch = (hear) => {
        handled[at] = true;
        return Promise.prototype.catch.call(promise, hear) as Promise<never>;
      };
      return promise;
    }) as never;
    read({ lane: failing, tenant: failing, partition: failing, units: failing, deadline: failing, safe: failing });
    expect(handled).toEqual(Array.from({ length: 6 }, () => true));
  });
});

test.each([new Map([['account', '7']]), new Set(['7'])])('%p tells no values by dimension', (partition) => {
  expect(read({ partition: () => partition as never })).toEqual({ given: {}, problems: ['partition'] });
});
