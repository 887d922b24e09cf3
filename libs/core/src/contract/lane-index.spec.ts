import { defineProvider } from './define-provider.js';
import { laneIndex } from './lane-index.js';

const { resolved } = defineProvider({ name: 'crm', limits: [], lanes: { interactive: {}, background: {} } });

test('a lane is found by its name; without one it is the last, unless a lane says `default: true`', () => {
  expect(laneIndex(resolved, 'interactive')).toBe(0);
  expect(laneIndex(resolved, undefined)).toBe(1);
  const first = defineProvider({ name: 'crm', limits: [], lanes: { interactive: { default: true }, background: {} } });
  expect(laneIndex(first.resolved, undefined)).toBe(0);
});

test('an unknown lane is an error that names the provider and its lanes', () => {
  expect(() => laneIndex(resolved, 'batch')).toThrow(
    'Provider "crm": lane is "batch"; expected one of its lanes: "interactive", "background".',
  );
  expect(() => laneIndex(resolved, 'toString')).toThrow('one of its lanes');
});
