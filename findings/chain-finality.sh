#!/usr/bin/env bash
# What development nodes answer for `finalized`, for blocks that do not exist yet and for unknown ones.
#
# One would guess: with blocks mined at once and no consensus layer, `safe` and `finalized` are the
# latest block everywhere, or unknown; and eth_getLogs answers alike at all nodes.
# True: anvil says latest - 32 for `safe` and latest - 64 for `finalized`; Hardhat and ganache say the
# latest block for both. A range of logs wholly beyond the head is an error at anvil, and an empty
# list at the other two. Logs of a block hash that the node does not have are an error at anvil and
# Hardhat, and an empty list at ganache. A range that ends beyond the head is an empty list at all.
#
# Why it matters to who runs payments: a watcher of deposits that waits for `finalized` is never tested
# by Hardhat or ganache, since there is nothing to wait for, and credits nothing at anvil before 64 more
# blocks are mined. An empty list for a block that was reorganised away, or is not there yet, reads as
# "no deposit".
#
# Versions: @foundry-rs/anvil 1.7.1, hardhat 2.29.1, ganache 7.9.2.
# Source: execution-apis (ethereum/execution-apis), block tags; EIP-234 on unknown block hashes.
set -euo pipefail
dir=$(mktemp -d)
nodes=()
trap 'kill "${nodes[@]}" 2> /dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
mkdir one two
(cd one && npm init -y > /dev/null && npm install --silent --no-audit --no-fund @foundry-rs/anvil@1.7.1 ganache@7.9.2)
(cd two && npm init -y > /dev/null && npm install --silent --no-audit --no-fund hardhat@2.29.1)
echo 'module.exports = { solidity: "0.8.28" }' > two/hardhat.config.js

port=$((20000 + RANDOM % 10000))
one/node_modules/.bin/anvil --silent --port "$port" > /dev/null 2>&1 & nodes+=($!)
one/node_modules/.bin/ganache --logging.quiet --server.port $((port + 1)) > /dev/null 2>&1 & nodes+=($!)
(cd two && HARDHAT_DISABLE_TELEMETRY_PROMPT=true exec node_modules/.bin/hardhat node --hostname 127.0.0.1 --port $((port + 2))) > /dev/null 2>&1 & nodes+=($!)

cat > ask.mjs <<'JS'
import assert from 'node:assert/strict'
const first = Number(process.argv[2])
const ask = async (port, method, ...params) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  return await response.json()
}
const ready = async (port) => {
  for (let tries = 0; tries < 600; tries++) {
    if (await ask(port, 'eth_chainId').catch(() => null)) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error(`no node at ${port}`)
}
const hex = (n) => `0x${n.toString(16)}`
const logs = ({ result, error }) => (error ? 'error' : `${result.length} logs`)
const seen = {}
for (const [i, name] of ['anvil', 'ganache', 'hardhat'].entries()) {
  const port = first + i
  await ready(port)
  for (let n = 0; n < 100; n++) await ask(port, 'evm_mine')
  const tag = async (name) => Number((await ask(port, 'eth_getBlockByNumber', name, false)).result.number)
  const latest = await tag('latest')
  const of = async (filter) => logs(await ask(port, 'eth_getLogs', filter))
  seen[name] = {
    client: (await ask(port, 'web3_clientVersion')).result.split('/').slice(0, 2).join(' '),
    'latest - safe': latest - (await tag('safe')),
    'latest - finalized': latest - (await tag('finalized')),
    'ends beyond the head': await of({ fromBlock: hex(latest - 1), toBlock: hex(latest + 10) }),
    'wholly beyond the head': await of({ fromBlock: hex(latest + 5), toBlock: hex(latest + 10) }),
    'unknown block hash': await of({ blockHash: `0x${'11'.repeat(32)}` }),
  }
}
console.table(seen)
const row = (name) => Object.values(seen[name]).slice(1)
assert.deepEqual(row('anvil'), [32, 64, '0 logs', 'error', 'error'])
assert.deepEqual(row('ganache'), [0, 0, '0 logs', '0 logs', '0 logs'])
assert.deepEqual(row('hardhat'), [0, 0, '0 logs', '0 logs', 'error'])
JS
node ask.mjs "$port"
