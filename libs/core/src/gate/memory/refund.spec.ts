import { tokenBucket } from '../../contract/builders.js';
import { defineProvider } from '../../contract/define-provider.js';
import { Lab } from './lab.fixture.js';

const NOT_SENT = { end: 'not-sent', health: 'none' } as const;
const MS = 1_000;

describe('a charge that is given back unsent', () => {
  const numbers = { limits: [tokenBucket({ burst: 30, limit: 50, per: '1s' })], guard: 0 };
  const burst = (): Lab => new Lab(numbers);
  const used = (lab: Lab): number => lab.engine.inspect(lab.at).limits[0]?.used ?? NaN;

  it('leaves the bucket as if it had never been charged, for each of a whole burst', () => {
    const lab = burst();
    const grants = Array.from({ length: 30 }, () => lab.granted());
    lab.at += 60 * MS;
    grants.forEach((grant) => lab.settle(grant, NOT_SENT));
    expect(used(lab)).toBeCloseTo(0);
  });

  it('gives nothing back of what had drained by itself', () => {
    const lab = burst();
    const unsent = lab.granted();
    lab.at += 100 * MS;
    lab.granted();
    lab.settle(unsent, NOT_SENT);
    expect(used(lab)).toBeCloseTo(1);
  });

  it('keeps what others were charged meanwhile', () => {
    const lab = burst();
    const unsent = lab.granted();
    Array.from({ length: 9 }, () => lab.granted());
    lab.at += 40 * MS;
    Array.from({ length: 5 }, () => lab.granted());
    lab.settle(unsent, NOT_SENT);
    expect(used(lab)).toBeCloseTo(9 - 2 + 5);
  });

  it('does so too where other numbers of the contract were changed meanwhile', () => {
    const lab = burst();
    const unsent = lab.granted();
    Array.from({ length: 9 }, () => lab.granted());
    lab.at += 40 * MS;
    lab.engine.update(defineProvider({ ...numbers, name: 'p', pause: { initial: '2s' } }).resolved);
    lab.settle(unsent, NOT_SENT);
    expect(used(lab)).toBeCloseTo(9 - 2);
  });
});
