/** One chunk that runs `main`, Lua text that may `require` the parts of `folder`. */
export function joinLua(main: string, folder?: string): string;
/** The text of the generated module. */
export function stepModule(): string;
