import { answer, hang, reset, type Script, type ScriptStep, slow } from 'nestjs-sluice/testing';

const STEP = /^(?:slow\((\d+)\)\s*)?(?:(\d{3})(?:\(([^)]*)\))?|(reset|hang))?(?:\s*x(\d+))?$/;

/**
 * What the provider answers, in the notation of the cases: `429(retry-after: 1) x3, slow(600) 503, reset, hang, 200`.
 * Two headers of one answer stand apart by a semicolon; a last step that ends in `...` goes on for ever.
 */
export function S(text: string): Script {
  const endless = text.endsWith('...');
  const steps = text
    .replace(/\.\.\.$/, '')
    .split(/,(?![^(]*\))/)
    .flatMap((part) => stepsOf(part.trim()));
  let taken = 0;
  return {
    next() {
      const step = steps[taken] ?? (endless ? steps.at(-1) : undefined);
      taken += 1;
      if (step === undefined) return null;
      return typeof step === 'number' ? (step === 200 ? {} : answer(step)) : step;
    },
  };
}

function stepsOf(part: string): ScriptStep[] {
  const found = STEP.exec(part);
  if (found === null || part === '') throw new Error(`"${part}" is no step of a script.`);
  const [, slowMs, status, headers, word, times = '1'] = found;
  const inner: ScriptStep =
    word === 'hang'
      ? hang
      : word === 'reset'
        ? reset
        : headers === undefined
          ? Number(status ?? 200)
          : told(status, headers);
  const step = slowMs === undefined ? inner : slow(Number(slowMs), inner);
  return Array.from({ length: Number(times) }, () => step);
}

function told(status: string | undefined, headers: string): ScriptStep {
  const lines = headers.split(';').map((line) => {
    const [name = '', ...value] = line.split(':');
    return [name.trim(), value.join(':').trim()] as const;
  });
  return answer(Number(status), Object.fromEntries(lines));
}
