// Makes the text of the shared gate's script: its Lua parts, joined into one chunk. A part asks for another by
// `local Bucket = require('books/bucket')`, as anywhere in Lua; Redis has no `require`, so the chunk brings its own, which
// runs a part when it is first asked for: a step pays only for the parts that it uses.
//   step-script.mjs           writes the module
//   step-script.mjs --check   fails where it is not up to date
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = 'libs/redis/src/lua';
const ENTRY = 'step';
const TARGET = 'libs/redis/src/generated/step-script.ts';

/**
 * One chunk that runs `main`, Lua text that may `require` the parts of `folder`.
 *
 * @param {string} main
 * @param {string} [folder]
 */
export function joinLua(main, folder = FOLDER) {
  const parts = new Map();
  const add = (text) => {
    for (const [, name] of text.matchAll(/\brequire\('([^']+)'\)/g)) {
      if (parts.has(name)) continue;
      parts.set(name, '');
      const own = stripped(readFileSync(`${folder}/${name}.lua`, 'utf8'));
      parts.set(name, own);
      add(own);
    }
  };
  add(main);
  return [
    // Lua 5.4, which some who speak Redis' protocol have, keeps it elsewhere.
    'local unpack = unpack or table.unpack',
    'local loaded, run = {}, nil',
    'local function require(name)',
    'local part = loaded[name]',
    'if part == nil then',
    'part = run(name)',
    'loaded[name] = part',
    'end',
    'return part',
    'end',
    // Not a table of functions: each step would make all of them anew, and most parts are not asked for.
    'run = function(name)',
    ...[...parts].map(([name, text]) => `if name == '${name}' then return (function()\n${text}\nend)() end`),
    'end',
    stripped(main),
    '',
  ].join('\n');
}

/** Without indentation, blank lines and comments on lines of their own. */
function stripped(text) {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '' && !line.startsWith('--')).join('\n');
}

/** The text of the generated module. */
export function stepModule() {
  const source = joinLua(`return require('${ENTRY}')`);
  return `/** Made by scripts/step-script.mjs from ${FOLDER}; never edited. */\nexport const STEP_PARTS =\n  ${JSON.stringify(source)};\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = stepModule();
  if (!process.argv.includes('--check')) writeFileSync(TARGET, text);
  else if (readFileSync(TARGET, 'utf8') !== text) {
    console.error(`${TARGET} is not up to date: node scripts/step-script.mjs`);
    process.exit(1);
  }
}
