-- What wrk asks, spread over the lines of a file: an API key and the id of one of its transactions, or nothing for no key.
-- Arguments: the file; a name that no other run on the database has; "payouts", "keyed" (with an Idempotency-Key each) or a
-- path to get, in which {id} is the transaction.
local threads = 0

function setup(thread)
  threads = threads + 1
  thread:set("number", threads)
end

local owners, reads, prefix, mode, sequence = {}, {}, "", "", 0

function init(args)
  prefix = args[2] .. "-" .. number .. "-"
  mode = args[3]
  sequence = number * 7919
  for line in io.lines(args[1]) do
    local key, id = line:match("^(%S*)%s*(%S*)$")
    local headers = { ["content-type"] = "application/json" }
    if key ~= "" then headers["authorization"] = "Bearer " .. key end
    owners[#owners + 1] = headers
    -- Reads do not differ from one time to the next: making them again would be work of the machine under test.
    if mode:sub(1, 1) == "/" then reads[#reads + 1] = wrk.format("GET", (mode:gsub("{id}", id)), headers) end
  end
end

function request()
  sequence = sequence + 1
  if #reads > 0 then return reads[sequence % #reads + 1] end
  local headers = owners[sequence % #owners + 1]
  if mode == "keyed" then headers["idempotency-key"] = prefix .. sequence end
  return wrk.format("POST", "/payouts", headers, '{"reference":"' .. prefix .. sequence ..
    '","amount":10000,"currency":"ngn","method":"bank_transfer","destination":{"bank_code":"058","account_number":"0123456789"}}')
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('RESULT {"requests":%d,"seconds":%.6f,"failed":%d,"p50":%.3f,"p99":%.3f}\n',
    summary.requests, summary.duration / 1e6, errors.status + errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
