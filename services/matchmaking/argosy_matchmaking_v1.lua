#!lua name=argosy_matchmaking_v1
-- The server side of matchmaking: tickets and queues of one game, whose keys share a hash tag. Edition: 3
--
-- A ticket is a hash: p player, g game, q queue, s state, w the wish, d request digest, c created and x expires (ms),
-- r its member of the queue, and once claimed m match and e seat; f when the match has let the player go.
-- States: W waiting, L claimed (a match is being made), M matched, C cancelled, X expired, Z closed.
-- Beside the set of queues stands, as `changed`, each of them by its last arrival. Checks come before writes. Watchers are told by a message on the ticket's key, the lease holder on the game's.

local DAY_MS = 86400000

local function now_ms()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

local function finish(ticket, state, kept_ms)
  redis.call('HSET', ticket, 's', state)
  redis.call('PEXPIRE', ticket, kept_ms)
  redis.call('SPUBLISH', ticket, 1)
end

local function leave_queue(queue, queues, expiry, name, member)
  redis.call('ZREM', queue, member)
  redis.call('ZREM', expiry, name .. '|' .. member)
  if redis.call('ZCARD', queue) == 0 then
    redis.call('SREM', queues, name)
    redis.call('ZREM', queues .. ':changed', name)
  end
end

local function free(waiting, player, id)
  if redis.call('HGET', waiting, player) == id then redis.call('HDEL', waiting, player) end
end

-- KEYS  1 ticket  2 queue  3 waiting  4 queues  5 expiry  6 arrivals  7 news
-- ARGV  1 ticket id as text  2 player  3 game  4 queue's name  5 request digest  6 wish  7 lifetime  8 kept, both in ms
--       9 fewest seats  10 most seats  11 bot policy  12 wait for bots in ms  13 player as text
local function create(KEYS, ARGV)
  local ticket, queue, waiting, id = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
  local digest = redis.call('HGET', ticket, 'd')
  if digest then return {digest == ARGV[5] and 'OK' or 'REQUEST_ID_REUSED', id} end
  local other = redis.call('HGET', waiting, ARGV[2])
  if other then return {'EXISTS', other} end
  local now = now_ms()
  local expires = now + tonumber(ARGV[7])
  local bots_at = ARGV[11] ~= '' and now + tonumber(ARGV[12]) or 0
  local member = table.concat(
    {id, ARGV[13], ARGV[9], ARGV[10], ARGV[11], string.format('%d|%d|%d', now, bots_at, expires)}, '|')
  redis.call('HSET', ticket, 'p', ARGV[2], 'g', ARGV[3], 'q', ARGV[4], 's', 'W', 'w', ARGV[6], 'd', ARGV[5],
    'c', string.format('%d', now), 'x', string.format('%d', expires), 'r', member)
  redis.call('PEXPIREAT', ticket, string.format('%d', expires + tonumber(ARGV[8])))
  local arrival = redis.call('INCR', KEYS[6])
  redis.call('ZADD', queue, arrival, member)
  redis.call('ZADD', KEYS[4] .. ':changed', arrival, ARGV[4])
  redis.call('HSET', waiting, ARGV[2], id)
  redis.call('SADD', KEYS[4], ARGV[4])
  redis.call('ZADD', KEYS[5], string.format('%d', expires), ARGV[4] .. '|' .. member)
  redis.call('SPUBLISH', KEYS[7], 1)
  return {'OK', id}
end

-- KEYS  1 ticket  2 queue  3 waiting  4 queues  5 expiry     ARGV  1 ticket id  2 kept in ms
local function cancel(KEYS, ARGV)
  local fields = redis.call('HMGET', KEYS[1], 's', 'p', 'q', 'r')
  if not fields[1] then return {'ABSENT'} end
  if fields[1] == 'L' or fields[1] == 'M' then return {'MATCHED'} end
  if fields[1] ~= 'W' then return {'OK'} end
  leave_queue(KEYS[2], KEYS[4], KEYS[5], fields[3], fields[4])
  free(KEYS[3], fields[2], ARGV[1])
  finish(KEYS[1], 'C', ARGV[2])
  return {'OK'}
end

-- KEYS  1 ticket  2 queue  3 waiting  4 queues  5 expiry
-- ARGV  1 ticket id  2 queue's name  3 player  4 member of the queue  5 kept in ms
-- Ends a ticket whose time has come, and whatever is left of one that is gone.
local function expire(KEYS, ARGV)
  local fields = redis.call('HMGET', KEYS[1], 's', 'x')
  if fields[1] == 'W' and tonumber(fields[2]) > now_ms() then return {'EARLY'} end
  leave_queue(KEYS[2], KEYS[4], KEYS[5], ARGV[2], ARGV[4])
  if fields[1] and fields[1] ~= 'W' then return {'OK'} end
  free(KEYS[3], ARGV[3], ARGV[1])
  if fields[1] then finish(KEYS[1], 'X', ARGV[5]) end
  return {'OK'}
end

