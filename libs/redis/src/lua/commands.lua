-- Orders of the operator.
local Pause = require('pause')
local State = require('state')

return function(command, now)
  local kind, dimensions, partition, forUs = unpack(command)
  if kind == 'release-place' then
    if State.budget then State.budget:release(command[2]) end
    return
  end
  local stage = require('extras').ofPartition(dimensions or {}, partition, now)
  if kind == 'pause' then
    Pause.hold(stage.pause, now, forUs, State.seq)
    return require('pauses').started(stage)
  end
  -- To resume the whole provider ends the pauses of its partitions too.
  require('pauses').reopen(stage, now)
  if dimensions then return end
  for _, other in ipairs(require('closed-stages')()) do require('pauses').reopen(other, now) end
end
