// Builds the package twice from one source: ESM for `import` (and `require` on Node >= 20.19), CommonJS for loaders that cannot require ESM.
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';

execFileSync(process.execPath, ['scripts/worker-source.mjs'], { stdio: 'inherit' });
for (const [config, dir, type] of [
  ['tsconfig.build.json', 'esm', 'module'],
  ['tsconfig.build.cjs.json', 'cjs', 'commonjs'],
]) {
  rmSync(`dist/${dir}`, { recursive: true, force: true });
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', config], { stdio: 'inherit' });
  writeFileSync(`dist/${dir}/package.json`, JSON.stringify({ type }) + '\n');
}
