-- Twin of memory/line.ts: the tickets of a stage, by lane and rank. They stand in Redis one by one; of each lane a step
-- knows the first few (`front`), and looks further only where it must. What moves an entry is written at once.
local Store = require('store')
local Tenants = require('tenants')

local pack, unpack, unpackList = struct.pack, struct.unpack, unpack

-- So many entries are read at once: the first few, then what one scan looks at.
local FIRST_PAGE, PAGE = 4, 33

local Line = {}

function Line.lane(stage, index)
  local lanes = stage.line.lanes
  while #lanes <= index do lanes[#lanes + 1] = { size = 0, virtual = 0, front = {} } end
  return lanes[index + 1]
end

local function memberOf(stage, entry)
  local waiter = entry.waiter
  return pack('>I6I1dI6I6', stage.no, waiter.lane, entry.rank, entry.no, waiter.id)
end

local function standsBefore(one, rank, no)
  return one.rank < rank or (one.rank == rank and one.no < no)
end

-- Place in the known front of the first entry that stands behind `(rank, no)`, or at it.
local function placeOf(front, rank, no)
  local low, high = 1, #front + 1
  while low < high do
    local middle = math.floor((low + high) / 2)
    if standsBefore(front[middle], rank, no) then low = middle + 1 else high = middle end
  end
  return low
end

local function comeIn(lane, entry)
  local front = lane.front
  local at = placeOf(front, entry.rank, entry.no)
  -- Behind what is known of a longer lane it is found when it is looked for.
  if at <= #front or #front == lane.size then table.insert(front, at, entry) end
  lane.size = lane.size + 1
end

local function link(stage, lane, entry)
  Store.write('ZADD', 'ln', 0, memberOf(stage, entry))
  comeIn(lane, entry)
end

local function goOut(lane, entry)
  local front = lane.front
  local at = placeOf(front, entry.rank, entry.no)
  if front[at] == entry then table.remove(front, at) end
  lane.size = lane.size - 1
end

local function unlink(stage, lane, entry)
  Store.write('ZREM', 'ln', memberOf(stage, entry))
  goOut(lane, entry)
end

local function lost(stage, lane, count)
  lane.size = lane.size - count
  stage.line.size = stage.line.size - count
  stage.changed = true
end

