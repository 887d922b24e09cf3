/** How real providers speak, by the names of the catalogue. */
import * as providers from '../../../providers/src/index.js';
import type { ReadingOptions } from './options.js';

export const PROVIDERS: Readonly<Record<string, ReadingOptions>> = Object.fromEntries(
  Object.values(providers).map((make) => {
    const { name, resolved } = make();
    return [name, resolved.reading];
  }),
);
