import { type CallOptions, durationMs, quietPromise } from '../../../core/src/index.js';
import type { ThrottledOptions } from '../decorators/throttled.options.js';

type OptionName = 'lane' | 'tenant' | 'partition' | 'units' | 'deadline' | 'safe';

const NAMES: readonly OptionName[] = ['lane', 'tenant', 'partition', 'units', 'deadline', 'safe'];

export interface OptionProblem {
  readonly option: OptionName;
  readonly error: unknown;
}

/**
 * The options of one invocation. A value that its function did not give, or that cannot be meant, is left out and reported;
 * the default then applies.
 */
export function callOptionsOf(
  options: ThrottledOptions,
  args: readonly unknown[],
  report: (problem: OptionProblem, known: CallOptions) => void,
): CallOptions {
  const result: Partial<Record<OptionName, unknown>> = {};
  for (const option of NAMES) {
    const given: unknown = options[option];
    if (given === undefined) continue;
    if (typeof given !== 'function') {
      result[option] = given;
      continue;
    }
    try {
      const value: unknown = given(...args);
      refuseLate(option, value);
      if (isMeant[option](value)) result[option] = value;
      else if (value !== undefined || option === 'partition') throw new TypeError(`${option} gave no usable value`);
    } catch (error) {
      report({ option, error }, result as CallOptions);
    }
  }
  return result as CallOptions;
}

const isMeant: Record<OptionName, (value: unknown) => boolean> = {
  // Whether there is such a lane is judged with all others: a name that is none is a fault of the program, not of the moment.
  lane: (value) => typeof value === 'string' && value !== '',
  tenant: (value) => typeof value === 'string' && value !== '',
  partition: (value) => isRecordOf(value, (v) => typeof v === 'string' && v !== ''),
  units: (value) => isRecordOf(value, (v) => typeof v === 'number' && v >= 0 && v < Infinity),
  deadline: (value) => durationMs(value) !== null,
  safe: (value) => typeof value === 'boolean',
};

/** Lists and maps have no values by name, though they may look as if they had none at all. */
function isRecordOf(value: unknown, each: (value: unknown) => boolean): boolean {
  if (typeof value !== 'object' || value === null || Symbol.iterator in value) return false;
  return Object.values(value).every(each);
}

/** @throws TypeError where a promise was given. */
export function refuseLate(what: string, given: unknown): void {
  if (quietPromise(given)) throw new TypeError(`${what} gave a promise; it must answer at once`);
}
