-- Twin of books/make.ts: the account of a limit, with the contract's numbers. What it holds is kept where it is of the same
-- kind. The settings of an account, as its process sends them (all times in microseconds, rates per microsecond):
--
--   kind            name  limit  and
--   token-bucket    ..    index  burst, rate, guardUs, reserves
--   ceiling         ..    -1     burst, rate, guardUs = 0
--   sliding-window  ..    index  capacity, spanUs: the window and the guard
--   fixed-window    ..    index  capacity, lengthUs, guardUs, aligned
--   concurrency     ..    index  capacity, worksAfterUs, reserves
--   tenant-share    ..    -1     capacity, worksAfterUs = 0
--   quota           ..    index  capacity, zone, guardUs, reserves
--
-- `reserves`: by lane; absent = no lane has one. `zone`: whatever tells periods apart, as 'day Europe/Rome 100000'. By it the
-- contract's `edges` are found: the moments, oldest first, at which one period ends and the next begins, from that before the
-- present one to some in the future. They are no part of the contract's hash: two processes may know other ones.
local Accounts = {}

-- Part and cause of each kind.
local KINDS = {
  ['token-bucket'] = { 'bucket', 'rate' },
  ceiling = { 'bucket', 'ceiling' },
  ['sliding-window'] = { 'sliding' },
  ['fixed-window'] = { 'fixed' },
  concurrency = { 'permits', 'concurrency' },
  ['tenant-share'] = { 'permits', 'tenant-share' },
  quota = { 'calendar-quota' },
}

-- What an account of these settings saves begins with this.
function Accounts.partOf(settings)
  return KINDS[settings.kind][1]
end

local function partOf(name)
  if name == 'bucket' then return require('books/bucket') end
  if name == 'permits' then return require('books/permits') end
  if name == 'sliding' then return require('books/sliding') end
  if name == 'fixed' then return require('books/fixed') end
  return require('books/calendar-quota')
end

-- `saved`: what was saved of it; nil = a new one. `log`: a name that no other account has. `same`: it was saved under these
-- settings.
function Accounts.make(settings, saved, log, same)
  local kind = KINDS[settings.kind]
  local isKept = saved ~= nil and saved[1] == kind[1]
  local account = partOf(kind[1]).load(isKept and saved or nil, kind[2], log)
  if settings.zone then settings.edges = require('state').contract.edges[settings.zone] end
  account:configure(settings, same and isKept)
  return account
end

return Accounts
