import { msgraph } from 'nestjs-sluice/providers';
import { msgraph as standIn } from '../../src/catalogue/msgraph.js';
import { expectFull, run, times } from './run.fixture.js';

const calls = (each: number) =>
  times(each, (i) =>
    ['ann', 'bob'].map((user) => ({
      method: i % 5 === 0 ? 'POST' : 'GET',
      url: i % 5 === 0 ? `/v1.0/users/${user}/events` : `/v1.0/users/${user}/messages/${i}`,
      sluice: { partition: { tenant: 't', mailbox: user } },
    })),
  ).flat();

test('Outlook in Microsoft Graph: two mailboxes, each with four calls at once', async () => {
  // 499 times four before the last, which take 200 ms each.
  expectFull(await run((settings) => msgraph(settings), standIn(), calls(2_000)), 499 * 200);
});

test('Outlook in Microsoft Graph: two mailboxes, each with a tenth of its calls in ten minutes', async () => {
  // 1,000 in 50 seconds, and each may be followed by another ten minutes later: three times; the last is the 400th of a window.
  const made = run(
    (settings) => msgraph({ ...settings, perMailbox: 1_000 }),
    standIn({ perMailbox: 1_000 }),
    calls(3_400),
  );
  expectFull(await made, 3 * 600_000 + 99 * 200);
});
