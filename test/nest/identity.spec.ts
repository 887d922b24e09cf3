import { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';
import { Durable, Idempotent, inconclusive, InjectProvider, type Reconciled, Throttled } from 'nestjs-sluice';
import { ProviderSimulator } from 'nestjs-sluice/testing';
import { type DurableApp, DurableWorld } from './support/durable-world.js';

interface Dto {
  readonly id: any;
}

@Injectable()
class Crm {
  constructor(@InjectProvider('crm') private readonly http: HttpService) {}

  @Throttled('crm')
  @Idempotent({ key: (dto: Dto) => dto.id, fingerprint: () => 'all alike' })
  async pay(_dto: Dto): Promise<void> {
    await firstValueFrom(this.http.post('/payments', {}));
  }

  @Throttled('crm')
  @Idempotent({ key: () => 'one', reference: (dto: Dto) => dto.id, reconcile: 'look', fingerprint: () => 'all alike' })
  async refer(_dto: Dto): Promise<void> {
    await firstValueFrom(this.http.post('/payments', {}));
  }

  async look(): Promise<Reconciled> {
    return inconclusive();
  }

  @Durable({ name: 'in order', orderingKey: (dto: Dto) => dto.id })
  @Throttled('crm')
  async inOrder(_dto: Dto): Promise<void> {
    await firstValueFrom(this.http.post('/payments', {}));
  }
}

let world: DurableWorld;
let provider: ProviderSimulator;
let app: DurableApp;

beforeEach(async () => {
  provider = new ProviderSimulator();
  world = await DurableWorld.begin(provider);
  app = await world.start({ providers: [Crm] });
});
afterEach(() => world.end());

/** As text each is that of any other of its kind. */
const NO_IDENTITIES: readonly (readonly [string, unknown])[] = [
  ['an object', { id: 7 }],
  ['an object without a prototype', Object.create(null)],
  ['a promise', Promise.resolve('7')],
  ['a function', () => '7'],
  ['a symbol', Symbol('7')],
  ['a list', [{ id: 7 }]],
  ['infinity', Infinity],
];

describe.each(['pay', 'refer'] as const)('%s', (method) => {
  test.each(NO_IDENTITIES)(
    'law 13: %s tells no two operations apart, so that nothing is sent, and the error says what was given',
    async (_, id) => {
      const told = world.go(app.module.get(Crm)[method]({ id }));
      await expect(told).rejects.toMatchObject({
        code: 'CONFIG',
        message: expect.stringMatching(/`(key|reference)` gave .*; expected a text or a number\. Nothing was sent\./),
      });
      expect(provider.log).toEqual([]);
    },
  );
});

test.each([
  ['a number', 7],
  ['a big integer', 7n],
  ['a text', '7'],
])('%s does', async (_, id) => {
  await world.go(app.module.get(Crm).pay({ id }));
  await world.go(app.module.get(Crm).pay({ id: '7' }));
  expect(provider.log).toHaveLength(1);
});

test.each(['key', 'reference', 'orderingKey'] as const)(
  'law 13: nor is work put to the queue under a `%s` that tells nothing apart',
  async (option) => {
    for (const value of [null, '', NaN, ...NO_IDENTITIES.map(([, id]) => id)]) {
      const deferred = world.go(app.operations.defer(Crm, 'inOrder', [{ id: 'a' }], { [option]: value as never }));
      await expect(deferred).rejects.toMatchObject({ code: 'CONFIG', message: expect.stringContaining(option) });
    }
    expect(provider.log).toEqual([]);
  },
);

test('law 13: a method whose `orderingKey` gives no text is not put to the queue', async () => {
  const deferred = world.go(app.operations.defer(Crm, 'inOrder', [{ id: { at: 7 } }]));
  await expect(deferred).rejects.toMatchObject({ code: 'CONFIG', message: expect.stringContaining('`orderingKey`') });
});

describe('methods of one name', () => {
  const sync = (name: string, path: string): any => {
    @Injectable()
    class Sync {
      constructor(@InjectProvider('crm') readonly http: HttpService) {}

      @Throttled('crm')
      @Idempotent({ key: (id: string) => id })
      async run(id: string): Promise<string> {
        await firstValueFrom(this.http.post(`/${path}`, { id }));
        return path;
      }
    }
    Object.defineProperty(Sync, 'name', { value: name });
    return Sync;
  };
  const startWith = async (...providers: any[]): Promise<DurableApp> => world.start({ providers });

  test('of two classes of one name refuse the start, for a key of one would be a key of the other', async () => {
    await expect(startWith(sync('Sync', 'contacts'), sync('Sync', 'invoices'))).rejects.toMatchObject({
      code: 'CONFIG',
      message: expect.stringMatching(/^Sync\.run: two classes .* Give one of them another name/),
    });
  });

  @Injectable()
  abstract class Sync {
    abstract readonly path: string;
    constructor(@InjectProvider('crm') readonly http: HttpService) {}

    @Throttled('crm')
    @Idempotent({ key: (id: string) => id })
    async run(id: string): Promise<string> {
      await firstValueFrom(this.http.post(`/${this.path}`, { id }));
      return this.path;
    }
  }
  @Injectable()
  class Contacts extends Sync {
    readonly path = 'contacts';
  }
  @Injectable()
  class Invoices extends Sync {
    readonly path = 'invoices';

    @Throttled('crm')
    @Idempotent({ key: (id: string) => id })
    override async run(id: string): Promise<string> {
      return super.run(id);
    }
  }
  @Injectable()
  class Products extends Sync {
    readonly path = 'products';
  }

  test('that several classes inherit have operations of their own in each', async () => {
    const { module } = await startWith(Contacts, Invoices, Products);
    for (const Kind of [Contacts, Invoices, Products, Contacts, Invoices, Products]) {
      const { path } = module.get(Kind);
      expect(await world.go(module.get(Kind).run('7'))).toBe(path);
    }
    expect(provider.log.map(({ path }) => path)).toEqual(['/contacts', '/invoices', '/products']);
  });
});
