import { ProviderSimulator } from './simulator.js';

test('an option that the simulated provider does not have is refused by name', () => {
  expect(() => new ProviderSimulator({ limit: [] } as never)).toThrow('no option "limit"');
});

test('a kind of limit that it does not know is refused with its place and value', () => {
  expect(() => new ProviderSimulator({ limits: [{ kind: 'token_bucket' } as never] })).toThrow(
    'limits[0].kind is "token_bucket"; expected one of token-bucket',
  );
});

test('a limit that lacks a figure, or has one under another name, is refused with its place', () => {
  const limit = { kind: 'token-bucket', burst: 5, limit: 60 } as const;
  expect(() => new ProviderSimulator({ limits: [{ ...limit, per: '1m' } as never] })).toThrow(
    'limits[0] is a token-bucket and has no "per"; it has burst, limit, perMs',
  );
  expect(() => new ProviderSimulator({ limits: [limit as never] })).toThrow('limits[0].perMs is undefined');
  expect(() => new ProviderSimulator({ limits: [{ ...limit, perMs: 0.5 }] })).toThrow('limits[0].perMs is 0.5');
});
