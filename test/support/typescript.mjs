// `node --import ./test/support/typescript.mjs program.ts`: runs the TypeScript sources as they are, for specs that need
// processes of their own. Compiled as Jest compiles them.
import { register } from 'node:module';

register('./typescript-hooks.mjs', import.meta.url);
