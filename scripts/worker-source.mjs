// Makes the source text of the store's worker thread: its modules, compiled to CommonJS, in one text. A thread made from a text
// starts alike from dist/esm, dist/cjs, a bundle of the application's and the TypeScript sources under Jest.
//   worker-source.mjs           writes the module
//   worker-source.mjs --check   fails where it is not up to date
import { readFileSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import ts from 'typescript';

const ENTRY = 'libs/sqlite/src/worker/entry.ts';
const TARGET = 'libs/sqlite/src/generated/worker-source.ts';

const modules = new Map();

function add(path) {
  if (modules.has(path)) return;
  const { outputText } = ts.transpileModule(readFileSync(path, 'utf8'), {
    compilerOptions: {
      module: ts.ModuleKind.CommonJS,
      target: ts.ScriptTarget.ES2022,
      removeComments: true,
      esModuleInterop: true,
    },
  });
  modules.set(path, '');
  const text = outputText.replace(/require\("(\.[^"]+)\.js"\)/g, (_, relative) => {
    const target = `${posix.join(posix.dirname(path), relative)}.ts`;
    add(target);
    return `load(${JSON.stringify(target)})`;
  });
  modules.set(path, text);
}

add(ENTRY);
const outside = [...modules.keys()].filter((path) => !path.startsWith(posix.dirname(ENTRY)));
if (outside.length > 0)
  throw new Error(`The worker must import nothing but types from elsewhere: ${outside.join(', ')}`);

const source = [
  // A process that was started with --input-type=module reads the text as a module, which has no `require` of its own.
  '((require) => {',
  "'use strict';",
  'const modules = {',
  ...[...modules].sort().map(([path, text]) => `${JSON.stringify(path)}(exports, load) {\n${text}},`),
  '};',
  'const loaded = {};',
  'function load(path) {',
  '  if (loaded[path] === undefined) modules[path]((loaded[path] = {}), load);',
  '  return loaded[path];',
  '}',
  `load(${JSON.stringify(ENTRY)});`,
  "})(process.getBuiltinModule('node:module').createRequire(`${process.cwd()}/`));",
  '',
].join('\n');
const text = `/** Made by scripts/worker-source.mjs from libs/sqlite/src/worker; never edited. */\nexport const WORKER_SOURCE =\n  ${JSON.stringify(source)};\n`;

if (process.argv.includes('--check')) {
  if (readFileSync(TARGET, 'utf8') !== text) {
    console.error(`${TARGET} is not up to date: node scripts/worker-source.mjs`);
    process.exit(1);
  }
} else {
  writeFileSync(TARGET, text);
}
