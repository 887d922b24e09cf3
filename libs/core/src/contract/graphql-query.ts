import type { RequestView } from './options.js';

/** Documents longer than this are not read: they count as writes. */
const MAX_DOCUMENT = 100_000;

type OperationType = 'query' | 'mutation' | 'subscription';

interface Operation {
  readonly type: OperationType;
  readonly name: string | null;
}

/**
 * Whether the GraphQL document in a request's body certainly selects a query. Anything else (a batch with one mutation, a
 * stored document known by its hash only, text that cannot be read) is taken for a write.
 */
export function selectsQuery(request: RequestView): boolean {
  // Some servers let the address override the body.
  if ('query' in request.query || 'operationName' in request.query) return false;
  const body = typeof request.body === 'string' ? parseJson(request.body) : request.body;
  return Array.isArray(body) ? body.length > 0 && body.every(isQuery) : isQuery(body);
}

function parseJson(text: string): unknown {
  if (text.length > 2 * MAX_DOCUMENT) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isQuery(payload: unknown): boolean {
  if (typeof payload !== 'object' || payload === null) return false;
  const { query, operationName } = payload as { readonly query?: unknown; readonly operationName?: unknown };
  if (typeof query !== 'string' || query.length > MAX_DOCUMENT) return false;
  const operations = operationsOf(query);
  if (operations === null || operations.length === 0) return false;
  if (operations.every(({ type }) => type === 'query')) return true;
  if (typeof operationName !== 'string' || operationName === '') return false;
  const named = operations.filter(({ name }) => name === operationName);
  return named.length === 1 && named[0]!.type === 'query';
}

/** One token: insignificant text, a block string, a string, a name or number, or a mark. */
const TOKEN =
  /(?<skip>[\s,\uFEFF]+|#[^\n\r]*)|(?<string>"""(?:\\"""|[^"\\]|"(?!"")|\\(?!"""))*"""|"(?!"")(?:\\.|[^"\\\n\r])*")|(?<word>[-+\w.]+)|(?<mark>[!$&():=@[\]{|}])/y;

const OPENING = '([{';
const CLOSING = ')]}';

/** The operations of an executable document; null where the text is not certainly one. */
function operationsOf(document: string): readonly Operation[] | null {
  const operations: Operation[] = [];
  const open: string[] = [];
  /** What stands before the braces of the definition that is being read. */
  let head: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < document.length) {
    const groups = TOKEN.exec(document)?.groups;
    if (groups === undefined) return null;
    const { word, mark, string } = groups;
    if (open.length === 0 && string !== undefined) return null;
    if (word !== undefined && open.length === 0) head.push(word);
    if (mark === undefined) continue;
    if (OPENING.includes(mark)) {
      if (mark === '[' && open.length === 0) return null;
      open.push(mark);
      continue;
    }
    if (!CLOSING.includes(mark)) {
      if (open.length === 0 && mark !== '@') return null;
      if (open.length === 0) head.push(mark);
      continue;
    }
    if (open.pop() !== OPENING[CLOSING.indexOf(mark)]) return null;
    if (open.length > 0 || mark !== '}') continue;
    const definition = definitionOf(head);
    if (definition === null) return null;
    if (definition !== 'fragment') operations.push(definition);
    head = [];
  }
  return open.length === 0 && head.length === 0 ? operations : null;
}

/** Reads what stands before a definition's braces: nothing, a keyword and a name, directives (their arguments are left out). */
function definitionOf(head: readonly string[]): Operation | 'fragment' | null {
  const [keyword, name] = head;
  if (keyword === undefined) return { type: 'query', name: null };
  if (keyword === 'fragment') return 'fragment';
  if (keyword !== 'query' && keyword !== 'mutation' && keyword !== 'subscription') return null;
  return { type: keyword, name: name === undefined || name === '@' ? null : name };
}
