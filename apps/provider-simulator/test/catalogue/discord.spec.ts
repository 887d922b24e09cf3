import { slidingWindow } from 'nestjs-sluice';
import { discord } from 'nestjs-sluice/providers';
import { discord as standIn } from '../../src/catalogue/discord.js';
import { expectFull, run, type RunSettings, times } from './run.fixture.js';

const CHANNELS = ['11', '12', '13'];

const post = (channel: string, i: number) => ({
  method: 'POST',
  url: `/channels/${channel}/messages`,
  data: { content: `${i}` },
  sluice: { partition: { channel } },
});
const read = (channel: string, i: number) => ({
  method: 'GET',
  url: `/channels/${channel}/messages?before=${i}`,
  sluice: { partition: { channel } },
});

const messages = CHANNELS.flatMap((channel) => times(63, (i) => post(channel, i)));

test('Discord: a contract that was given the limits of its routes is never refused', async () => {
  const limits = [
    slidingWindow({ name: 'global', limit: 50, per: '1s', countedBy: [] }),
    slidingWindow({ name: 'message', limit: 5, per: '5s', countedBy: ['channel'], routes: ['message'] }),
    slidingWindow({ name: 'channel', limit: 10, per: '2s', countedBy: ['channel'], routes: ['channel'] }),
  ];
  const calls = [...messages, ...CHANNELS.flatMap((channel) => times(185, (i) => read(channel, i)))];
  // Messages take longest: 5 at once, 5 more after each five seconds.
  expectFull(await run((settings) => discord({ ...settings, limits }), standIn(), calls), 60_000);
});

test('Discord: without them bursts are refused, in every second window, and all calls succeed in the end', async () => {
  const make = (settings: RunSettings) => discord({ ...settings, retry: { throttled: { maxAttempts: 50 } } });
  const { failures, refused, tookMs } = await run(make, standIn(), messages);
  expect(failures).toEqual([]);
  // What answers tell holds until the reset that they tell. Nothing tells that the next window is as narrow: what is sent into it at
  // once is refused, then one call tests the water, and what its answer tells holds again. Of thirteen windows that is seven.
  for (const channel of CHANNELS) {
    const mine = refused.filter(({ path }) => path.includes(`/${channel}/`));
    expect(new Set(mine.map(({ atMs }) => Math.floor(atMs / 5_000))).size).toBeLessThanOrEqual(7);
  }
  expect(tookMs).toBeLessThanOrEqual(1.5 * 60_000);
});
