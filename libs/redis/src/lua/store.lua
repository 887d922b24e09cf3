-- What of the gate stands in Redis. The keys are always the same ones, whatever grows in them: a cluster and a managed
-- Redis want every key declared before the script runs.
--
--   h   HASH  what nearly every step needs, read and written at once: `state`, `breaker`, `budget`, `claims`, layouts of the
--             structures that were seen, `*` = the record of the whole provider's stage, and of each process the number of
--             its last step (`process:...`) and what it was told then (`reply:...`)
--   st  HASH  key of any other stage -> its record: number, pause, line, accounts
--   sx  ZSET  stage no | key of a stage, by when to look whether it has become idle
--   px  ZSET  key of a stage that pauses or is shut, by name: what an operator ends at once
--   ln  ZSET  all lines, by name: stage no | lane | rank | entry no | waiter id
--   to  ZSET  the tickets of each tenant in a lane, by name: stage no | lane | tenant | entry no | waiter id
--   tn  ZSET  the tags of tenants, by name: stage no | lane | tenant | finish, entries
--   wt  HASH  waiter id -> its record
--   wk  HASH  process and ticket -> waiter id
--   wx  ZSET  waiter id, by when it is forgotten
--   bp  ZSET  provisional places of the retry budget, by when each is given up
--   ls  HASH  sequence number -> record of its lease
--   lx  ZSET  sequence number, by when the lease expires
--   lg  HASH  parts of the logs of sliding windows
--   pl  ZSET  process, by when it was last seen
--
-- Numbers that are part of a name are packed so that the order of the bytes is theirs.
local names = { 'h', 'st', 'sx', 'px', 'ln', 'to', 'tn', 'wt', 'wk', 'wx', 'bp', 'ls', 'lx', 'lg', 'pl' }

local keys = {}

local Store = {}

-- `given`: as above. Those of one gate begin alike, and no two gates have their first key in common.
function Store.open(given)
  if keys.h == given[1] then return end
  for i, name in ipairs(names) do keys[name] = given[i] end
end

-- Keys written in this step: each has its time to live renewed at the end, else it would stay for ever.
local written

function Store.read(command, name, ...)
  return redis.call(command, keys[name], ...)
end

function Store.write(command, name, ...)
  written[name] = true
  return redis.call(command, keys[name], ...)
end

-- Writes many fields, or takes many members out: Lua hands over some thousand values at most.
local AT_ONCE = 1000

function Store.writeAll(command, name, values)
  for from = 1, #values, AT_ONCE do
    local last = from + AT_ONCE - 1
    if last > #values then
      last = #values
    end
    Store.write(command, name, unpack(values, from, last))
  end
end

-- These are never empty between two steps, so that their time to live is kept: it is renewed now and then, and that of all
-- others with it, should one have lost its own.
local LASTING = { h = true, pl = true }

-- `isFresh`: those that last were renewed not long ago. `hadLeases`: those of leases were not
-- empty when this step began, and are not made anew in it.
function Store.renew(ttlMs, isFresh, hadLeases)
  local ttl = string.format('%.0f', ttlMs)
  if not isFresh then
    for name in pairs(keys) do written[name] = true end
  end
  for name in pairs(written) do
    local lasts = LASTING[name] or (hadLeases and (name == 'ls' or name == 'lx'))
    if not (isFresh and lasts) then redis.call('PEXPIRE', keys[name], ttl) end
  end
end

-- Something is missing in these books (`isBroken`), as when a server deleted a key to make room. They are closed; new ones
-- begin with the next step, to which each process tells what it has used and holds.
function Store.close()
  for _, name in ipairs(names) do redis.call('DEL', keys[name]) end
end

local NONE = {}

require('fresh').each(function()
  written = {}
  Store.isBroken = false
  -- Of the sets by time, the moment before which nothing in them is due: until then nobody looks.
  Store.quietUntil = { lx = 0, wx = 0, sx = 0 }
end)

-- `dues`: moments and members in turn.
function Store.addDues(name, dues)
  local quiet = Store.quietUntil[name]
  for i = 1, #dues, 2 do
    quiet = math.min(quiet, dues[i])
    dues[i] = Store.number(dues[i])
  end
  Store.quietUntil[name] = quiet
  Store.writeAll('ZADD', name, dues)
end

-- Up to `count` members that are due.
function Store.due(name, now, count)
  if now < Store.quietUntil[name] then return NONE end
  local members = Store.read('ZRANGEBYSCORE', name, '-inf', Store.number(now), 'LIMIT', 0, count)
  if #members == 0 then
    local first = Store.read('ZRANGE', name, 0, 0, 'WITHSCORES')
    Store.quietUntil[name] = first[2] and tonumber(first[2]) or math.huge
  end
  return members
end

-- A number that names something, by its order. And the number of such a name.
function Store.id(number)
  return struct.pack('>I6', number)
end

function Store.numberOf(id)
  return (struct.unpack('>I6', id))
end

-- The one that was written last: that of many leases is the same.
local lastNumber, lastText

-- A number as a command takes it, exactly.
function Store.number(value)
  if value ~= lastNumber then lastNumber, lastText = value, string.format('%.17g', value) end
  return lastText
end

return Store
