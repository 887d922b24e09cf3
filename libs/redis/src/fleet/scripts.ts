/** Small scripts beside the step: who is there, what was announced, who renews credentials. Redis tells the time in all of them. */
import { Script } from '../script.js';

const NOW = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local function ms(value) return string.format('%.0f', value) end
`;

/**
 * Says that a process is there, and tells it what has changed.
 * KEYS: roster, news. ARGV: process, how long it counts as there, how long the news are kept, the roster's version it knows,
 * the news' version it knows.
 * Reply: roster version, news version, news or '', members (only where the roster's version is another).
 */
export const BEAT = new Script(`${NOW}
local roster, news = KEYS[1], KEYS[2]
local changed = redis.call('ZREMRANGEBYSCORE', roster, '-inf', ms(now - tonumber(ARGV[2])))
changed = changed + redis.call('ZADD', roster, ms(now), ARGV[1])
if changed > 0 then redis.call('HINCRBY', news, 'roster', 1) end
redis.call('PEXPIRE', roster, ARGV[2])
redis.call('PEXPIRE', news, ARGV[3])
local has = redis.call('HMGET', news, 'roster', 'version', 'patch')
local reply = { has[1] or '0', has[2] or '0', '' }
if reply[2] ~= ARGV[5] then reply[3] = has[3] or '' end
if reply[1] ~= ARGV[4] then
  for _, member in ipairs(redis.call('ZRANGE', roster, 0, -1)) do reply[#reply + 1] = member end
end
return reply
`);

/** Takes a process off the roster. KEYS: roster, news. ARGV: process. */
export const LEAVE = new Script(`
if redis.call('ZREM', KEYS[1], ARGV[1]) > 0 then redis.call('HINCRBY', KEYS[2], 'roster', 1) end
return 1
`);

/**
 * Announces new numbers, where nobody has meanwhile.
 * KEYS: news. ARGV: the version they are made from, the numbers, how long they are kept, channel, command to publish with.
 * Reply: 1 or 0, version, numbers.
 */
export const ANNOUNCE = new Script(`
local has = redis.call('HMGET', KEYS[1], 'version', 'patch')
local version = has[1] or '0'
if version ~= ARGV[1] then return { 0, version, has[2] or '' } end
version = string.format('%.0f', tonumber(version) + 1)
redis.call('HSET', KEYS[1], 'version', version, 'patch', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call(ARGV[5], ARGV[4], version)
return { 1, version, ARGV[2] }
`);

/**
 * Asks for newer credentials of a partition, or for the right to get them.
 * KEYS: credentials. ARGV: process, the generation that was refused, how long it may take, how long it is remembered.
 * Reply: 'have', generation, sealed credentials or '' | 'yours', generation | 'wait', ms.
 */
export const RENEW = new Script(`${NOW}
local has = redis.call('HMGET', KEYS[1], 'generation', 'sealed', 'owner', 'until')
local generation = has[1] or '0'
if tonumber(generation) > tonumber(ARGV[2]) then return { 'have', generation, has[2] or '' } end
local left = has[3] and has[3] ~= ARGV[1] and tonumber(has[4]) - now or 0
if left > 0 then return { 'wait', ms(left) } end
redis.call('HSET', KEYS[1], 'generation', generation, 'owner', ARGV[1], 'until', ms(now + tonumber(ARGV[3])))
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return { 'yours', generation }
`);

/**
 * Ends what RENEW began, where it has not been given to another since.
 * KEYS: credentials. ARGV: process, '1' = there are new ones, sealed credentials or '', how long they are remembered.
 * Reply: generation.
 */
export const RENEWED = new Script(`
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return redis.call('HGET', KEYS[1], 'generation') or '0' end
redis.call('HDEL', KEYS[1], 'owner', 'until')
if ARGV[2] == '1' then
  redis.call('HINCRBY', KEYS[1], 'generation', 1)
  redis.call('HSET', KEYS[1], 'sealed', ARGV[3])
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
end
return redis.call('HGET', KEYS[1], 'generation') or '0'
`);
