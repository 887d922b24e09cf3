import { readFileSync } from 'node:fs';
import { CATALOGUE } from '../../libs/providers/src/catalogue.js';
import { providerFrom } from '../../libs/providers/src/provider-from.js';
import { PAGE, providersPage } from '../../scripts/providers-page.mjs';

test('the page of providers tells the data of the catalogue (node scripts/providers-page.mjs writes it)', () => {
  const page = providersPage(CATALOGUE, (profile) => providerFrom(profile)());
  expect(readFileSync(PAGE, 'utf8')).toBe(page);
});
