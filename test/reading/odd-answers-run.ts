/** Puts odd answers to the contracts of the catalogue and to the generic one, as the pipeline would. */
import type { ProviderContract } from '../../libs/core/src/index.js';
import { judge } from '../../libs/core/src/pipeline/judge.js';
import { CATALOGUE } from '../../libs/providers/src/catalogue.js';
import { genericProvider } from '../../libs/providers/src/index.js';
import { providerFrom } from '../../libs/providers/src/provider-from.js';
import { SeededRandom } from '../../libs/testing/src/index.js';
import { faultIn, OddAnswers } from './odd-answers.js';

const view = { method: 'GET', path: '/', query: {}, headers: {}, body: undefined, route: null };
const request = { view, safety: 'safe', units: { requests: 1 } } as const;
const STANDARD = new Set(['retry-after', 'ratelimit', 'ratelimit-reset']);

export interface OddRun {
  readonly seed: number;
  readonly answers: number;
  readonly longest: number;
}

/** The first fault, with what repeats it; null = none. Answer number n is read by every contract in turn. */
export function oddAnswersFault({ seed, answers, longest }: OddRun): string | null {
  const generic = genericProvider();
  const contracts = [generic, ...CATALOGUE.map((profile) => providerFrom(profile)({}))];
  const random = new SeededRandom(seed);
  const odd = new OddAnswers(() => random.next(), longest);
  for (let n = 0; n < answers; n += 1) {
    const contract = contracts[n % contracts.length]!;
    const answer = odd.next();
    const fault = faultOf(contract, answer, contract === generic);
    if (fault !== null) {
      const shown = JSON.stringify(answer.headers).slice(0, 500);
      return `${contract.name}, answer ${n} of seed ${seed}: ${fault}; status ${answer.status}, headers ${shown}`;
    }
  }
  return null;
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
  { status, headers, body, receivedAt }: ReturnType<OddAnswers['next']>,
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
