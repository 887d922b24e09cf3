-- What all accounts share. An account ("book") is the twin of the class of the same name in libs/core/src/gate/memory/books:
-- same methods, same order of operations on doubles. Differences of writing:
--   * Lanes and limits are numbered from 0, as in the port; lists by lane hold lane n at n + 1.
--   * `load(saved)` makes a book of what `save()` gave (nil = a new one); both are lists of numbers, strings, booleans and
--     such lists, without holes, for cmsgpack. `configure(settings, same)` follows: `same` says that the settings are those
--     it was saved under, so that nothing of what it holds is fitted to them.
--   * `changed` is set when something was changed that must be saved: looking at an account can do that, too.
--   * Infinity is math.huge; `null` is nil.
local givenBack = require('books/given-back')

local book = {}

-- Rounding of doubles that is forgiven when a cost just fits.
book.EPSILON = 1e-9

-- Reset times are told in whole seconds, rounded either way.
book.RESET_ROUNDING_US = 1000000

-- A reset may be told so much later than it is: rounded up, and reckoned from an answer's Date, which is rounded down.
book.RESET_LATE_US = 2000000

-- How long a waiter for something whose moment is unknown sleeps before it looks again, if no hint comes.
book.FALLBACK_US = 1000000

-- While leases that have run out have not all ended, one who may wait for them looks again so soon: each look ends some.
book.BACKLOG_US = 5000

-- The method `correct` of a window: what was too little is charged now, what was too much goes back to when it was charged.
function book:correct(now, lane, extra, grantedAt)
  if extra > 0 then
    self:charge(now, lane, extra)
  elseif extra < 0 then
    self:refund(now, lane, -extra, grantedAt)
    self.givenBack = givenBack.note(self.givenBack, now, -extra, grantedAt)
    self.changed = true
  end
end

-- Where there is none. Never written to.
book.NONE = {}

return book
