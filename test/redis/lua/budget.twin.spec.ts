import { RetryBudget } from '../../../libs/core/src/gate/memory/budget.js';
import { forHistories, type History, Twins } from './twins.fixture.js';

const WORLD = `
local RetryBudget = require('budget')
local settings = { ratio = 0.1, floor = 0 }
function world.load(saved)
  return RetryBudget.load(saved, settings)
end
function world.call(budget, method, args, count)
  if method == 'settings' then
    settings.ratio, settings.floor = args[1], args[2]
    return
  elseif method == 'ofLastMinute' then return { budget:ofLastMinute(args[1]) }
  end
  for i = 1, count do
    if args[i] == 'none' then args[i] = nil end
  end
  return budget[method](budget, unpack(args, 1, count))
end
`;

interface Counted {
  readonly kind: 'first' | 'retry';
  readonly at: number;
}

function lived(history: History): History {
  const ratio = history.pick([0.1, 0.3, 0.5]);
  const floor = history.pick([0, 1, 4, 30]);
  const budget = new RetryBudget(ratio, floor);
  history.tell('settings', [ratio, floor], undefined);
  const places: string[] = [];
  const counted: Counted[] = [];
  const spans = history.pick([[30_000], [200_000, 3_000_000], [8_000_000, 70_000_000]]);
  for (let i = 0; i < 400; i += 1) {
    const now = history.pass(history.pick(spans));
    const place = places.length > 0 && history.chance() < 0.6 ? history.pick(places.slice(-6)) : null;
    const way = Math.floor(history.chance() * 24);
    if (way < 9) {
      history.tell('count', [now, 'first', 'none'], budget.count(now, 'first', null) as undefined);
      counted.push({ kind: 'first', at: now });
    } else if (way < 16) {
      if (history.tell('admits', [now, place ?? 'none'], budget.admits(now, place)) || history.chance() < 0.2) {
        history.tell('count', [now, 'retry', place ?? 'none'], budget.count(now, 'retry', place) as undefined);
        counted.push({ kind: 'retry', at: now });
        history.mark(now + 60_000_000);
      }
    } else if (way < 18 && counted.length > 0) {
      const [{ kind, at }] = counted.splice(
        -1 - Math.floor(history.chance() ** 2 * Math.min(40, counted.length)),
        1,
      ) as [Counted];
      history.tell('uncount', [now, kind, at], budget.uncount(now, kind, at) as undefined);
    } else if (way < 20) {
      const within = history.pick([0, 1_000_000, 20_000_000]);
      const given = history.tell('reserve', [now, within], budget.reserve(now, within));
      if (given !== null) places.push(given);
      history.mark(now + within + 60_000_000);
    } else if (way < 21 && place !== null) {
      history.tell('release', [place], budget.release(place) as undefined);
    } else if (way < 22) history.tell('holds', [now, place ?? 'none'], budget.holds(now, place));
    else if (way < 23) {
      history.tell('ofLastMinute', [now], [budget.firstsLastMinute(now), budget.retriesLastMinute(now)]);
    } else history.tell('retryAt', [now], budget.retryAt(now));
    history.tell('placesHeld', [now], budget.placesHeld(now));
  }
  return history;
}

const twins = new Twins();
afterAll(() => twins.close());

test('the retry budget in Redis counts, admits and keeps places as in memory', async () => {
  await forHistories(40, (history) => twins.compare(WORLD, lived(history)));
});
