import { Test } from '@nestjs/testing';
import { concurrency, defineProvider, RateLimitModule, RateLimitService, Throttled } from 'nestjs-sluice';
import { QuietLogger } from './support/silent.js';

class Contacts {
  @Throttled('crm', { guard: 'method', safe: true })
  async get(): Promise<string> {
    return 'got';
  }
}

const contract = defineProvider({ name: 'crm', limits: [concurrency({ limit: 1 })] });

function moduleWith(providers: { provide: unknown; useFactory: () => object }[]) {
  return Test.createTestingModule({
    imports: [RateLimitModule.forRoot({ providers: [contract] })],
    providers: providers as never,
  })
    .setLogger(new QuietLogger())
    .compile();
}

const refusal = { code: 'CONFIG', message: expect.stringContaining('An object of class Contacts') };

test('a frozen object with decorated methods is refused at the start, with its class and what to do', async () => {
  const module = await moduleWith([{ provide: 'contacts', useFactory: () => Object.freeze(new Contacts()) }]);
  await expect(module.init()).rejects.toMatchObject(refusal);
});

test('so is one that is adopted, and what is no object', async () => {
  const module = await moduleWith([]);
  await module.init();
  const limits = module.get(RateLimitService);
  expect(() => limits.adopt(Object.seal(new Contacts()))).toThrow(expect.objectContaining(refusal));
  for (const [given, word] of [
    [null, 'null'],
    ['x', 'string'],
  ] as const) {
    expect(() => limits.adopt(given as never)).toThrow(new RegExp(`adopt was given ${word}`));
  }
  expect(await limits.adopt(Object.freeze(limits.adopt(new Contacts()))).get()).toBe('got');
  await module.close();
});
