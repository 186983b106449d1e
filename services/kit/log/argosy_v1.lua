#!lua name=argosy_v1
-- The server side of the event log. Edition: 1
--
-- History entry 0-<version>: field h = digest (32) . stored request id (16) . request digest (32), field e = the entry.
-- Checks come before writes, and between writes nothing can fail: the type of every key that will be written is found
-- out by reading it first, and a server without memory refuses the call before it begins.

local CLOCK_MS = 2000

local function version_of(entry)
  return tonumber(string.match(entry[1], '^0%-(%d+)$')) or -1
end

local function head_of(entry)
  return entry[2][2]
end

local function digest_of(entry)
  return string.sub(head_of(entry), 1, 32)
end

local function last_of(history)
  return redis.call('XREVRANGE', history, '+', '-', 'COUNT', 1)[1]
end

local function freeze(key, want, found)
  redis.call('SET', key, want .. '/' .. found, 'NX')
  return {'DIVERGED', found}
end

-- The head is further than expected: is what the caller stands on still there, and is the next entry its own?
local function behind(history, frozen, want, digest, new, found)
  local pair = redis.call('XRANGE', history, '0-' .. want, '0-' .. (want + 1))
  local base, next = pair[#pair - 1], pair[#pair]
  if not next or version_of(next) ~= want + 1 then return freeze(frozen, want, found) end
  if want > 0 and (not base or version_of(base) ~= want or digest_of(base) ~= digest) then
    return freeze(frozen, want, found)
  end
  local id = string.sub(new, 33, 48)
  if id ~= string.rep('\0', 16) and string.sub(head_of(next), 33, 48) == id then
    local same = string.sub(head_of(next), 49) == string.sub(new, 49)
    return {same and 'DUPLICATE' or 'REQUEST_ID_REUSED', want + 1}
  end
  return {'CONFLICT', found}
end

local function write_snapshot(key, version, fields)
  redis.call('HSET', key, 'v', version, 'd', fields[1], 's', fields[2], 'i', fields[3], 'x', fields[4])
end

-- KEYS  1 history (also the channel of its news)  2 feed  3 frozen  4 gone  5 snap  6 due
-- ARGV  1 expected version  2 expected digest  3 h  4 e  5 match id as text  6 record_time  7 its predecessor's, all ms
--       8 deadline in ms ('' leaves it, '0' removes it)  9.. nothing, or of the snapshot: digest, state, prefixes, extra
local function append(KEYS, ARGV)
  local history, feed, frozen, gone, snap, due = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
  local want, digest, new = tonumber(ARGV[1]), ARGV[2], ARGV[3]
  local last = last_of(history)
  local found = last and version_of(last) or 0
  if not last then
    local tombstone = redis.call('GET', gone)
    if tombstone then return {'GONE', tombstone} end
  end
  if found > want then return behind(history, frozen, want, digest, new, found) end
  if found < want or (last and digest_of(last) ~= digest) then return freeze(frozen, want, found) end
  if redis.call('EXISTS', frozen) == 1 then return {'FROZEN'} end
  local time, at = redis.call('TIME'), tonumber(ARGV[6])
  local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
  if at < tonumber(ARGV[7]) or math.abs(at - now) > CLOCK_MS then return {'CLOCK', now} end
  redis.call('XLEN', feed)
  if ARGV[8] ~= '' then redis.call('ZCARD', due) end
  if ARGV[9] then redis.call('HLEN', snap) end

  local version = want + 1
  redis.call('XADD', history, '0-' .. version, 'h', new, 'e', ARGV[4])
  redis.call('XADD', feed, '*', 'm', ARGV[5] .. ':' .. version)
  if ARGV[8] == '0' then
    redis.call('ZREM', due, ARGV[5])
  elseif ARGV[8] ~= '' then
    redis.call('ZADD', due, ARGV[8], ARGV[5])
  end
  if ARGV[9] then write_snapshot(snap, version, {ARGV[9], ARGV[10], ARGV[11], ARGV[12]}) end
  redis.call('SPUBLISH', history, version)
  return {'OK', version}
end

-- KEYS  1 history  2 snap  3 frozen  4 gone     ARGV  1 how many entries at most
-- A snapshot that the history does not bear out is left out, and the entries begin with the first.
local function load(KEYS, ARGV)
  local fields = redis.call('HMGET', KEYS[2], 'v', 'd', 's', 'i', 'x')
  local from = tonumber(fields[1] or 0)
  if from > 0 then
    local base = redis.call('XRANGE', KEYS[1], '0-' .. from, '0-' .. from)[1]
    if not base or digest_of(base) ~= fields[2] then from = 0 end
  end
  local tail = redis.call('XRANGE', KEYS[1], '0-' .. (from + 1), '+', 'COUNT', ARGV[1])
  return {from > 0 and fields or {}, tail, redis.call('GET', KEYS[3]), redis.call('GET', KEYS[4])}
end

-- KEYS  1 history  2 snap     ARGV  1 version  2 digest  3 state  4 prefixes  5 extra
-- Writes nothing unless the history bears it out and no later one is there.
local function snapshot(KEYS, ARGV)
  local base = redis.call('XRANGE', KEYS[1], '0-' .. ARGV[1], '0-' .. ARGV[1])[1]
  if not base or digest_of(base) ~= ARGV[2] then return {'STALE'} end
  if tonumber(redis.call('HGET', KEYS[2], 'v') or 0) >= tonumber(ARGV[1]) then return {'STALE'} end
  write_snapshot(KEYS[2], ARGV[1], {ARGV[2], ARGV[3], ARGV[4], ARGV[5]})
  return {'OK'}
end

-- KEYS  1 history  2 frozen  3 gone  4 snap  5 due     ARGV  1 match id as text  2 version  3 digest  4 days as seconds
-- Removes a match that stands in the archive, and leaves its tombstone.
local function retire(KEYS, ARGV)
  local tombstone, last = ARGV[2] .. '/' .. ARGV[3], last_of(KEYS[1])
  if not last then
    local gone = redis.call('GET', KEYS[3])
    return {gone == tombstone and 'OK' or 'ABSENT'}
  end
  if redis.call('EXISTS', KEYS[2]) == 1 then return {'FROZEN'} end
  if version_of(last) ~= tonumber(ARGV[2]) or digest_of(last) ~= ARGV[3] then return {'CONFLICT', version_of(last)} end
  redis.call('ZCARD', KEYS[5])
  redis.call('SET', KEYS[3], tombstone, 'EX', ARGV[4])
  redis.call('UNLINK', KEYS[1], KEYS[4])
  redis.call('ZREM', KEYS[5], ARGV[1])
  return {'OK'}
end

-- KEYS  1 history  2 frozen     ARGV  1 version  2 digest of the head that a repair has verified
local function thaw(KEYS, ARGV)
  local last = last_of(KEYS[1])
  if not last or version_of(last) ~= tonumber(ARGV[1]) or digest_of(last) ~= ARGV[2] then
    return {'CONFLICT', last and version_of(last) or 0}
  end
  redis.call('DEL', KEYS[2])
  return {'OK'}
end

local function is_before(one, other)
  local ms, seq = string.match(one, '^(%d+)%-(%d+)$')
  local other_ms, other_seq = string.match(other, '^(%d+)%-(%d+)$')
  ms, seq, other_ms, other_seq = tonumber(ms), tonumber(seq), tonumber(other_ms), tonumber(other_seq)
  return ms < other_ms or (ms == other_ms and seq < other_seq)
end

-- KEYS  1 feed     ARGV  names of the groups that must be there
-- Drops the pointers that every group has acknowledged. Drops none when a group is missing: it has yet to read them.
local function trim(KEYS, ARGV)
  if redis.call('EXISTS', KEYS[1]) == 0 then return {'OK', 0} end
  local missing, oldest = {}, nil
  for _, name in ipairs(ARGV) do missing[name] = true end
  for _, flat in ipairs(redis.call('XINFO', 'GROUPS', KEYS[1])) do
    local group = {}
    for i = 1, #flat, 2 do group[flat[i]] = flat[i + 1] end
    missing[group['name']] = nil
    local pending = redis.call('XPENDING', KEYS[1], group['name'])
    local kept = pending[2] or group['last-delivered-id']
    if not oldest or is_before(kept, oldest) then oldest = kept end
  end
  if next(missing) then return {'GROUP_MISSING', (next(missing))} end
  if not oldest then return {'OK', 0} end
  return {'OK', redis.call('XTRIM', KEYS[1], 'MINID', oldest)}
end

-- KEYS  1 history  2 feed     ARGV  1 match id as text
-- Points to every entry of a history once more; consumers know what they have had.
local function refeed(KEYS, ARGV)
  local last = last_of(KEYS[1])
  local count = last and version_of(last) or 0
  for version = 1, count do redis.call('XADD', KEYS[2], '*', 'm', ARGV[1] .. ':' .. version) end
  return {'OK', count}
end

redis.register_function('argosy_v1_append', append)
redis.register_function{function_name = 'argosy_v1_load', callback = load, flags = {'no-writes'}}
redis.register_function('argosy_v1_snapshot', snapshot)
redis.register_function('argosy_v1_retire', retire)
redis.register_function('argosy_v1_thaw', thaw)
redis.register_function('argosy_v1_trim', trim)
redis.register_function('argosy_v1_refeed', refeed)
