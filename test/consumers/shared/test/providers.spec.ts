import { Test } from '@nestjs/testing';
import { RateLimitModule, RateLimitService } from 'nestjs-sluice';
import * as catalogue from 'nestjs-sluice/providers';
import { type ContractSettings, type Settings, xero } from 'nestjs-sluice/providers';

const made = Object.entries(catalogue) as [string, (settings: object) => { readonly name: string }][];

test.each(made)('%s() makes a contract, by a name of the user where one is given', (_, make) => {
  expect(make({ name: 'mine' }).name).toBe('mine');
});

test('a contract of the catalogue is one of the application, with the numbers that were given', async () => {
  const settings: ContractSettings & Settings<{ perMinute: never }, object> = { perMinute: 30, mode: 'observe' };
  const module = await Test.createTestingModule({
    imports: [RateLimitModule.forRoot({ providers: [xero(settings)] })],
  }).compile();
  await module.init();
  const view = await module.get(RateLimitService).inspect('xero');
  expect(JSON.stringify(view)).toContain('minute');
  await module.close();
});
