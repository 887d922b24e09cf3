-- What a stage keeps of its line: how many stand in each lane, its virtual time, how many are parked, and the last entry
-- number. Most steps need no more of it.
local record = {}

function record.new(fair)
  return { size = 0, parked = 0, issued = 0, fair = fair, lanes = {} }
end

function record.load(saved)
  local line = record.new(saved[4])
  local sizes
  line.parked, line.issued, sizes = saved[1], saved[2], saved[3]
  for i = 1, #sizes, 2 do
    line.lanes[#line.lanes + 1] = { size = sizes[i], virtual = sizes[i + 1], front = {} }
    line.size = line.size + sizes[i]
  end
  return line
end

function record.save(line)
  local sizes = {}
  for _, lane in ipairs(line.lanes) do
    sizes[#sizes + 1] = lane.size
    sizes[#sizes + 1] = lane.virtual
  end
  return { line.parked, line.issued, sizes, line.fair }
end

return record
