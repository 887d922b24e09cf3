-- The part of memory/line.ts that is a tenant's: the tags of its tickets in one lane of one stage. Its tickets are ordered
-- by entry number, which is exchanged together with the tag.
local Store = require('store')

local pack, unpack = struct.pack, struct.unpack

local Tenants = {}

-- By name of the tenant's part of a lane: `finish`, the tag at which its next call starts, and how many entries it has.
local members
require('fresh').each(function() members = {} end)

local function prefixOf(stage, lane, tenant)
  return pack('>I6I1I2', stage.no, lane, #tenant) .. tenant
end

local function ownPrefix(stage, entry)
  return prefixOf(stage, entry.waiter.lane, entry.waiter.tenant)
end

-- All names that begin so: no name goes on with seven such bytes.
local function beyond(prefix)
  return prefix .. '\255\255\255\255\255\255\255\255'
end

local function member(prefix)
  local known = members[prefix]
  if known ~= nil then return known end
  local found = Store.read('ZRANGEBYLEX', 'tn', '[' .. prefix, '(' .. beyond(prefix), 'LIMIT', 0, 1)[1]
  known = false
  if found then
    local finish, count = unpack('>dI6', found, #prefix + 1)
    known = { finish = finish, count = count, name = found }
  end
  members[prefix] = known
  return known
end

local function write(prefix, one)
  if one.name then Store.write('ZREM', 'tn', one.name) end
  one.name = prefix .. pack('>dI6', one.finish, one.count)
  Store.write('ZADD', 'tn', 0, one.name)
end

local function drop(prefix, one)
  if one.name then Store.write('ZREM', 'tn', one.name) end
  members[prefix] = false
end

function Tenants.nameOf(stage, entry)
  return ownPrefix(stage, entry) .. pack('>I6I6', entry.no, entry.waiter.id)
end

function Tenants.list(stage, entry)
  Store.write('ZADD', 'to', 0, Tenants.nameOf(stage, entry))
end

function Tenants.unlist(stage, entry)
  Store.write('ZREM', 'to', Tenants.nameOf(stage, entry))
end

-- Gives an entry its tenant's next tag.
function Tenants.tag(stage, lane, entry, span)
  local prefix = ownPrefix(stage, entry)
  local one = member(prefix)
  if not one then
    one = { finish = lane.virtual, count = 0 }
    members[prefix] = one
  end
  entry.span = span
  entry.rank = math.max(one.finish, lane.virtual)
  one.finish = entry.rank + span
  one.count = one.count + 1
  write(prefix, one)
  Tenants.list(stage, entry)
end

function Tenants.count(stage, entry)
  local one = member(ownPrefix(stage, entry))
  return one and one.count or 0
end

-- A ticket that was served.
function Tenants.remove(stage, entry)
  local prefix = ownPrefix(stage, entry)
  local one = member(prefix)
  if not one then return end
  Tenants.unlist(stage, entry)
  one.count = one.count - 1
  write(prefix, one)
end

-- A ticket that leaves unserved, after it has passed all others.
function Tenants.giveBack(stage, lane, entry)
  local prefix = ownPrefix(stage, entry)
  local one = member(prefix)
  if not one then return end
  Tenants.unlist(stage, entry)
  one.count = one.count - 1
  one.finish = math.max(one.finish, lane.virtual) - entry.span
  if one.finish <= lane.virtual and one.count == 0 then return drop(prefix, one) end
  write(prefix, one)
end

-- The tenant's tickets behind an entry (1), or before it (-1), the nearest first: `count` at most.
function Tenants.neighbours(stage, entry, by, count)
  local prefix = ownPrefix(stage, entry)
  local own = '(' .. Tenants.nameOf(stage, entry)
  local ids
  if by > 0 then
    ids = Store.read('ZRANGEBYLEX', 'to', own, '(' .. beyond(prefix), 'LIMIT', 0, count)
  else
    ids = Store.read('ZREVRANGEBYLEX', 'to', own, '[' .. prefix, 'LIMIT', 0, count)
  end
  for i, name in ipairs(ids) do ids[i] = unpack('>I6', name, #name - 5) end
  local entries = {}
  for i, waiter in ipairs(require('waiters').all(ids)) do
    if not waiter then return entries end
    entries[i] = waiter:entryIn(stage)
  end
  return entries
end

-- The lane is empty: nobody remembers who was served last.
function Tenants.forget(stage, lane)
  if not require('state').fair then return end
  local prefix = pack('>I6I1', stage.no, lane)
  Store.write('ZREMRANGEBYLEX', 'tn', '[' .. prefix, '(' .. beyond(prefix))
  Store.write('ZREMRANGEBYLEX', 'to', '[' .. prefix, '(' .. beyond(prefix))
  for name in pairs(members) do
    if name:sub(1, #prefix) == prefix then members[name] = nil end
  end
end

return Tenants
