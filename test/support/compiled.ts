import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Options, transform } from '@swc/core';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SWC = JSON.parse(await readFile(join(ROOT, 'test/support/swc-options.json'), 'utf8')) as Options;

/** Sources as plain JavaScript in a folder of their own: a process starts from it in half the time that it takes to compile them as it goes. */
export interface Compiled {
  /** The path of a program, by that of its source: `apps/invoice-run/src/run.ts`. */
  program(source: string): string;
  remove(): Promise<void>;
}

/** @param programs What is compiled besides the libraries and applications. */
export async function compileSources(programs: readonly string[]): Promise<Compiled> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-compiled-'));
  const sources = [...programs, ...(await sourcesOf('libs')), ...(await sourcesOf('apps'))];
  await Promise.all(sources.map((source) => compile(source, folder)));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  // The package is known by its name, as its applications know it.
  const exports = { '.': './libs/nest/src/index.js', './*': './libs/*/src/index.js' };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'nestjs-sluice', type: 'module', exports }));
  return {
    program: (source) => join(folder, source.replace(/\.ts$/, '.js')),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function sourcesOf(root: string): Promise<string[]> {
  const files = await readdir(join(ROOT, root), { recursive: true });
  return files.filter((file) => file.endsWith('.ts') && !/\.(spec|fixture)\.ts$/.test(file)).map((file) => join(root, file)); // prettier-ignore
}

async function compile(source: string, folder: string): Promise<void> {
  const { code } = await transform(await readFile(join(ROOT, source), 'utf8'), {
    ...SWC,
    filename: join(ROOT, source),
  });
  const target = join(folder, source.replace(/\.ts$/, '.js'));
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, code);
}
