-- How a ticket is judged and charged: the stages that it crosses, partitions first and the whole provider last, and for each
-- account of theirs the position of its charge. The process that asks works it out; a plan that is kept names its stages,
-- and each is looked for when it is needed.
local Accounts = require('accounts')
local State = require('state')
local layout = require('layout')

local PERMIT_CHARGE, NO_CHARGE = layout.PERMIT_CHARGE, layout.NO_CHARGE

local Plans = {}

local NO_PERMITS, NONE = {}, {}

local ofTicket
require('fresh').each(function() ofTicket = {} end)

-- The plan of a ticket as its process sent it. Its stages come into use with it.
function Plans.of(ticket, now)
  local known = ofTicket[ticket]
  if known then return known end
  local Stages = require('stages')
  local contract = State.contract
  local key, lane, tenant, _, crossed, partition = unpack(ticket)
  local plan = {
    key = key, version = Plans.version(), lane = lane, tenant = tenant, refs = {}, stages = {},
    permits = NO_PERMITS,
  }
  for _, extra in ipairs(State.extras) do
    local name = not contract.sets[extra.set] and require('extras').keyOf(extra, partition)
    if name then Plans.add(plan, Stages.named(name, extra.set, now), {}) end
  end
  for _, one in ipairs(crossed) do
    local template = contract.templates[one[1] + 1]
    if #template.limits > 0 and not plan.narrowest then plan.narrowest = #plan.refs + 1 end
    Plans.add(plan, Stages.named(one[2], template.set, now), one[3])
  end
  plan.narrowest = plan.narrowest or #plan.refs
  ofTicket[ticket] = plan
  return plan
end

function Plans.add(plan, stage, positions)
  local n = #plan.refs + 1
  plan.stages[n] = stage
  plan.refs[n] = { stage.key, stage.no, positions, stage.set }
  for _, account in ipairs(stage.books) do
    if account.isPermits then
      if plan.permits == NO_PERMITS then plan.permits = {} end
      plan.permits[#plan.permits + 1] = account
    end
  end
end

-- What a plan was made under: plans made under another lead through other stages.
function Plans.version()
  return State.contract.structure .. ':' .. string.format('%.0f', State.version)
end

-- Whether two plans of a ticket lead through the same lines and accounts.
function Plans.same(one, other)
  if one == other then return true end
  if one.version ~= other.version or one.lane ~= other.lane or one.tenant ~= other.tenant then return false end
  if #one.refs ~= #other.refs then return false end
  for i, ref in ipairs(one.refs) do
    if ref[2] ~= other.refs[i][2] then return false end
  end
  return true
end

-- Stage number `i` of a plan; nil = it has become idle and was dropped since.
function Plans.stage(plan, i)
  local stage = plan.stages[i]
  if stage == nil then
    local ref = plan.refs[i]
    local found = require('stages').find(ref[1])
    stage = found and found.no == ref[2] and found or false
    plan.stages[i] = stage
  end
  return stage or nil
end

function Plans.positions(plan, i)
  return plan.refs[i][3]
end

function Plans.indexOf(plan, stage)
  for i, ref in ipairs(plan.refs) do
    if ref[2] == stage.no then return i end
  end
end

function Plans.positionsIn(plan, stage)
  return plan.refs[Plans.indexOf(plan, stage)][3]
end

-- The accounts of permits that its calls hold permits of.
function Plans.permits(plan)
  if plan.permits == nil then
    plan.permits = {}
    for i, ref in ipairs(plan.refs) do
      local stage = Plans.stage(plan, i)
      for j, account in ipairs(stage and stage.books or {}) do
        if account.isPermits and ref[3][j] ~= NO_CHARGE then plan.permits[#plan.permits + 1] = account end
      end
    end
  end
  return plan.permits
end

-- Gives back the permits of accounts that this contract does not know: those who know them find them free.
function Plans.releaseUnknown(plan)
  for _, one in ipairs(plan.unknown or NONE) do
    local stage = require('stages').find(one[1])
    local saved = stage and stage.kept[require('stages').keptAs(stage, one[2], 'permits')]
    if saved then
      saved[2] = math.max(0, saved[2] - 1)
      stage.changed = true
    end
  end
end

-- How long the provider may go on with a call of the plan after we gave it up.
function Plans.worksAfterUs(plan)
  local longest = 0
  for _, account in ipairs(Plans.permits(plan)) do longest = math.max(longest, account.worksAfterUs) end
  return longest
end

-- A plan that was kept under a contract of another structure: its charges are found by the names of the accounts.
local function adapt(plan, structure)
  local layouts = require('layouts').of(structure)
  local unknown = {}
  for _, ref in ipairs(plan.refs) do
    local key, positions, set = ref[1], ref[3], ref[4]
    local byName = {}
    for j, name in ipairs(layouts[set] or NONE) do byName[name] = positions[j] end
    for _, one in ipairs(plan.unknown or NONE) do
      if one[1] == key then byName[one[2]] = PERMIT_CHARGE end
    end
    local template = State.contract.sets[set]
    ref[3] = {}
    for j, settings in ipairs(template and template.books or NONE) do
      local at = byName[settings.name] or NO_CHARGE
      -- One of another kind may bear the name: it holds none of these permits.
      if (at == PERMIT_CHARGE) == (Accounts.partOf(settings) == 'permits') then
        ref[3][j] = at
        byName[settings.name] = nil
      else
        ref[3][j] = NO_CHARGE
      end
    end
    for name, position in pairs(byName) do
      if position == PERMIT_CHARGE then unknown[#unknown + 1] = { key, name } end
    end
  end
  plan.unknown = #unknown > 0 and unknown or nil
end

function Plans.load(saved)
  local version, lane, tenant, refs, narrowest, structure, unknown = unpack(saved)
  local plan = { version = version, lane = lane, tenant = tenant, refs = refs, narrowest = narrowest, stages = {} }
  plan.unknown = unknown or nil
  if structure ~= State.contract.structure then adapt(plan, structure) end
  return plan
end

function Plans.save(plan)
  return {
    plan.version, plan.lane, plan.tenant, plan.refs, plan.narrowest, State.contract.structure, plan.unknown or false,
  }
end

-- The stage of a limit that a refusal or a figure may name; nil = the plan crosses none.
function Plans.stageOf(plan, limit)
  if plan.stageOf == nil then
    plan.stageOf = {}
    for i, ref in ipairs(plan.refs) do
      local template = State.contract.sets[ref[4]]
      for _, index in ipairs(template and template.limits or {}) do plan.stageOf[index] = i end
    end
  end
  return plan.stageOf[limit]
end

-- Stage number `i` of a plan. One that was dropped comes into use again.
function Plans.live(plan, i, now)
  local ref = plan.refs[i]
  return require('stages').named(ref[1], ref[4], now)
end

return Plans
