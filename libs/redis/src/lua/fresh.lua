-- Where the script runs as a function of Redis its parts outlive a step. What a part keeps is kept for one step all the same:
-- it says here how it begins, which is done when the part is first asked for, and again before each step.
local fresh = {}

local beginnings = {}

function fresh.each(begin)
  beginnings[#beginnings + 1] = begin
  begin()
end

function fresh.begin()
  for i = 1, #beginnings do beginnings[i]() end
end

return fresh
