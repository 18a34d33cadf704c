-- What wrk asks: payouts, each with a reference of its own, spread over the keys of a file.
-- Arguments: the file, one key a line; a name that no other run on the database has.
local threads = 0

function setup(thread)
  threads = threads + 1
  thread:set("number", threads)
end

local keys, prefix, sequence = {}, "", 0

function init(args)
  for key in io.lines(args[1]) do keys[#keys + 1] = key end
  prefix = args[2] .. "-" .. number .. "-"
  sequence = number * 7919
end

function request()
  sequence = sequence + 1
  local headers = { ["authorization"] = "Bearer " .. keys[sequence % #keys + 1], ["content-type"] = "application/json" }
  return wrk.format("POST", "/payouts", headers, '{"reference":"' .. prefix .. sequence ..
    '","amount":10000,"currency":"ngn","method":"bank_transfer","destination":{"bank_code":"058","account_number":"0123456789"}}')
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('RESULT {"requests":%d,"seconds":%.6f,"failed":%d,"p50":%.3f,"p99":%.3f}\n',
    summary.requests, summary.duration / 1e6, errors.status + errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
