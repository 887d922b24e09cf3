import { auditOf, isRight } from '../src/books.js';
import { timesheets } from '../src/timesheets.js';

const sheets = timesheets(13);
const invoice = (sheet: number, timesSent = 1) => {
  const { id, clientId, hours } = sheets[sheet]!;
  return { id: `inv-${sheet}`, clientId, reference: id, hours, timesSent };
};
const all = Array.from({ length: 12 }, (_, sheet) => invoice(sheet));

test('books with each timesheet once are right, without the one that the provider refuses', () => {
  const findings = auditOf({ invoices: all }, sheets);
  expect(findings).toEqual({ missing: [], twice: [], notSent: [], sentTwice: [] });
  expect(isRight(findings)).toBe(true);
});

test.each([
  ['is missing', 'missing', all.slice(1), ['timesheet-1']],
  ['is there twice', 'twice', [...all, invoice(3)], ['timesheet-4']],
  ['was never sent', 'notSent', [...all.slice(1), invoice(0, 0)], ['timesheet-1']],
  ['was sent twice', 'sentTwice', [...all.slice(1), invoice(0, 2)], ['timesheet-1']],
])('an invoice that %s is found', (_name, finding, invoices, timesheetIds) => {
  const findings = auditOf({ invoices }, sheets);
  expect(findings).toMatchObject({ [finding]: timesheetIds });
  expect(isRight(findings)).toBe(false);
});
