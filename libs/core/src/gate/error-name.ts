/** What may be told of a foreign error: its class and code, never its message, which may hold an address or a credential. */
export function errorNameOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? `${error.name} ${code}` : error.name;
}
