/** Takes credentials out of text that was written by others: messages and bodies of answers. Linear in the text's length. */

const GONE = '[redacted]';

/** What the name of a field, header or parameter holds whose value is a secret. */
const SECRET_WORD =
  /authori[sz]ation|passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|cookie|session|signature|otp\b|x-auth/i;

/** Headers whose whole line is the secret. */
const LINE = /^(?:set-)?cookie$|^(?:proxy-)?authori[sz]ation$/i;

/** What is a credential by its own shape. Every repetition is bounded, so that no text makes them slow. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  // user:password@ of a URL
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#@]{1,500}@/gi, `$1${GONE}@`],
  [/\b(bearer|basic|digest|negotiate|apikey|token)\s{1,4}(?=[\w+/~.=-]{0,4000}[\d.=_-])[\w+/~.=-]{8,}/gi, `$1 ${GONE}`],
  // JSON Web Tokens, and the prefixes that well-known issuers give their keys
  [/\beyJ[\w-]{8,4000}\.[\w-]{1,8000}(?:\.[\w-]{0,4000})?/g, GONE],
  [
    /\b(?:sk|pk|rk|whsec|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abeoprs]|shp(?:at|ca|pa|ss)|AKIA|ASIA|AIza|ya29\.)[_-]?[A-Za-z0-9_-]{12,}/g,
    GONE,
  ],
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, GONE],
];

/** Whether what has this name is a credential, or part of one. */
function isSecretName(name: string): boolean {
  return SECRET_WORD.test(name) || /^(?:www|proxy)-authenticate$|^authentication-info$/i.test(name);
}

/** Headers of an answer that may be kept: no cookies, no credentials, nothing but plain values. */
export function harmlessHeaders(headers: object | undefined): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(headers ?? {}).filter(
      ([name, value]) => !isSecretName(name) && (typeof value !== 'object' || Array.isArray(value)),
    ),
  );
}

/** The text without what looks like a credential. What a provider calls by no known name cannot be told from other text. */
export function redact(text: string): string {
  const shaped = SHAPES.reduce((left, [pattern, replacement]) => left.replace(pattern, replacement), text);
  return redactElements(redactFields(shaped));
}

/** `"name": value`, `name: value`, `name=value`, also inside a JSON text that is itself a field of JSON. */
function redactFields(text: string): string {
  const field = /(?<![\w.-])([A-Za-z_][\w.-]{0,63})(\\{0,7}["']?\s{0,8}[:=]\s{0,8})/g;
  let left = '';
  let at = 0;
  for (let match = field.exec(text); match !== null; match = field.exec(text)) {
    const [whole, name] = match;
    if (!SECRET_WORD.test(name!)) continue;
    const from = match.index + whole.length;
    const [start, end] = valueAt(text, from, LINE.test(name!));
    if (start === end) continue;
    left += text.slice(at, start) + GONE;
    at = end;
    field.lastIndex = Math.max(end, from);
  }
  return left + text.slice(at);
}

/** From where to where the value is that begins here, its quotes left out. */
function valueAt(text: string, from: number, wholeLine: boolean): readonly [number, number] {
  const quote = /\\{0,7}["']/y;
  quote.lastIndex = from;
  const opening = quote.exec(text)?.[0];
  if (opening === undefined) {
    const plain = wholeLine ? /[^\r\n"']*/y : /[^\s&;,"'<>{}[\]\\]*/y;
    plain.lastIndex = from;
    return [from, from + plain.exec(text)![0].length];
  }
  const start = from + opening.length;
  for (let end = text.indexOf(opening, start); end !== -1; end = text.indexOf(opening, end + 1)) {
    // One behind more backslashes is part of the value.
    if (text[end - 1] !== '\\' || end === start) return [start, end];
  }
  return [start, text.length];
}

/** `<name>value</name>` */
function redactElements(text: string): string {
  return text.replace(/<([\w.:-]{1,64})((?:\s[^<>]{0,200})?>)[^<]+/g, (whole, name: string, rest: string) =>
    SECRET_WORD.test(name) ? `<${name}${rest}${GONE}` : whole,
  );
}
