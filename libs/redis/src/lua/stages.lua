-- Twin of memory/stages.ts: the stages of a provider that are in use. Each is read when a step first needs it, and written
-- at its end where it has changed.
local Accounts = require('accounts')
local LineRecord = require('line-record')
local PauseRecord = require('pause-record')
local State = require('state')
local Store = require('store')

-- A stage is looked at again after so long, to see whether it is still in use.
local LOOK_AGAIN_US = 1000000

-- Name of the stage that counts the whole provider, and its number.
local WHOLE = '*'
local WHOLE_NO = 0

local Stages = { LOOK_AGAIN_US = LOOK_AGAIN_US }

-- By key; false = it is not in use.
local known
require('fresh').each(function()
  known = {}
  Stages.known = known
end)

-- Its name in `sx`: in order of the numbers, those that came into use at one moment are looked at in the order in which they did.
function Stages.nameOf(stage)
  return Store.id(stage.no) .. stage.key
end

-- Numbers, not names: those of partitions are long.
local function logOf(stage, name)
  return string.format('%.0f', stage.no) .. '|' .. name
end

-- Where an account is kept: under its name, unless another contract calls one of another kind so. Then each has its own.
function Stages.keptAs(stage, name, part)
  local other = stage.kept[name]
  if other == nil or other[1] == part then return name end
  return name .. '\0' .. part
end

local function furnish(stage, saved)
  local contract = State.contract
  local template = contract.sets[stage.set]
  stage.books, stage.names = {}, {}
  stage.kept = saved or {}
  if template == nil then return end
  local same = stage.config == contract.hash
  for j, settings in ipairs(template.books) do
    local name = Stages.keptAs(stage, settings.name, Accounts.partOf(settings))
    stage.names[j] = name
    stage.books[j] = Accounts.make(settings, stage.kept[name], logOf(stage, name), same)
  end
  if not same then
    stage.config = contract.hash
    stage.changed, stage.isRefitted = true, true
  end
end

local function load(key, record)
  local stage = { key = key, whole = key == WHOLE, changed = false }
  local pause, line, names, saved
  stage.no, stage.set, stage.config, stage.isListed, pause, line, names, saved = unpack(cmsgpack.unpack(record))
  stage.pause, stage.line = PauseRecord.load(pause), LineRecord.load(line)
  local byName = {}
  for i, name in ipairs(names) do byName[name] = saved[i] end
  furnish(stage, byName)
  if State.fair and not stage.line.fair then require('fairness').of(stage) end
  return stage
end

local function save(stage)
  local names, saved = {}, {}
  for j, account in ipairs(stage.books) do
    stage.kept[stage.names[j]] = account:save()
  end
  -- Accounts that another contract knows are kept as they are: while both are in use, neither forgets what the other counts.
  for name, one in pairs(stage.kept) do
    names[#names + 1], saved[#saved + 1] = name, one
  end
  return cmsgpack.pack({
    stage.no, stage.set, stage.config, stage.isListed, PauseRecord.save(stage.pause), LineRecord.save(stage.line), names, saved,
  })
end

local function create(key, set, no)
  local stage = { key = key, no = no, set = set, whole = key == WHOLE, changed = true, isListed = false, config = '' }
  stage.pause, stage.line = PauseRecord.new(), LineRecord.new(State.fair)
  furnish(stage, nil)
  known[key] = stage
  return stage
end

-- The stage of that name, where it is in use.
function Stages.find(key)
  local stage = known[key]
  if stage == nil then
    local record
    if key == WHOLE then record = State.wholeRecord else record = Store.read('HGET', 'st', key) end
    stage = record and load(key, record)
    known[key] = stage
  end
  return stage or nil
end

-- Reads at once those of these stages that are in use.
function Stages.prefetch(keys)
  local missing = {}
  for _, key in ipairs(keys) do
    if known[key] == nil and key ~= WHOLE then
      known[key] = false
      missing[#missing + 1] = key
    end
  end
  if #missing == 0 then return end
  for i, record in ipairs(Store.read('HMGET', 'st', unpack(missing))) do
    if record then known[missing[i]] = load(missing[i], record) end
  end
end

-- The stage of that name, which comes into use where it was not.
function Stages.named(key, set, now)
  local stage = Stages.find(key)
  if stage then return stage end
  if key == WHOLE then return create(key, set, WHOLE_NO) end
  State.stageNo = State.stageNo + 1
  stage = create(key, set, State.stageNo)
  stage.due = now + LOOK_AGAIN_US
  return stage
end

function Stages.whole()
  return Stages.named(WHOLE, State.contract.wholeSet)
end

local function list(stage, now)
  local closed = stage.pause.active
  for _, account in ipairs(stage.books) do closed = closed or account.shutUntil > now end
  if closed == stage.isListed then return end
  stage.isListed = closed
  if closed then Store.write('ZADD', 'px', 0, stage.key) else Store.write('ZREM', 'px', stage.key) end
end

function Stages.saveAll(now)
  local records, dues = {}, {}
  for key, stage in pairs(known) do
    if stage then
      local changed = stage.changed
      for _, account in ipairs(stage.books) do changed = changed or account.changed end
      if changed then
        list(stage, now)
        local record = save(stage)
        if key == WHOLE then
          State.keepWhole(record)
        else
          records[#records + 1], records[#records + 2] = key, record
        end
      end
      if stage.due then
        dues[#dues + 1], dues[#dues + 2] = stage.due, Stages.nameOf(stage)
      end
    end
  end
  if #records > 0 then Store.writeAll('HSET', 'st', records) end
  if #dues > 0 then Store.addDues('sx', dues) end
end

return Stages
