import { fixedWindow, quota } from '../../contract/builders.js';
import { defineProvider } from '../../contract/define-provider.js';
import type { LimitOptions, ProviderOptions } from '../../contract/options.js';
import { Lab } from './lab.fixture.js';

type Options = Omit<ProviderOptions, 'name'>;

const CAP = 5;
const hourly = { limit: CAP, per: '1h' } as const;
const clocked = fixedWindow({ ...hourly, align: 'clock' });
const daily = (timeZone: string): LimitOptions => quota({ limit: CAP, per: 'day', timeZone, volatile: true });
const monthly = quota({ limit: CAP, per: 'month', volatile: true });

/** How many of so many are granted at once. */
function grantedOf(lab: Lab, calls: number): number {
  return lab.step({ asks: [lab.ask({ key: 'same', calls })] }).grants.length;
}

function update(lab: Lab, options: Options): void {
  lab.engine.update(defineProvider({ name: 'p', ...options }).resolved);
}

it.each<[string, LimitOptions, LimitOptions, Options['guard']]>([
  ['a quota, with another guard', daily('UTC'), daily('UTC'), '50ms'],
  ['a quota, where the day begins elsewhere', daily('UTC'), daily('Europe/Rome'), 0],
  ['a quota of a day that is one of a month', daily('UTC'), monthly, 0],
  ['a quota of a month that is one of a day', monthly, daily('UTC'), 0],
  ['windows of the clock, with another guard', clocked, clocked, '50ms'],
  ['windows of the clock that are longer', clocked, fixedWindow({ ...hourly, per: '2h', align: 'clock' }), 0],
  ['windows of the clock that are shorter', clocked, fixedWindow({ ...hourly, per: '30m', align: 'clock' }), 0],
  ['windows that nobody knows the edges of any more', clocked, fixedWindow(hourly), 0],
  ['windows that turn out to be the clock’s', fixedWindow(hourly), clocked, 0],
])('new numbers leave what was used of %s', (_, old, young, guard) => {
  const lab = new Lab({ limits: [old], guard: 0 });
  expect(grantedOf(lab, 3)).toBe(3);
  update(lab, { limits: [young], guard });
  expect(grantedOf(lab, CAP)).toBe(2);
  lab.at += 1;
  update(lab, { limits: [old], guard: 0 });
  expect(grantedOf(lab, CAP)).toBe(0);
});

it('windows of the clock that the guard leaves nothing of are limits all the same', () => {
  const lab = new Lab({ limits: [fixedWindow({ limit: CAP, per: '1s', align: 'clock' })], guard: '600ms' });
  expect(grantedOf(lab, 8)).toBe(CAP);
  lab.at += 1_000_000;
  expect(grantedOf(lab, 8)).toBe(0);
  lab.at += 600_000;
  expect(grantedOf(lab, 8)).toBe(CAP);
});

it('a quota is full again at the end of its new period', () => {
  const lab = new Lab({ limits: [monthly], guard: 0 });
  expect(grantedOf(lab, CAP)).toBe(CAP);
  update(lab, { limits: [daily('UTC')], guard: 0 });
  expect(grantedOf(lab, 8)).toBe(0);
  lab.at += 86_400_000_000;
  expect(grantedOf(lab, 8)).toBe(CAP);
});
