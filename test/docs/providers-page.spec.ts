import { readFileSync } from 'node:fs';
import { CATALOGUE } from '../../libs/providers/src/catalogue.js';
import * as providers from 'nestjs-sluice/providers';
import { PAGE, providersPage } from '../../scripts/providers-page.mjs';

const camelCase = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

test('the page of providers tells the data of the catalogue (node scripts/providers-page.mjs writes it)', () => {
  const make = providers as unknown as Record<string, () => unknown>;
  expect(readFileSync(PAGE, 'utf8')).toBe(providersPage(CATALOGUE, (name) => make[camelCase(name)]?.()));
});
