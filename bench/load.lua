-- The load of wrk: payouts spread over the keys of a file, or a path that is read. Arguments: key file, run, path or "payouts".
local threads = 0
local keys, references, mode, sequence, prefix = {}, 0, "payouts", 0, ""

function setup(thread)
  threads = threads + 1
  thread:set("number", threads)
end

function init(args)
  for key in io.lines(args[1]) do keys[#keys + 1] = key end
  prefix = args[2] .. "-" .. number .. "-"
  mode = args[3]
  sequence = number * 7919
end

function request()
  sequence = sequence + 1
  local line = keys[sequence % #keys + 1]
  local key, id = line:match("^(%S+)%s*(%S*)$")
  local headers = { ["authorization"] = "Bearer " .. key, ["content-type"] = "application/json" }
  if mode == "payouts" or mode == "keyed" then
    if mode == "keyed" then headers["idempotency-key"] = prefix .. sequence end
    return wrk.format("POST", "/payouts", headers, '{"reference":"' .. prefix .. sequence ..
      '","amount":10000,"currency":"ngn","method":"bank_transfer","destination":{"bank_code":"058","account_number":"0123456789"}}')
  end
  return wrk.format("GET", (mode:gsub("{id}", id)), headers)
end

function done(summary, latency)
  io.write(string.format('RESULT {"requests":%d,"seconds":%.6f,"failed":%d,"p50":%.3f,"p99":%.3f}\n', summary.requests,
    summary.duration / 1e6, summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write +
    summary.errors.timeout, latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
