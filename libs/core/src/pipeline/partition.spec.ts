import { enterInbound, enterMethod } from '../context/enter.js';
import { tokenBucket } from '../contract/builders.js';
import { Harness } from './harness.fixture.js';

const perAccount = tokenBucket({ burst: 5, limit: 5, per: '1s', countedBy: ['account'], name: 'per-account' });

describe('a value that a limit needs', () => {
  it('refuses the call unsent where nobody gave it, and says which, why and where to give it', async () => {
    const harness = new Harness({ script: '200', options: { limits: [perAccount], dimensions: ['account'] } });
    expect(() => harness.call()).toThrow(
      expect.objectContaining({
        code: 'CONFIG',
        provider: 'crm',
        message: expect.stringMatching(/"crm".*"account".*"per-account".*@Throttled.*sluice.*forRoot/s),
      }),
    );
    expect(harness.provider.times).toEqual([]);
    await harness.expectNothingLeft();
  });

  it('is taken from the request, the method around it, or the inbound request', async () => {
    const harness = new Harness({ script: '200 x3', options: { limits: [perAccount], dimensions: ['account'] } });
    const { clock } = harness;
    const partition = { account: 'a' };
    await harness.go('GET', { sluice: { partition } }).done;
    await enterMethod({ provider: 'crm', clock, options: { partition } }, () => harness.go().done);
    await enterInbound({ clock, partition }, () => harness.go().done);
    expect(harness.provider.times).toHaveLength(3);
    await harness.expectNothingLeft();
  });

  it('is not asked for where only other routes are counted by it, nor of observed calls', async () => {
    const routes = { search: 'GET /search' };
    const searches = new Harness({
      script: '200',
      options: { limits: [{ ...perAccount, routes: ['search'] }], dimensions: ['account'], routes },
    });
    await searches.go().done;
    expect(searches.provider.times).toHaveLength(1);
    await searches.expectNothingLeft();

    const observed = new Harness({
      script: '200',
      options: { limits: [perAccount], dimensions: ['account'], mode: 'observe' },
    });
    await observed.go().done;
    expect(observed.provider.times).toHaveLength(1);
    await observed.expectNothingLeft();
  });
});

test.each([
  ['', 'partition.account is empty; expected a text'],
  [7, 'partition.account is of type number; expected a text'],
  [undefined, 'partition.account is of type undefined; expected a text'],
])('a value of a dimension that is no text (%p) is refused with what it is', (account, message) => {
  const harness = new Harness({
    options: { dimensions: ['account'], limits: [{ kind: 'concurrency', limit: 1, countedBy: ['account'] }] },
  });
  expect(() => harness.call('GET', { sluice: { partition: { account: account as string } } })).toThrow(message);
});

test.each([
  ['a text', 'acme', 'of type string'],
  ['a list', ['acme'], 'a list'],
  ['null', null, 'null'],
  ['a number', 7, 'of type number'],
])('%s is no partition: the call is refused unsent, and its value is not told', async (_what, partition, found) => {
  const harness = new Harness({ script: '200', options: { limits: [perAccount], dimensions: ['account'] } });
  const sluice = { partition } as never;
  const message = `Provider "crm": partition is ${found}; expected values by dimension: { account: ... }; nothing was sent.`;
  expect(() => harness.call('GET', { sluice })).toThrow(expect.objectContaining({ code: 'CONFIG', message }));
  const options = { partition: { account: 'a' } };
  enterMethod({ provider: 'crm', clock: harness.clock, options }, () => {
    expect(() => harness.call('GET', { sluice })).toThrow(message);
  });
  expect(harness.provider.times).toEqual([]);
  await harness.expectNothingLeft();
});
