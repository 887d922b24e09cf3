import type { SimulatedLimit } from './limits/options.js';
import type { SimulatorOptions } from './options.js';
import type { Script } from './script.js';

/** A key of each, so that an option which is added without it does not compile. */
const OPTIONS: Record<keyof SimulatorOptions, true> = {
  limits: true,
  routes: true,
  latencyMs: true,
  refusal: true,
  quotaHeaders: true,
  quotaBody: true,
  idempotency: true,
  others: true,
  faults: true,
  script: true,
  afterDisconnect: true,
  random: true,
};

type FieldsOf<Kind extends SimulatedLimit['kind']> = readonly Exclude<
  keyof Extract<SimulatedLimit, { kind: Kind }>,
  keyof typeof COMMON
>[];

const COMMON = {
  kind: true,
  name: true,
  partition: true,
  applies: true,
  cost: true,
  actualCost: true,
  penaltyMs: true,
  refusedCalls: true,
};

/** What each kind of limit has beside the fields of all. */
const KINDS: { readonly [Kind in SimulatedLimit['kind']]: FieldsOf<Kind> } = {
  'token-bucket': ['burst', 'limit', 'perMs'],
  'sliding-window': ['limit', 'perMs'],
  'fixed-window': ['limit', 'perMs', 'align'],
  concurrency: ['limit'],
  quota: ['limit', 'per'],
};

const FIGURES: readonly string[] = ['burst', 'limit', 'perMs'];

/** A simulated provider that limits nothing for a slip of the pen makes tests that cannot fail. */
export function checkOptions(options: SimulatorOptions): void {
  for (const key of Object.keys(options)) {
    if (!Object.hasOwn(OPTIONS, key)) {
      throw new TypeError(`ProviderSimulator has no option "${key}"; it has ${Object.keys(OPTIONS).join(', ')}.`);
    }
  }
  for (const [index, limit] of (options.limits ?? []).entries()) {
    const place = `ProviderSimulator: limits[${index}]`;
    if (!Object.hasOwn(KINDS, limit.kind)) {
      throw new TypeError(
        `${place}.kind is "${String(limit.kind)}"; expected one of ${Object.keys(KINDS).join(', ')}.`,
      );
    }
    checkLimit(limit, place);
  }
}

function checkLimit(limit: SimulatedLimit, place: string): void {
  const fields: readonly string[] = KINDS[limit.kind];
  for (const key of Object.keys(limit)) {
    if (Object.hasOwn(COMMON, key) || fields.includes(key)) continue;
    throw new TypeError(`${place} is a ${limit.kind} and has no "${key}"; it has ${fields.join(', ')}.`);
  }
  for (const key of fields.filter((field) => FIGURES.includes(field))) {
    const value: unknown = (limit as unknown as Record<string, unknown>)[key];
    if (Number.isInteger(value) && (value as number) >= 0) continue;
    throw new TypeError(`${place}.${key} is ${String(value)}; expected a whole number of at least 0.`);
  }
}

/** @throws TypeError on what is no script, such as one step without a list around it. */
export function checkedScript(given: Script): Script {
  if (typeof (given as Partial<Script> | null | undefined)?.next === 'function') return given;
  throw new TypeError('play() takes a list of steps, or a script: play([answer(400)]), play(forever(503)).');
}
