import { jest } from '@jest/globals';
import { calendarPeriod } from './calendar.js';

const us = (iso: string): number => Date.parse(iso) * 1000;
const period = (at: string, per: 'day' | 'month', zone: string): [string, string] => {
  const { startUs, endUs } = calendarPeriod(us(at), per, zone);
  return [new Date(startUs / 1000).toISOString(), new Date(endUs / 1000).toISOString()];
};

describe('a calendar period', () => {
  it('is looked up once, however many ask for it', () => {
    const asked = jest.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts');
    const first = calendarPeriod(us('2031-05-06T07:08:09Z'), 'day', 'Asia/Tokyo');
    const lookUps = asked.mock.calls.length;
    expect(lookUps).toBeGreaterThan(0);
    for (const at of [first.startUs, first.endUs - 1]) {
      expect(calendarPeriod(at, 'day', 'Asia/Tokyo')).toEqual(first);
    }
    expect(asked).toHaveBeenCalledTimes(lookUps);
    expect(calendarPeriod(first.endUs, 'day', 'Asia/Tokyo').startUs).toBe(first.endUs);
    expect(calendarPeriod(first.startUs, 'month', 'Asia/Tokyo').endUs).toBeGreaterThan(first.endUs);
    asked.mockRestore();
  });

  it.each([
    ['a day begins at UTC midnight', '2026-03-07T23:59:59.999Z', 'day', 'UTC', '2026-03-07T00:00', '2026-03-08T00:00'],
    [
      'its first moment belongs to it',
      '2026-03-08T00:00:00.000Z',
      'day',
      'UTC',
      '2026-03-08T00:00',
      '2026-03-09T00:00',
    ],
    [
      'a day may have 23 hours',
      '2026-03-08T12:00:00Z',
      'day',
      'America/New_York',
      '2026-03-08T05:00',
      '2026-03-09T04:00',
    ],
    [
      'a day may have 25 hours',
      '2026-11-01T12:00:00Z',
      'day',
      'America/New_York',
      '2026-11-01T04:00',
      '2026-11-02T05:00',
    ],
    [
      'a zone may be off by quarters',
      '2026-03-07T18:20:00Z',
      'day',
      'Asia/Kathmandu',
      '2026-03-07T18:15',
      '2026-03-08T18:15',
    ],
    ['a month', '2026-02-14T00:00:00Z', 'month', 'UTC', '2026-02-01T00:00', '2026-03-01T00:00'],
    ['the last month of a year', '2026-12-31T23:30:00Z', 'month', 'UTC', '2026-12-01T00:00', '2027-01-01T00:00'],
    ['a month in a zone', '2026-03-31T23:30:00Z', 'month', 'Europe/Berlin', '2026-03-31T22:00', '2026-04-30T22:00'],
    ['a leap day', '2028-02-29T10:00:00Z', 'day', 'UTC', '2028-02-29T00:00', '2028-03-01T00:00'],
    [
      'a day whose midnight the clocks skip',
      '2026-09-06T12:00:00Z',
      'day',
      'America/Santiago',
      '2026-09-06T04:00',
      '2026-09-07T03:00',
    ],
  ] as const)('%s', (_what, at, per, zone, start, end) => {
    expect(period(at, per, zone)).toEqual([`${start}:00.000Z`, `${end}:00.000Z`]);
  });
});
