import { Permits } from '../../../libs/core/src/gate/memory/books/permits.js';
import { forHistories, type History, Twins } from './twins.fixture.js';

const WORLD = `
local Permits = require('books/permits')
local settings
function world.load(saved)
  local permits = Permits.load(saved, 'concurrency')
  if settings then permits:configure(settings, true) end
  return permits
end
function world.call(permits, method, args, count)
  if method == 'configure' then
    settings = { limit = args[1], capacity = args[2], worksAfterUs = args[3], reserves = args[4] }
    args[1], count = settings, 1
  end
  return permits[method](permits, unpack(args, 1, count))
end
`;

function lived(history: History): History {
  const permits = new Permits('concurrency');
  const held: number[] = [];
  const configure = (): void => {
    const reserves = history.pick<number[]>([[], [0, 0, 0], [1, 0, 0], [1, 2, 0], [0, 1, 0.5]]);
    const numbers = [3, history.pick([1, 2, 5, 12, 2.5]), 700_000] as const;
    permits.configure(...numbers, reserves);
    history.tell('configure', [...numbers, reserves], undefined);
  };
  configure();
  for (let i = 0; i < 200; i += 1) {
    const now = history.pass(3_000_000);
    const lane = history.pick([0, 1, 2]);
    const start = now + history.pick([0, 0, 1, 1_500_000]);
    const owed = history.pick([0, 0, 1, 2.5]);
    const way = Math.floor(history.chance() * 20);
    if (way < 5) history.tell('moment', [now, start, lane, owed], permits.moment(now, start, lane, owed));
    else if (way < 10) {
      history.tell('charge', [now, lane], permits.charge(now, lane) as undefined);
      held.push(lane);
    } else if (way < 14 && held.length > 0) {
      const [free] = held.splice(Math.floor(history.chance() * held.length), 1) as [number];
      history.tell('release', [free], permits.release(free) as undefined);
    } else if (way < 15) history.tell('missing', [lane, owed], permits.missing(lane, owed));
    else if (way < 16) history.tell('ownLeft', [now, lane], permits.ownLeft(now, lane));
    else if (way < 18) history.tell('admits', [now, lane], permits.admits(now, lane));
    else if (way < 19) history.tell('idleAt', [now], permits.idleAt(now));
    else if (history.chance() < 0.3) configure();
    history.tell('used', [], permits.used());
  }
  return history;
}

const twins = new Twins();
afterAll(() => twins.close());

test('permits in Redis are held as in memory', async () => {
  await forHistories(40, (history) => twins.compare(WORLD, lived(history)));
});
