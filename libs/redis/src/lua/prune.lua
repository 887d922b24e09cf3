-- The part of memory/stages.ts that drops stages which nobody uses any more.
local State = require('state')
local Stages = require('stages')
local Store = require('store')

-- One that is in use when it is looked at, for nobody knows how long, is not looked at again so soon.
local IN_USE_US = 10000000

-- A stage's name in `sx` begins with its number.
local NO_BYTES = 6

-- From this moment on it equals a new stage; math.huge = somebody is in it.
local function idleAt(stage, now)
  if stage.line.size > 0 then return math.huge end
  local at = now
  if stage.pause.active then at = math.max(at, stage.pause.untilUs + State.contract.flushAfterUs) end
  for _, account in ipairs(stage.books) do at = math.max(at, account:idleAt(now)) end
  return at
end

local function drop(stage, now)
  Stages.known[stage.key] = false
  require('leases').forgetTerms()
  if stage.pause.active then require('pauses').endOf(stage, now) end
  for lane = 0, #stage.line.lanes - 1 do require('tenants').forget(stage, lane) end
  Store.write('HDEL', 'st', stage.key)
  Store.write('ZREM', 'sx', Stages.nameOf(stage))
  if stage.isListed then Store.write('ZREM', 'px', stage.key) end
end

-- Drops what has become equal to a new stage: looks at `visits` of those due.
return function(now, visits)
  local names = Store.due('sx', now, visits)
  local keys = {}
  for i, name in ipairs(names) do keys[i] = name:sub(NO_BYTES + 1) end
  Stages.prefetch(keys)
  for i, key in ipairs(keys) do
    local stage = Stages.find(key)
    if not stage or Stages.nameOf(stage) ~= names[i] then
      Store.write('ZREM', 'sx', names[i])
    else
      local idle = idleAt(stage, now)
      if idle <= now then
        drop(stage, now)
      else
        stage.due = idle == math.huge and now + IN_USE_US or math.max(idle, now + Stages.LOOK_AGAIN_US)
      end
    end
  end
end
