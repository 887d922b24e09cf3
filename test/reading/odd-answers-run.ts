/** Puts odd answers to the contracts of the catalogue and to the generic one, as the pipeline would. */
import { type ProviderContract, readAnswer } from '../../libs/core/src/index.js';
import { judge } from '../../libs/core/src/pipeline/judge.js';
import { CATALOGUE } from '../../libs/providers/src/catalogue.js';
import { genericProvider } from '../../libs/providers/src/index.js';
import { providerFrom } from '../../libs/providers/src/provider-from.js';
import { SeededRandom } from '../../libs/testing/src/index.js';
import { faultIn, OddAnswers } from './odd-answers.js';

type OddAnswer = ReturnType<OddAnswers['next']>;

const view = { method: 'GET', path: '/', query: {}, headers: {}, body: undefined, route: null };
const request = { view, safety: 'safe', units: { requests: 1 } } as const;
const STANDARD = new Set(['retry-after', 'ratelimit', 'ratelimit-reset']);

export interface OddRun {
  readonly seed: number;
  readonly answers: number;
  readonly longest: number;
  /** No answer may take longer to read, in ms of this process. Default: nobody measures. */
  readonly withinMs?: number;
}

/** The generic contract, and those of the catalogue. */
export function contractsRead(): readonly ProviderContract[] {
  return [genericProvider(), ...CATALOGUE.map((profile) => providerFrom(profile)({}))];
}

/** The first fault, with what repeats it; null = none. Answer number n is read by every contract in turn. */
export function oddAnswersFault({ seed, answers, longest, withinMs = Infinity }: OddRun): string | null {
  const contracts = contractsRead();
  const [generic] = contracts;
  const random = new SeededRandom(seed);
  const odd = new OddAnswers(() => random.next(), longest);
  for (let n = 0; n < answers; n += 1) {
    const contract = contracts[n % contracts.length]!;
    const answer = odd.next();
    const fault = faultOf(contract, answer, contract === generic) ?? slowness(contract, answer, withinMs);
    if (fault !== null) {
      const shown = JSON.stringify(answer.headers).slice(0, 500);
      return `${contract.name}, answer ${n} of seed ${seed}: ${fault}; status ${answer.status}, headers ${shown}`;
    }
  }
  return null;
}

/** Of an answer that seems slow the quickest of many readings counts: others use the machine too, and code is compiled at first. */
function slowness(contract: ProviderContract, answer: OddAnswer, withinMs: number): string | null {
  // How long a function of the contract takes is its own affair.
  if (withinMs === Infinity || contract.resolved.reading.classify !== undefined) return null;
  let quickest = Infinity;
  for (let times = 0; times < 30; times += 1) {
    const began = performance.now();
    readAnswer(contract, answer);
    quickest = Math.min(quickest, performance.now() - began);
    if (quickest <= withinMs) return null;
  }
  return `it takes ${quickest} ms to read ${shown(answer.body).slice(0, 200)}`;
}

/** What the contract says of a body as an object, and what of the same body as a text, if these are not the same. */
export function textFault(contract: ProviderContract, answer: OddAnswer): string | null {
  const text = typeof answer.body === 'object' ? JSON.stringify(answer.body) : String(answer.body);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof body !== 'object') return null;
  const [parsed, written] = [body, text].map((each) => JSON.stringify(readAnswer(contract, { ...answer, body: each })));
  return parsed === written ? null : `${text} is read as ${written}, its object as ${parsed}`;
}

/** It has a defined unit, or names one itself, as a date or a duration does. */
function isDefined([name, value]: [string, unknown]): boolean {
  const lower = name.toLowerCase();
  return STANDARD.has(lower) || (lower.endsWith('-reset') && /[a-zµ]/i.test([value].flat(9).map(shown).join(' ')));
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function faultOf(
  contract: ProviderContract,
  { status, headers, body, receivedAt }: OddAnswer,
  isGeneric: boolean,
): string | null {
  // A function of the contract that fails is reported and survived; its own specs are to judge it.
  const report = { guess: () => undefined, hookFailed: () => undefined };
  try {
    const end = { result: { type: 'answered', status, headers, body, value: null }, cut: null } as never;
    const { reading, hintMs, settlement } = judge(contract, request, end, receivedAt.getTime(), report);
    if (reading === null) return 'it was not read';
    const fault = faultIn(reading);
    if (fault !== null) return fault;
    const waits = [hintMs, settlement.refusal?.waitMs ?? null, ...settlement.seen.map(({ resetInMs }) => resetInMs)];
    for (const wait of waits) if (wait !== null && !(wait >= 0 && wait < Infinity)) return `a wait is ${wait}`;
    const { maxHintMs } = contract.resolved.pause;
    const longest = Math.max(0, hintMs ?? 0, settlement.refusal?.waitMs ?? 0);
    if (longest > maxHintMs) return `it would be waited for ${longest} ms`;
    if (isGeneric && longest > 60_000 && !Object.entries(headers).some(isDefined))
      return `a guess would be waited for ${longest} ms`;
    return null;
  } catch (error) {
    return `it throws ${String((error as Error)?.stack)}`;
  }
}
