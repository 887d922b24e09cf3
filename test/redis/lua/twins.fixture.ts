/** A part of the step script beside its twin in the memory engine: the same history for both, in a real Redis and here. */
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { joinLua } from '../../../scripts/step-script.mjs';
import { chanceOf, pick } from '../../gate/actors.js';

const START_US = 1_767_614_400_000_000;

/** What a method was called with, or gave. */
export type Value = number | string | boolean | null | readonly Value[] | { readonly [name: string]: Value };

/** One call of a method, and what the twin in memory gave. */
export interface Told {
  readonly method: string;
  readonly args: readonly Value[];
  readonly gave: Value;
}

/** The history of one object: told to the twin in memory as it goes, and written down. */
export class History {
  readonly told: Told[] = [];
  readonly chance: () => number;
  now = START_US;
  /** Moments that were heard of: the interesting ones are there, and a microsecond beside them. */
  private readonly moments: number[] = [];

  constructor(seed: number) {
    this.chance = chanceOf(seed);
  }

  pick<T>(from: readonly T[]): T {
    return pick(this.chance, from);
  }

  /** Writes a call down with what it gave. */
  tell<T extends Value | undefined>(method: string, args: readonly Value[], gave: T): T {
    if (typeof gave === 'number' && gave > this.now && gave < Infinity) this.moments.push(gave);
    this.told.push({ method, args, gave: gave ?? null });
    return gave;
  }

  /** A moment to come that matters to somebody. */
  mark(at: number): void {
    if (at > this.now && at < Infinity) this.moments.push(at);
  }

  /** Time goes on: by nothing, to a moment that was named or a microsecond beside it, or by some of `span`. */
  pass(span: number): number {
    const way = this.chance();
    const next = this.moments.filter((at) => at >= this.now);
    if (way < 0.3) return this.now;
    if (way < 0.65 && next.length > 0) {
      this.now = Math.max(this.now, this.pick(next) + this.pick([-1, 0, 0, 1]));
    } else this.now += Math.floor(this.chance() ** 3 * span);
    this.moments.splice(0, this.moments.length, ...next.slice(-20));
    return this.now;
  }
}

/** Runs through a history: before each call the object is packed and unpacked, as between two steps. What was not said to be changed must be as it was. */
const REPLAY = `
local function number(value)
  if value == 'inf' then return math.huge end
  return value
end
local function told(value)
  if type(value) == 'number' then return string.format('%.17g', value) end
  if type(value) ~= 'table' then return tostring(value) end
  local parts = {}
  for i = 1, #value do parts[i] = told(value[i]) end
  return '[' .. table.concat(parts, ',') .. ']'
end
local Store = require('store')
Store.open({ 'h', 'st', 'sx', 'px', 'ln', 'to', 'tn', 'wt', 'wk', 'wx', KEYS[2], 'ls', 'lx', KEYS[1], 'pl' })
local subject, saved = world.load(nil), nil
local replies = {}
for i, call in ipairs(cjson.decode(ARGV[1])) do
  local args = {}
  for j, value in ipairs(call[2]) do args[j] = number(value) end
  for j = #call[2] + 1, 8 do args[j] = nil end
  local gave, other = world.call(subject, call[1], args, #call[2])
  subject = other or subject
  replies[i] = told(gave)
  local packed = cmsgpack.pack(subject:save())
  if not subject.changed and saved ~= packed then return redis.error_reply('unsaid change by ' .. call[1] .. ' at ' .. i) end
  saved = packed
  subject = world.load(cmsgpack.unpack(packed))
end
return replies
`;

/** As the script writes a value down. */
function written(value: Value): string {
  if (value === Infinity) return 'inf';
  if (value === null) return 'nil';
  if (Array.isArray(value)) return `[${value.map(written).join(',')}]`;
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value);
}

function readNumber(text: string): string {
  return /^-?\d/.test(text) ? String(Number(text)) : text;
}

/** So that a number reads alike, however many digits it was written with. */
function normal(text: string): string {
  return text
    .split(/([[\],])/)
    .map(readNumber)
    .join('');
}

export class Twins {
  readonly redis = new Redis(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379', { lazyConnect: true });
  private readonly key = `twins:${process.pid}:{${Math.floor(performance.now() * 1000)}}`;

  async close(): Promise<void> {
    await this.redis.del(...this.keys);
    await this.redis.quit();
  }

  private get keys(): readonly string[] {
    return ['lg', 'bp'].map((name) => `${this.key}:${name}`);
  }

  /**
   * Compares what the script's part gives for each call of a history.
   *
   * @param world Lua text that fills `world.load(saved)` and `world.call(subject, method, args, count)`, which may give another subject too
   */
  async compare(world: string, { told }: History): Promise<void> {
    const calls = told.map(({ method, args }) => [method, args.map((arg) => (arg === Infinity ? 'inf' : arg))]);
    await this.redis.del(...this.keys);
    const script = joinLua(`local world = {}\n${world}\n${REPLAY}`);
    const replies = (await this.redis.eval(script, this.keys.length, ...this.keys, JSON.stringify(calls))) as string[];
    const seen = told.map(
      ({ method, args }, i) => `${i} ${method}(${args.map(written).join(', ')}) = ${normal(replies[i] ?? '')}`,
    );
    const meant = told.map(
      ({ method, args, gave }, i) => `${i} ${method}(${args.map(written).join(', ')}) = ${written(gave)}`,
    );
    const differs = meant.findIndex((line, i) => line !== seen[i]);
    if (differs < 0) return;
    const from = Math.max(0, differs - 8);
    expect(seen.slice(from, differs + 1)).toEqual(meant.slice(from, differs + 1));
  }
}

/** Histories of random seeds: the same in every run unless asked for others. */
export async function forHistories(runs: number, run: (history: History) => Promise<void>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.noShrink(fc.integer()), (seed) => run(new History(seed))),
    { numRuns: runs },
  );
}
