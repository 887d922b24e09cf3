import { createHash } from 'node:crypto';
import type { Library } from './functions.js';

/** A Lua script and the name by which Redis knows it. */
export class Script {
  readonly digest: string;

  /** @param library the same as a function of Redis; null = it is too small to gain by that */
  constructor(
    readonly source: string,
    readonly library: Library | null = null,
  ) {
    this.digest = createHash('sha1').update(source).digest('hex');
  }
}

/**
 * A script of parts that are built when they are first asked for.
 *
 * @param parts text that gives a function of KEYS and ARGV
 */
export function scriptOf(name: string, parts: string): Script {
  const script = `return (function()\n${parts}\nend)()(KEYS, ARGV)\n`;
  const own = `${name}_${createHash('sha1').update(parts).digest('hex').slice(0, 16)}`;
  const source = [
    `#!lua name=${own}`,
    'local main',
    // What a script may use is not there yet when its library is loaded.
    `local function build()\n${parts}\nend`,
    `redis.register_function('${own}', function(keys, args)`,
    'main = main or build()',
    'return main(keys, args)',
    'end)',
  ].join('\n');
  return new Script(script, { name: own, source });
}
