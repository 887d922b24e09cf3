import type { ResolvedContract } from '../../../libs/core/src/contract/resolved.js';
import { Breaker } from '../../../libs/core/src/gate/memory/breaker.js';
import { Lease } from '../../../libs/core/src/gate/memory/model.js';
import { forHistories, type History, Twins } from './twins.fixture.js';

const WORLD = `
local Breaker = require('breaker')
local settings
function world.load(saved)
  if settings then return Breaker.load(saved, settings) end
  return { save = function() return {} end }
end
function world.call(breaker, method, args, count)
  if method == 'settings' then
    settings = {
      consecutiveFailures = args[1], probeEveryUs = args[2],
      failureRate = args[3] and { share = args[3], minVolume = args[4], perUs = args[5] },
    }
    breaker.save, breaker.changed = function() return nil end, true
  elseif method == 'state' then
    return { breaker.state, breaker.openUntil, breaker.probe or 0, breaker.epoch, breaker.ramp, breaker.rampActive }
  elseif method == 'granted' then
    breaker:granted({ seq = args[1], probe = args[2], due = args[3] })
  elseif method == 'ended' then
    breaker:ended({ seq = args[1] }, args[2])
  else return breaker[method](breaker, unpack(args, 1, count))
  end
end
`;

type Settings = NonNullable<ResolvedContract['breaker']>;

function settingsOf(history: History): Settings {
  const failureRate = history.pick([null, { share: 0.4, minVolume: 4, perMs: 10_000 }]);
  const consecutiveFailures = failureRate === null ? 3 : history.pick([null, 5]);
  return { consecutiveFailures, failureRate, probeEveryMs: 2_000, whileOpen: 'wait' };
}

function lived(history: History): History {
  const settings = settingsOf(history);
  const { failureRate: rate } = settings;
  const breaker = new Breaker(settings);
  const numbers = rate === null ? [false] : [rate.share, rate.minVolume, rate.perMs * 1000];
  history.tell(
    'settings',
    [settings.consecutiveFailures ?? false, settings.probeEveryMs * 1000, ...numbers],
    undefined,
  );
  const out: Lease[] = [];
  let seq = 0;
  for (let i = 0; i < 300; i += 1) {
    const now = history.pass(4_000_000);
    history.mark(breaker.openUntil);
    const way = Math.floor(history.chance() * 20);
    if (way < 8 && !breaker.rampFull) {
      seq += 1;
      const lease = new Lease(seq, null as never, [], 'first', 0, now, now + 10_000_000);
      lease.probe = breaker.probeDue(now);
      history.tell('granted', [seq, lease.probe, lease.due], breaker.granted(lease) as undefined);
      out.push(lease);
    } else if (out.length > 0) {
      const [lease] = out.splice(Math.floor(history.chance() * out.length), 1) as [Lease];
      const answered = history.chance() < 0.8;
      const wasProbe = breaker.probe === lease;
      history.tell('ended', [lease.seq, answered], breaker.ended(lease, answered) as undefined);
      const health = history.pick(['alive' as const, 'failure' as const]);
      if (!wasProbe) history.tell('learn', [now, lease.seq, health, seq], breaker.learn(now, lease.seq, health, seq));
      else if (health === 'failure') history.tell('open', [now, seq], breaker.open(now, seq) as undefined);
      else if (answered) history.tell('close', [seq], breaker.close(seq) as undefined);
      else {
        breaker.probe = null;
        history.tell('loseProbe', [], undefined);
      }
    }
    history.tell('probeDue', [now], breaker.probeDue(now));
    history.tell('rampFull', [], breaker.rampFull);
    const { state, openUntil, probe, epoch, ramp, rampActive } = breaker;
    history.tell('state', [], [state, openUntil, probe?.seq ?? 0, epoch, ramp, rampActive]);
  }
  return history;
}

const twins = new Twins();
afterAll(() => twins.close());

test('the breaker in Redis opens, is tested and ramps up as in memory', async () => {
  await forHistories(40, (history) => twins.compare(WORLD, lived(history)));
});
