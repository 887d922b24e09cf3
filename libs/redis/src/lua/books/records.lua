-- A list of records of one size that grows at its end and is forgotten from its front, as logs are: whatever its length, a
-- step reads and writes a few records of it. Records stand sixteen to a chunk, one string each. The last chunk is kept with
-- whatever owns the list; full ones stand in `lg`, and a list that fits one chunk has none there.
--
-- Records are numbered from 0 for as long as there are any; `from` is the first that is left, `to` the next to come.
local Store = require('store')

local floor = math.floor

local IN_CHUNK = 16

local Records = {}
Records.__index = Records

-- `name`: that no other list has. `bytes`: size of a record.
function Records.load(name, bytes, from, to, tail)
  return setmetatable({ name = name, bytes = bytes, from = from, to = to, tail = tail, chunks = {} }, Records)
end

function Records.new(name, bytes)
  return Records.load(name, bytes, 0, 0, '')
end

function Records:length()
  return self.to - self.from
end

local function fieldOf(records, no)
  return records.name .. '|' .. string.format('%.0f', no)
end

-- Number of the last chunk: that of the last record, even where it is full.
local function lastChunk(records)
  return floor((records.to - 1) / IN_CHUNK)
end

local function chunkAt(records, no)
  if no == lastChunk(records) then return records.tail end
  local chunk = records.chunks[no]
  if chunk == nil then
    chunk = Store.read('HGET', 'lg', fieldOf(records, no))
    -- One that was lost reads as nothing of long ago.
    if not chunk then chunk = string.rep('\0', IN_CHUNK * records.bytes) end
    records.chunks[no] = chunk
  end
  return chunk
end

-- The string that holds record `i` of those that are left, counted from 0, and where in it.
function Records:at(i)
  local n = self.from + i
  local no = floor(n / IN_CHUNK)
  return chunkAt(self, no), (n - no * IN_CHUNK) * self.bytes + 1
end

function Records:replace(i, record)
  local no = floor((self.from + i) / IN_CHUNK)
  local chunk, at = self:at(i)
  chunk = chunk:sub(1, at - 1) .. record .. chunk:sub(at + self.bytes)
  if no == lastChunk(self) then
    self.tail = chunk
  else
    self.chunks[no] = chunk
    Store.write('HSET', 'lg', fieldOf(self, no), chunk)
  end
end

-- Where all that is left stands in the full last chunk, what is gone of it makes room.
local function makeRoom(records)
  local no = lastChunk(records)
  local gone = records.from - no * IN_CHUNK
  if gone > 0 then
    records.tail = records.tail:sub(gone * records.bytes + 1)
    records.from, records.to, records.chunks = 0, records.to - records.from, {}
  else
    Store.write('HSET', 'lg', fieldOf(records, no), records.tail)
    records.chunks[no] = records.tail
    records.tail = ''
  end
end

function Records:push(record)
  if #self.tail == IN_CHUNK * self.bytes then makeRoom(self) end
  self.tail = self.tail .. record
  self.to = self.to + 1
end

function Records:dropFirst()
  self.from = self.from + 1
  if self.from == self.to then return self:clear() end
  local no = floor(self.from / IN_CHUNK)
  if self.from == no * IN_CHUNK then
    Store.write('HDEL', 'lg', fieldOf(self, no - 1))
    self.chunks[no - 1] = nil
  end
end

-- Takes record `i` out. What stands behind it is written anew: it is meant for those near the end.
function Records:remove(i)
  local behind = {}
  for j = i + 1, self:length() - 1 do
    local chunk, at = self:at(j)
    behind[#behind + 1] = chunk:sub(at, at + self.bytes - 1)
  end
  self:truncate(i)
  for _, record in ipairs(behind) do self:push(record) end
end

-- Leaves the first `length`.
function Records:truncate(length)
  if length == 0 then return self:clear() end
  local last = lastChunk(self)
  local chunk, at = self:at(length - 1)
  self.to = self.from + length
  for no = lastChunk(self), last - 1 do
    Store.write('HDEL', 'lg', fieldOf(self, no))
    self.chunks[no] = nil
  end
  self.tail = chunk:sub(1, at + self.bytes - 1)
end

function Records:clear()
  for no = floor(self.from / IN_CHUNK), lastChunk(self) - 1 do
    Store.write('HDEL', 'lg', fieldOf(self, no))
  end
  self.from, self.to, self.tail, self.chunks = 0, 0, '', {}
end

return Records
