import 'reflect-metadata';
import { SetMetadata } from '@nestjs/common';
import { decoratedMethods } from '../rate-limit-metadata.accessor.js';
import { Idempotent } from './idempotent.decorator.js';
import { Throttled } from './throttled.decorator.js';

const config = (text: string) => expect.objectContaining({ code: 'CONFIG', message: expect.stringContaining(text) });

/** A wrapper of someone else's that copies nothing. */
function Opaque(): MethodDecorator {
  return (_target, _key, descriptor) => {
    const original = descriptor.value as unknown as (...args: unknown[]) => unknown;
    (descriptor as TypedPropertyDescriptor<unknown>).value = function (this: unknown, ...args: unknown[]): unknown {
      return original.apply(this, args);
    };
  };
}

describe('a decorated method', () => {
  test('case 112: keeps its name, its length, its prototype and its own properties', () => {
    const original = async function contact(_account: string, _id: string): Promise<void> {};
    (original as unknown as Record<string, unknown>)['marked'] = 'by someone else';
    const descriptor: PropertyDescriptor = { value: original, configurable: true, writable: true };
    Throttled('crm')(class {}.prototype, 'contact', descriptor as never);

    const stub = descriptor.value as typeof original;
    expect(stub).not.toBe(original);
    expect([stub.name, stub.length, (stub as unknown as Record<string, unknown>)['marked']]).toEqual([
      'contact',
      2,
      'by someone else',
    ]);
    expect(Object.getPrototypeOf(stub)).toBe(Object.getPrototypeOf(original));
  });

  test('case 112: has its metadata in every order of decorators', () => {
    class Service {
      @SetMetadata('mark', 'below')
      @Throttled('crm')
      async above(): Promise<void> {}

      @Throttled('crm')
      @SetMetadata('mark', 'above')
      async below(): Promise<void> {}

      @Throttled('crm')
      @SetMetadata('mark', 'middle')
      @Idempotent()
      async middle(): Promise<void> {}
    }
    const marks = [Service.prototype.above, Service.prototype.below, Service.prototype.middle].map((method) =>
      Reflect.getMetadata('mark', method),
    );
    expect(marks).toEqual(['below', 'above', 'middle']);
  });

  test('case 115: two of our decorators of different kinds make one method, in either order and around a foreign wrapper', () => {
    class Service {
      @Throttled('crm')
      @Idempotent()
      async a(): Promise<void> {}

      @Idempotent()
      @Opaque()
      @Throttled('crm')
      async b(): Promise<void> {}
    }
    const plans = decoratedMethods(Service.prototype).map(({ label, plan }) => [
      label,
      plan.throttled?.provider,
      plan.idempotent,
    ]);
    expect(plans).toEqual([
      ['Service.a', 'crm', {}],
      ['Service.b', 'crm', {}],
    ]);
  });

  test('case 115: two decorators of the same kind are refused when the class is defined', () => {
    const twice = (): unknown => {
      class Service {
        @Throttled('crm')
        @Throttled('erp')
        async contact(): Promise<void> {}
      }
      return Service;
    };
    const idempotentTwice = (): unknown => {
      class Service {
        @Idempotent()
        @Throttled('crm')
        @Idempotent()
        async contact(): Promise<void> {}
      }
      return Service;
    };
    const classTwice = (): unknown => {
      @Throttled('crm')
      @Throttled('erp')
      class Service {}
      return Service;
    };
    expect(twice).toThrow(config('@Throttled on Service.contact'));
    expect(idempotentTwice).toThrow(config('@Idempotent on Service.contact'));
    expect(classTwice).toThrow(config('@Throttled on Service'));
  });

  test('case 112: a generator is refused when the class is defined, and left alone by its class', () => {
    class Rows {
      async *all(): AsyncGenerator<number> {
        yield 1;
      }
    }
    const descriptor = Object.getOwnPropertyDescriptor(Rows.prototype, 'all');
    const decorate = Throttled('crm') as (...args: unknown[]) => void;
    expect(() => decorate(Rows.prototype, 'all', descriptor)).toThrow(config('Rows.all is a generator'));
    const own = Rows.prototype.all;
    decorate(Rows);
    expect(Rows.prototype.all).toBe(own);
  });

  test('case 112: a static method, an accessor and a property are refused when the class is defined', () => {
    const decorate = Throttled('crm') as unknown as (...args: unknown[]) => void;
    class Service {
      static sweep(): void {}
      get contact(): string {
        return '';
      }
    }
    const accessor = Object.getOwnPropertyDescriptor(Service.prototype, 'contact');
    const method = Object.getOwnPropertyDescriptor(Service, 'sweep');
    expect(() => decorate(Service, 'sweep', method)).toThrow(config('Service.sweep is a static method'));
    expect(() => decorate(Service.prototype, 'contact', accessor)).toThrow(config('Service.contact is an accessor'));
    expect(() => decorate(Service.prototype, 'arrow')).toThrow(config('Service.arrow is a property'));
  });
});

describe('a decorated class', () => {
  @Throttled('crm', { lane: 'background', tenant: 'all' })
  class Sweep {
    async run(): Promise<void> {}

    @Throttled('crm', { lane: 'interactive' })
    async urgent(): Promise<void> {}

    @Throttled('erp')
    async elsewhere(): Promise<void> {}

    onModuleInit(): string {
      return 'started';
    }

    get size(): number {
      throw new Error('An accessor is not read to look for methods.');
    }
  }

  test('gives its options to its methods; those of a method win one by one; another provider takes none of them', () => {
    const plans = Object.fromEntries(
      decoratedMethods(Sweep.prototype).map(({ key, plan }) => [
        key,
        [plan.throttled?.provider, plan.throttled?.options],
      ]),
    );
    expect(plans).toEqual({
      run: ['crm', { lane: 'background', tenant: 'all' }],
      urgent: ['crm', { lane: 'interactive', tenant: 'all' }],
      elsewhere: ['erp', {}],
    });
  });

  test('leaves the hooks that Nest calls alone', () => {
    expect(new Sweep().onModuleInit()).toBe('started');
  });

  test('hands its options down with its methods', () => {
    class Weekly extends Sweep {
      @Idempotent()
      async own(): Promise<void> {}
    }
    const labels = decoratedMethods(Weekly.prototype).map(({ label, plan }) => [label, plan.throttled?.provider]);
    expect(labels).toEqual(
      expect.arrayContaining([
        ['Weekly.own', 'crm'],
        ['Sweep.run', 'crm'],
      ]),
    );
  });
});

describe('without an application', () => {
  class Service {
    @Throttled('crm')
    async contact(): Promise<string> {
      return 'sent';
    }
  }

  test('a call is a CONFIG error that names the method, and nothing runs', async () => {
    await expect(new Service().contact()).rejects.toEqual(config('Service.contact is decorated'));
  });
});
