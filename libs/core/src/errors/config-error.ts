import { SluiceError } from './sluice-error.js';

/** One thing that is wrong with what was configured. */
export interface Finding {
  /** Path of the option: `retry.maxAttempts`, `limits[0].per`. */
  readonly option: string;
  /** What it is, as shown in the message; {@link showValue} makes it from a value that is no secret. */
  readonly found: string;
  readonly expected: string;
}

/** A CONFIG error that names the provider, the option, its value and what was expected. */
export function configError(provider: string | null, option: string, value: unknown, expected: string): SluiceError {
  return configErrorOf(provider, [{ option, found: showValue(value), expected }]);
}

/** A CONFIG error of everything that was found: the first in its main sentence, the others after it. */
export function configErrorOf(provider: string | null, findings: readonly Finding[]): SluiceError {
  const whose = provider === null ? 'nestjs-sluice' : `Provider "${provider}"`;
  const [first, ...others] = findings.map(
    ({ option, found, expected }) => `${option} is ${found}; expected ${expected}.`,
  );
  const more = others.length === 0 ? '' : ` And ${others.length} more:${others.map((text) => `\n- ${text}`).join('')}`;
  return new SluiceError({ code: 'CONFIG', provider, message: `${whose}: ${first}${more}` });
}

/** A value as it may stand in a message: short, and never a function's text. */
export function showValue(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'string') return shorten(JSON.stringify(value));
  if (typeof value !== 'object' || value === null) return String(value);
  try {
    return shorten(JSON.stringify(value));
  } catch {
    return 'an object';
  }
}

function shorten(text: string): string {
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}