-- KEYS  1 queues     ARGV  1 what the keys of queues begin with  2 how many of each at most
-- Every queue in which somebody waits: its name and its members in order of arrival, in turn.
local function seen(KEYS, ARGV)
  local found = {}
  for _, name in ipairs(redis.call('SMEMBERS', KEYS[1])) do
    found[#found + 1] = name
    found[#found + 1] = redis.call('ZRANGE', ARGV[1] .. name, 0, tonumber(ARGV[2]) - 1)
  end
  return found
end

-- KEYS  1 lease  2 fence     ARGV  1 holder  2 how long, in ms
-- The number under which the holder may claim; 0 while another holds the lease. Each new holding has a higher one.
local function lease(KEYS, ARGV)
  local holder = redis.call('GET', KEYS[1])
  if holder and holder ~= ARGV[1] then return 0 end
  local fence = holder and tonumber(redis.call('GET', KEYS[2])) or redis.call('INCR', KEYS[2])
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return fence
end

-- KEYS  1 lease     ARGV  1 holder
local function release(KEYS, ARGV)
  if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
  return 'OK'
end

local function holds(lease_key, fence_key, holder, fence)
  return redis.call('GET', lease_key) == holder and redis.call('GET', fence_key) == fence
end

-- KEYS  1 lease  2 fence  3 queue  4 queues  5 expiry  6 intents  7.. tickets
-- ARGV  1 holder  2 fence  3 match  4 the intended match  5 queue's name
-- Claims all tickets for one match, or none: the one step after which no cancelling is possible.
local function claim(KEYS, ARGV)
  if not holds(KEYS[1], KEYS[2], ARGV[1], ARGV[2]) then return {'LEASE_LOST'} end
  local now, members = now_ms(), {}
  for i = 7, #KEYS do
    local fields = redis.call('HMGET', KEYS[i], 's', 'x', 'r')
    if fields[1] ~= 'W' or tonumber(fields[2]) <= now then return {'CHANGED'} end
    members[i] = fields[3]
  end
  redis.call('HSET', KEYS[6], ARGV[3], ARGV[4])
  for i = 7, #KEYS do
    redis.call('HSET', KEYS[i], 's', 'L', 'm', ARGV[3], 'e', i - 7)
    redis.call('PERSIST', KEYS[i])
    leave_queue(KEYS[3], KEYS[4], KEYS[5], ARGV[5], members[i])
  end
  return {'OK'}
end

-- KEYS  1 intents  2 made  3.. tickets     ARGV  1 match  2 the intended match
-- The match exists: its tickets are matched. Does nothing a second time.
local function settle(KEYS, ARGV)
  if redis.call('HDEL', KEYS[1], ARGV[1]) == 0 then return {'DONE'} end
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
  for i = 3, #KEYS do
    if redis.call('HGET', KEYS[i], 's') == 'L' then finish(KEYS[i], 'M', 2 * DAY_MS) end
  end
  return {'OK'}
end

local function is_after(one, other)
  local ms, seq = string.match(one, '^(%d+)%-(%d+)$')
  local other_ms, other_seq = string.match(other, '^(%d+)%-(%d+)$')
  ms, seq, other_ms, other_seq = tonumber(ms), tonumber(seq), tonumber(other_ms), tonumber(other_seq)
  return ms > other_ms or (ms == other_ms and seq > other_seq)
end

-- KEYS  1 intents  2 made  3 waiting  4 positions  5 results  6.. tickets
-- ARGV  1 match  2 'started' or 'closed' ('' for neither)  3 what to count ('' for nothing)  4 kept in ms
--       5 partition  6 position in its feed ('' for none)  7.. tickets' ids and players, in turn
-- What happened to a match: its players are free again, and its tickets are closed when it ended without a start. The
-- position is stored in the same step; what is not after the position stored before is not counted again.
local function hear(KEYS, ARGV)
  local is_new = true
  if ARGV[6] ~= '' then
    local stored = redis.call('HGET', KEYS[4], ARGV[5])
    is_new = not stored or is_after(ARGV[6], stored)
    if is_new then redis.call('HSET', KEYS[4], ARGV[5], ARGV[6]) end
  end
  if is_new and ARGV[3] ~= '' then redis.call('HINCRBY', KEYS[5], ARGV[3], 1) end
  if ARGV[2] == '' then return {'OK'} end
  redis.call('HDEL', KEYS[1], ARGV[1])
  redis.call('HDEL', KEYS[2], ARGV[1])
  for i = 6, #KEYS do
    local at = 7 + 2 * (i - 6)
    free(KEYS[3], ARGV[at + 1], ARGV[at])
    local state = redis.call('HGET', KEYS[i], 's')
    if state == 'L' or state == 'M' then
      redis.call('HSET', KEYS[i], 'f', 1)
      finish(KEYS[i], ARGV[2] == 'closed' and 'Z' or 'M', ARGV[4])
    end
  end
  return {'OK'}
end

-- KEYS  1 waiting     ARGV  1 player  2 ticket id
-- Frees a player whose ticket is gone.
local function forget(KEYS, ARGV)
  free(KEYS[1], ARGV[1], ARGV[2])
  return 'OK'
end

redis.register_function('argosy_matchmaking_v1_create', create)
redis.register_function('argosy_matchmaking_v1_cancel', cancel)
redis.register_function('argosy_matchmaking_v1_expire', expire)
redis.register_function{
  function_name = 'argosy_matchmaking_v1_seen', callback = seen, flags = {'no-writes'}}
redis.register_function('argosy_matchmaking_v1_lease', lease)
redis.register_function('argosy_matchmaking_v1_release', release)
redis.register_function('argosy_matchmaking_v1_claim', claim)
redis.register_function('argosy_matchmaking_v1_settle', settle)
redis.register_function('argosy_matchmaking_v1_hear', hear)
redis.register_function('argosy_matchmaking_v1_forget', forget)
