/** What a profile tells people and what its contract does, compared: a write without a key is the judge. */
import { readdirSync, readFileSync } from 'node:fs';
import type { ProviderContract, RequestView } from '../../libs/core/src/index.js';
import { judge } from '../../libs/core/src/pipeline/judge.js';
import { CATALOGUE } from '../../libs/providers/src/catalogue.js';
import { providerFrom } from '../../libs/providers/src/provider-from.js';

interface Row {
  readonly profile: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly now: string;
}

const ANSWERS = 'test/cases/answers';
const files = ['test/cases/headers.providers.jsonl', ...readdirSync(ANSWERS).map((file) => `${ANSWERS}/${file}`)];
const rows = files.flatMap((file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row),
);

/** Sentences by which a page says that nothing was done. */
const UNDONE = /safe to send again|has not been (?:done|posted)|has not (?:run|reached)|did not run|is never processed/;

const view: RequestView = { method: 'POST', path: '/any', query: {}, headers: {}, body: undefined, route: null };
const report = { guess: () => undefined, hookFailed: () => undefined };

function goesAgain(contract: ProviderContract, { status, headers, body }: Omit<Row, 'profile' | 'now'>): boolean {
  const end = { result: { type: 'answered', status, headers, body, value: null }, cut: null } as never;
  const request = { view, safety: 'unkeyed', units: {} } as const;
  const { trouble, retryable } = judge(contract, request, end, Date.parse('2026-03-10T12:00:00Z'), report);
  return retryable && (trouble === 'limited' || trouble === 'locked');
}

test.each(CATALOGUE.map((profile) => [profile.name, profile] as const))(
  'what %s is said to have not done goes again, a write without a key too',
  (name, profile) => {
    const contract = providerFrom(profile)({});
    const said = profile.notes.resend
      .filter((note) => UNDONE.test(note))
      .flatMap((note) => note.match(/\b[2-5]\d\d\b/g) ?? []);
    const held = said.filter((text) => {
      const status = Number(text);
      const known = rows.filter((row) => row.profile === name && row.status === status);
      return ![{ status, headers: {} }, ...known].some((answer) => goesAgain(contract, answer));
    });
    expect(held).toEqual([]);
  },
);

test('a 423 and a 477 of HubSpot go again, and no other call waits for them', () => {
  const hubspot = providerFrom(CATALOGUE.find(({ name }) => name === 'hubspot')!)({});
  for (const status of [423, 477]) expect(goesAgain(hubspot, { status, headers: { 'retry-after': '2' } })).toBe(true);
});
