import { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';
import { Durable, InjectProvider, Throttled } from 'nestjs-sluice';
import { answer, forever, ProviderSimulator } from 'nestjs-sluice/testing';
import { type DurableApp, DurableWorld } from './support/durable-world.js';

@Injectable()
class Jobs {
  constructor(@InjectProvider('crm') private readonly http: HttpService) {}

  @Durable({ name: 'job' })
  @Throttled('crm')
  async run(id: string): Promise<number> {
    return (await firstValueFrom(this.http.post(`/jobs/${id}`, {}))).status;
  }
}

let world: DurableWorld;
let provider: ProviderSimulator;
let app: DurableApp;

beforeEach(async () => {
  provider = new ProviderSimulator();
  world = await DurableWorld.begin(provider);
  app = await world.start({
    providers: [Jobs],
    contract: { pause: { initial: '1m', factor: 2, max: '30m', flushAfter: '3h' }, timeouts: { attempt: '2s' } },
    // Each look of a loop falls on the end of a step, so that the store can answer before time goes on.
    module: { operations: { poll: '1m', lease: '2h' } },
  });
});
afterEach(() => world.end());

const defer = async (id: string): Promise<string> => (await world.go(app.operations.defer(Jobs, 'run', [id]))).id;
const stateOf = async (id: string): Promise<string> => {
  const { state, cause } = (await world.go(app.operations.get(id)))!;
  return `${state} ${cause}`;
};

const MINUTE = 60_000;

test('old work is given up under a pause that goes on because each probe is refused; what is younger is done when the provider is well', async () => {
  provider.play(forever(answer(429)));
  const old = await defer('old');
  await world.pass(2.5 * 60 * MINUTE, MINUTE / 2);
  expect(await stateOf(old)).toBe('waiting rescheduled');
  const young = await defer('young');
  await world.pass(90 * MINUTE, MINUTE / 2);
  expect([await stateOf(old), await stateOf(young)]).toEqual(['dead flushed', 'waiting rescheduled']);
  expect(app.events.filter((event) => event.type === 'operation' && event.cause === 'flushed')).toHaveLength(1);
  // One probe each time: 1, 2, 4, 8, 16, 30, 30 ... minutes apart.
  expect(provider.log.length).toBeGreaterThan(5);
  expect(provider.log.length).toBeLessThan(20);
  provider.play(forever(answer(200)));
  await world.pass(60 * MINUTE, MINUTE / 2);
  expect([await stateOf(old), await stateOf(young)]).toEqual(['dead flushed', 'done completed']);
}, 60_000);
