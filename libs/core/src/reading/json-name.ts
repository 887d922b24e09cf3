/** Names of members as JSON writes them, with escapes or without. */
import { BACKSLASH, type Codes, codeAt, QUOTE } from './json-scanner.js';

/** Whether the text that begins there (and has been gone over) says this name. `anyCase`: the name is in lower case, the text need not be. */
export function isNamed(codes: Codes, from: number, name: string, anyCase: boolean): boolean {
  let at = from + 1;
  for (let index = 0; index < name.length; index += 1) {
    if (codeAt(codes, at) === QUOTE) return false;
    const code = letterAt(codes, at);
    if ((anyCase ? lowerCase(code) : code) !== name.charCodeAt(index)) return false;
    at += codeAt(codes, at) !== BACKSLASH ? 1 : codeAt(codes, at + 1) === 0x75 ? 6 : 2;
  }
  return codeAt(codes, at) === QUOTE;
}

/** What is said there, by a character or by an escape. */
export function letterAt(codes: Codes, at: number): number {
  const code = codeAt(codes, at);
  if (code !== BACKSLASH) return code;
  const what = codeAt(codes, at + 1);
  return what === 0x75 ? hexAt(codes, at + 2) : meant(what);
}

/** The number that four digits say. */
function hexAt(codes: Codes, from: number): number {
  let number = 0;
  for (let at = from; at < from + 4; at += 1) {
    const code = codeAt(codes, at);
    number = number * 16 + (code <= 0x39 ? code - 0x30 : (code | 0x20) - 0x57);
  }
  return number;
}

export function lowerCase(code: number): number {
  return code >= 0x41 && code <= 0x5a ? code + 0x20 : code;
}

/** What a letter after a backslash stands for. */
function meant(letter: number): number {
  if (letter === 0x62) return 0x08;
  if (letter === 0x66) return 0x0c;
  if (letter === 0x6e) return 0x0a;
  if (letter === 0x72) return 0x0d;
  return letter === 0x74 ? 0x09 : letter;
}
