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
  // 249 times four before the last, which take 200 ms each.
  expectFull(await run((settings) => msgraph(settings), standIn(), calls(1_000)), 249 * 200);
});

test('Outlook in Microsoft Graph: two mailboxes, each with a twentieth of its calls in ten minutes', async () => {
  // 500 in 25 seconds, and each may be followed by another ten minutes later: three times; the last is the 200th of a window.
  const made = run((settings) => msgraph({ ...settings, perMailbox: 500 }), standIn({ perMailbox: 500 }), calls(1_700));
  expectFull(await made, 3 * 600_000 + 49 * 200);
});
