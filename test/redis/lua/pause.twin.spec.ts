import {
  end,
  hold,
  Pause,
  type PauseSchedule,
  probeAlive,
  probeDue,
  refuse,
  shut,
} from '../../../libs/core/src/gate/memory/pause.js';
import { forHistories, type History, Twins } from './twins.fixture.js';

const WORLD = `
local Pause, PauseRecord = require('pause'), require('pause-record')
function world.load(saved)
  local pause = saved and PauseRecord.load(saved) or PauseRecord.new()
  pause.save = PauseRecord.save
  pause.changed = true
  return pause
end
function world.call(pause, method, args)
  if method == 'state' then
    return { pause.active, pause.untilUs, pause.epoch, pause.step, pause.active and pause.beganAt, pause.active and pause.hinted,
      pause.tested, pause.probe or 0 }
  elseif method == 'probe' then pause.probe, pause.probeEndsAt = args[1], args[2]
  elseif method == 'lost' then pause.probe = nil
  elseif method == 'refuse' then
    local schedule = { initialUs = args[1], factor = args[2], maxUs = args[3] }
    return Pause.refuse(pause, schedule, args[4], args[5] ~= 'none' and args[5] or nil, args[6], args[7], args[8])
  else return Pause[method](pause, unpack(args, 1, 3))
  end
end
`;

function lived(history: History): History {
  const pause = new Pause();
  const schedule: PauseSchedule = {
    initialUs: 1_000_000,
    factor: history.pick([1, 1.1, 1.7, 2]),
    maxUs: history.pick([3_000_000, 1_800_000_000]),
  };
  let seq = 0;
  for (let i = 0; i < 200; i += 1) {
    const now = history.pass(3_000_000);
    if (pause.active) history.mark(pause.until);
    seq += history.pick([0, 1, 1, 2]);
    const own = Math.max(1, seq - history.pick([0, 0, 1, 2, 5]));
    const way = Math.floor(history.chance() * 16);
    if (way < 6) {
      const hint = history.pick([null, null, 0, -1, 1, 500_000, 5_000_000]);
      const isProbe = pause.probe !== null && history.chance() < 0.5;
      const { initialUs, factor, maxUs } = schedule;
      const moved = refuse(pause, schedule, now, hint, own, isProbe, seq);
      history.tell('refuse', [initialUs, factor, maxUs, now, hint ?? 'none', own, isProbe, seq], moved);
    } else if (way < 10 && probeDue(pause, now)) {
      pause.probe = { seq, due: now + 2_000_000 };
      history.tell('probe', [seq, now + 2_000_000], undefined);
    } else if (way < 11) {
      history.tell('hold', [now, 4_000_000, seq], hold(pause, now, 4_000_000, seq) as undefined);
    } else if (way < 12 && history.chance() < 0.3) {
      history.tell('finish', [seq], end(pause, seq) as undefined);
    } else if (way < 14 && pause.probe !== null) {
      history.tell('probeAlive', [now, seq], probeAlive(pause, now, seq));
    } else if (way < 15 && pause.probe !== null) {
      pause.probe = null;
      history.tell('lost', [], undefined);
    }
    history.tell('probeDue', [now], probeDue(pause, now));
    history.tell('shut', [now], shut(pause, now));
    const { active, until, epoch, step, beganAt, hinted, tested, probe } = pause;
    const state = [active, until, epoch, step, active && beganAt, active && hinted, tested, probe?.seq ?? 0];
    history.tell('state', [], state);
  }
  return history;
}

const twins = new Twins();
afterAll(() => twins.close());

test('a pause in Redis begins, is tested and ends as in memory', async () => {
  await forHistories(40, (history) => twins.compare(WORLD, lived(history)));
});
