import type { SimulatedAnswer } from './answer.js';

/** The bytes of an answer's body as text; in pieces or whole. */
export function bodyText(answer: SimulatedAnswer): string {
  if (answer.parts !== undefined) return answer.parts.map(({ text }) => text).join('');
  if (answer.body === undefined) return '';
  return typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
}
