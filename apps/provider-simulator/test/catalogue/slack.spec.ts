import { slack } from 'nestjs-sluice/providers';
import { slack as standIn } from '../../src/catalogue/slack.js';
import { expectFull, run, times } from './run.fixture.js';

const workspace = (name: string) => ({ headers: { authorization: `Bearer ${name}` } });
const call = (name: string, method: string, query: string) => ({
  method: 'GET',
  url: `/${method}?${query}`,
  ...workspace(name),
  sluice: { partition: { workspace: name } },
});
const message = (name: string, channel: string, text: string) => ({
  method: 'POST',
  url: '/chat.postMessage',
  data: { channel, text },
  ...workspace(name),
  sluice: { partition: { workspace: name, channel } },
});

test('Slack: methods of three tiers in two workspaces, each by its own minute', async () => {
  const calls = ['w1', 'w2'].flatMap((name) => [
    ...times(70, (i) => call(name, 'users.list', `cursor=${i}`)),
    ...times(130, (i) => call(name, 'conversations.info', `channel=C${i}`)),
    ...times(250, (i) => call(name, 'users.info', `user=U${i}`)),
    ...times(90, (i) => call(name, 'bots.list', `cursor=${i}`)),
  ]);
  // users.list takes longest: 20 at once, 20 more after each minute.
  expectFull(await run((settings) => slack(settings), standIn(), calls), 3 * 60_000);
});

test('Slack: history once a minute, for an app that is sold outside of the Marketplace', async () => {
  const calls = times(5, (i) => call('w1', 'conversations.history', `channel=C${i}`));
  expectFull(await run((settings) => slack({ ...settings, app: 'other' }), standIn('other'), calls), 4 * 60_000);
});

test('Slack: messages into three channels, one a second into each, beside reads', async () => {
  const calls = [
    ...['C1', 'C2', 'C3'].flatMap((channel) => times(121, (i) => message('w1', channel, `${i}`))),
    ...times(150, (i) => call('w1', 'users.info', `user=U${i}`)),
  ];
  // 121 messages, the first at once. The guard's default, 100 ms, would take a tenth of a window of one second.
  expectFull(await run((settings) => slack({ ...settings, guard: '20ms' }), standIn(), calls), 120_000);
});
