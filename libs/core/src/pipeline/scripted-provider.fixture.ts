import type { Clock } from '../time/clock.js';
import type { AttemptContext, AttemptResult } from './call.js';

/** What a scripted provider saw: the ground truth of a test. */
export interface Arrival {
  readonly t: number;
  readonly name: string;
  readonly number: number;
  readonly headers: Readonly<Record<string, string>>;
}

interface Step {
  /** Time on the wire before the answer. */
  readonly afterMs: number;
  readonly what:
    | { readonly status: number; readonly headers: Record<string, string>; readonly body?: unknown }
    | 'reset'
    | 'hang'
    | 'refused';
}

const STEP = /^(?:slow\((\d+)\)\s*)?(?:(\d{3})(?:\(([^)]*)\))?|(reset|hang|refused))?(?:\s*x(\d+))?$/;

/** A time that is never over in a test. */
const FOREVER = 10_000;

/**
 * `429(retry-after: 1) x3, slow(600) 503, reset, hang, refused, 200`: what the provider answers, in order. `reset` comes
 * after the request was sent, `refused` before. The last step goes on for ever where it ends in `...`.
 */
export function parseScript(text: string): readonly Step[] {
  const endless = text.trim().endsWith('...');
  const parts = text
    .replace(/\.\.\.\s*$/, '')
    .split(/,(?![^(]*\))/)
    .map((part) => part.trim());
  return parts.flatMap((part, index) => {
    const match = STEP.exec(part);
    if (match === null) throw new Error(`No step of a script: "${part}"`);
    const [, slow, status, fields, word, times] = match;
    const what =
      status === undefined && word === undefined
        ? { status: 200, headers: {} }
        : status === undefined
          ? (word as 'reset' | 'hang' | 'refused')
          : { status: Number(status), headers: headersOf(fields) };
    const count = endless && index === parts.length - 1 ? FOREVER : Number(times ?? 1);
    return Array.from({ length: count }, () => ({ afterMs: Number(slow ?? 0), what }));
  });
}

function headersOf(text: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const field of (text ?? '').split(';')) {
    const colon = field.indexOf(':');
    if (colon > 0) headers[field.slice(0, colon).trim()] = field.slice(colon + 1).trim();
  }
  return headers;
}

/** A provider that plays a script and writes down who came when. It hears of aborted requests as a socket would. */
export class ScriptedProvider {
  readonly log: Arrival[] = [];
  /** Requests whose sender was aborted before the answer. */
  torn = 0;
  private readonly steps: Step[];

  constructor(
    private readonly clock: Clock,
    script: string | readonly Step[],
  ) {
    this.steps = [...(typeof script === 'string' ? parseScript(script) : script)];
  }

  /** Moments of the arrivals, rounded to the microsecond that the gate counts in. */
  get times(): number[] {
    return this.log.map(({ t }) => Math.round(t));
  }

  /** The sender of one call, under a name for the log. */
  sender(name = 'call'): (context: AttemptContext) => Promise<AttemptResult> {
    return (context) => {
      const step = this.steps.shift();
      if (step?.what === 'refused') return Promise.resolve(failed(false, 'ECONNREFUSED'));
      this.log.push({ t: this.clock.monoMs(), name, number: context.number, headers: context.headers });
      if (step === undefined) throw new Error(`The script is over, and ${name} was sent all the same.`);
      return this.play(step, context.signal);
    };
  }

  private play(step: Step, signal: AbortSignal): Promise<AttemptResult> {
    return new Promise((resolve) => {
      const onAbort = (): void => {
        cancel();
        this.torn += 1;
        resolve(failed(true, 'ERR_CANCELED'));
      };
      signal.addEventListener('abort', onAbort, { once: true });
      const answer = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve(typeof step.what === 'string' ? failed(true, 'ECONNRESET') : answered(step.what));
      };
      let cancel = (): void => undefined;
      if (step.what === 'hang') return;
      if (step.afterMs === 0) answer();
      else cancel = this.clock.schedule(step.afterMs, answer);
    });
  }
}

export function answered(what: {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}): AttemptResult {
  const { status, headers = {}, body } = what;
  return { type: 'answered', status, headers, body, value: `answer ${status}` };
}

export function failed(sent: boolean, code: string): AttemptResult {
  return { type: 'failed', sent, code, error: Object.assign(new Error(code), { code }) };
}