-- Number `i` of a lane, from 1; nil = there are not so many.
function Line.at(stage, index, i)
  local lane = Line.lane(stage, index)
  local front = lane.front
  while #front < i and #front < lane.size do
    local from, to = pack('>I6I1', stage.no, index), pack('>I6I1', stage.no, index + 1)
    local count = #front == 0 and FIRST_PAGE or PAGE
    local members = Store.read('ZRANGEBYLEX', 'ln', '[' .. from, '(' .. to, 'LIMIT', #front, count)
    local ids = {}
    for j, member in ipairs(members) do ids[j] = unpack('>I6', member, #member - 5) end
    for j, waiter in ipairs(require('waiters').all(ids)) do
      if waiter then
        front[#front + 1] = waiter:entryIn(stage)
      else
        -- Its record was lost: nobody can ask for it any more.
        Store.write('ZREM', 'ln', members[j])
        lost(stage, lane, 1)
      end
    end
    if #members == 0 then lost(stage, lane, lane.size - #front) end
  end
  return front[i]
end

-- The entries of a lane, in order: for `for`. Nobody may come or go meanwhile.
function Line.entries(stage, index)
  local i = 0
  return function()
    i = i + 1
    return Line.at(stage, index, i)
  end
end

-- How many entries of its lane stand before one.
function Line.before(stage, entry)
  local lane = Line.lane(stage, entry.waiter.lane)
  local at = placeOf(lane.front, entry.rank, entry.no)
  if at <= #lane.front or #lane.front == lane.size then return at - 1 end
  local from = pack('>I6I1', stage.no, entry.waiter.lane)
  return Store.read('ZLEXCOUNT', 'ln', '[' .. from, '(' .. memberOf(stage, entry))
end

Line.standsBefore = standsBefore

-- Puts an entry in: a parked one where it was, another where its arrival or its tenant's tag belongs.
function Line.enter(stage, entry, cost, fair)
  if entry.state == 'in' then return end
  local line, waiter = stage.line, entry.waiter
  local lane = Line.lane(stage, waiter.lane)
  local isNew = entry.state == 'out'
  if isNew then
    line.issued = line.issued + 1
    entry.no = line.issued
    Line.rank(stage, lane, entry, cost, fair)
  else
    line.parked = line.parked - 1
  end
  entry.state = 'in'
  link(stage, lane, entry)
  line.size = line.size + 1
  stage.changed, waiter.changed = true, true
  if isNew and fair then Line.order(stage, lane, entry) end
end

-- The first tenant has come: who stood in order of arrival becomes one tenant of the fair order, in that order.
function Line.makeFair(stage, costOf)
  local line = stage.line
  line.fair = true
  stage.changed = true
  for index = 0, #line.lanes - 1 do
    local lane = Line.lane(stage, index)
    Line.at(stage, index, lane.size)
    local entries = lane.front
    local members = {}
    for i, entry in ipairs(entries) do members[i] = memberOf(stage, entry) end
    if #members > 0 then Store.writeAll('ZREM', 'ln', members) end
    lane.front, lane.size, lane.virtual = {}, 0, 0
    for _, entry in ipairs(entries) do
      line.issued = line.issued + 1
      entry.no = line.issued
      entry.waiter.changed = true
      Line.rank(stage, lane, entry, costOf(entry.waiter), true)
      link(stage, lane, entry)
    end
  end
end

function Line.rank(stage, lane, entry, cost, fair)
  if fair then return Tenants.tag(stage, lane, entry, cost / entry.waiter.weight) end
  entry.rank = entry.waiter.arrived
  entry.span = -1
end

-- Its first call is another one than it was.
function Line.headChanged(stage, entry, fair)
  if entry.state == 'out' then return end
  if fair then return Line.order(stage, Line.lane(stage, entry.waiter.lane), entry) end
  local standing = entry.state == 'in'
  Line.leave(stage, entry, false)
  if standing then Line.enter(stage, entry, 0, false) end
end

-- Takes an entry out.
function Line.leave(stage, entry, served)
  if entry.state == 'out' then return end
  local line = stage.line
  local lane = Line.lane(stage, entry.waiter.lane)
  if entry.span >= 0 then Line.untag(stage, lane, entry, served) end
  if entry.state == 'in' then
    unlink(stage, lane, entry)
    line.size = line.size - 1
  else
    line.parked = line.parked - 1
  end
  entry.state = 'out'
  stage.changed, entry.waiter.changed = true, true
  if lane.size > 0 or line.parked > 0 then return end
  Tenants.forget(stage, entry.waiter.lane)
  lane.virtual = 0
end

-- Its owner is late: it holds nobody up, and keeps its rank.
function Line.park(stage, entry)
  local line = stage.line
  unlink(stage, Line.lane(stage, entry.waiter.lane), entry)
  line.size = line.size - 1
  line.parked = line.parked + 1
  entry.state = 'parked'
  stage.changed, entry.waiter.changed = true, true
end

-- Takes an entry out of its tenant's order. One that leaves unserved gives a tag back, the last, so that it never pushed its
-- tenant behind.
function Line.untag(stage, lane, entry, served)
  if served then
    if entry.rank > lane.virtual then lane.virtual = entry.rank end
    return Tenants.remove(stage, entry)
  end
  Line.passAll(stage, lane, entry)
  Tenants.giveBack(stage, lane, entry)
end

-- Puts an entry where its arrival belongs among its tenant's.
function Line.order(stage, lane, entry)
  if Tenants.count(stage, entry) < 2 then return end
  local arrived = entry.waiter.arrived
  Line.pass(stage, lane, entry, -1, function(other) return other.waiter.arrived > arrived end)
  Line.pass(stage, lane, entry, 1, function(other) return other.waiter.arrived < arrived end)
end

-- Tickets of one tenant that one of them passes at most when it is put in order: bounds a step's work.
local MOST_PASSED = 16

-- Exchanges an entry's tag with its neighbour's, again and again, as long as it is to pass them. Most pass nobody: one is looked at
-- before all others are read at once.
function Line.pass(stage, lane, entry, by, passes)
  local nearest = Tenants.neighbours(stage, entry, by, 1)[1]
  if not nearest or not passes(nearest) then return end
  local passed = {}
  for i, other in ipairs(Tenants.neighbours(stage, entry, by, MOST_PASSED)) do
    if not passes(other) then break end
    passed[i] = other
  end
  Line.retag(stage, lane, entry, passed)
end

-- The same for one that passes all who stand behind it.
function Line.passAll(stage, lane, entry)
  local others = Tenants.neighbours(stage, entry, 1, MOST_PASSED)
  if #others > 0 then Line.retag(stage, lane, entry, others) end
end

-- Exchanges an entry's tag with the first of its neighbours', then with the next, and so on: each of them has that of the one
-- before it in the end, and the entry that of the last.
function Line.retag(stage, lane, entry, others)
  local members, names = {}, {}
  local function each(visit)
    visit(entry)
    for _, other in ipairs(others) do visit(other) end
  end
  each(function(one)
    names[#names + 1] = Tenants.nameOf(stage, one)
    if one.state == 'in' then
      members[#members + 1] = memberOf(stage, one)
      goOut(lane, one)
    end
  end)
  Store.write('ZREM', 'to', unpackList(names))
  if #members > 0 then Store.write('ZREM', 'ln', unpackList(members)) end
  for _, other in ipairs(others) do
    entry.rank, entry.no, other.rank, other.no = other.rank, other.no, entry.rank, entry.no
  end
  members, names = {}, {}
  each(function(one)
    one.waiter.changed = true
    local n = #names
    names[n + 1], names[n + 2] = 0, Tenants.nameOf(stage, one)
    if one.state == 'in' then
      n = #members
      members[n + 1], members[n + 2] = 0, memberOf(stage, one)
      comeIn(lane, one)
    end
  end)
  Store.write('ZADD', 'to', unpackList(names))
  if #members > 0 then Store.write('ZADD', 'ln', unpackList(members)) end
end

return Line
