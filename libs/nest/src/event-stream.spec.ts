import { map } from 'rxjs';
import { EventHub, type SluiceEvent } from '../../core/src/index.js';
import { EventStream } from './event-stream.js';

const spent: SluiceEvent = { type: 'budget', provider: 'crm', at: 0, state: 'spent' };

test('a listener gets every event until it unsubscribes, as a function, as an observer and behind operators', () => {
  const hub = new EventHub();
  const stream = new EventStream(hub);
  const seen: string[] = [];
  const subscriptions = [
    stream.subscribe((event) => seen.push(`function ${event.type}`)),
    stream.subscribe({ next: (event) => seen.push(`observer ${event.type}`) }),
    stream.pipe(map(({ type }) => type)).subscribe((type) => seen.push(`operator ${type}`)),
  ];
  hub.emit(() => spent);
  expect(seen).toEqual(['function budget', 'observer budget', 'operator budget']);
  for (const subscription of subscriptions) subscription.unsubscribe();
  hub.emit(() => spent);
  expect(seen).toHaveLength(3);
  expect(hub.active).toBe(false);
});

test('law 13: a listener that throws is reported to the others, and nothing is thrown where nobody can catch it', () => {
  const hub = new EventHub();
  const stream = new EventStream(hub);
  const seen: unknown[] = [];
  stream.subscribe(() => {
    throw new TypeError('secret');
  });
  stream.subscribe((event) => seen.push(event.type === 'hook-failed' ? [event.hook, event.error] : event.type));
  expect(() => hub.emit(() => spent)).not.toThrow();
  expect(seen).toEqual(expect.arrayContaining(['budget', ['listener of budget', 'TypeError']]));
  expect(seen).toHaveLength(2);
});
