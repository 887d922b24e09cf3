// Prints the n-th TypeScript example of the README, as it stands there.
import { readFileSync } from 'node:fs';

const blocks = [...readFileSync('README.md', 'utf8').matchAll(/^```ts\n([\s\S]*?)^```/gm)].map((match) => match[1]);
const block = blocks[Number(process.argv[2] ?? 1) - 1];
if (block === undefined) throw new Error(`README.md has no TypeScript example ${process.argv[2]}`);
process.stdout.write(block);
