#!/usr/bin/env bash
# Amounts with more decimals than the token has, in four libraries that turn them into base units.
#
# One would guess: a library rejects "0.0000005" for a token of six decimals, because no integer
# number of base units equals it.
# True: ethers rejects it. viem rounds half up, so that "0.0000005" becomes 1 base unit and
# "1.9999999" becomes 2000000. eth-utils cuts the rest off. web3-utils cuts it off as well, and
# returns an empty string (not "0") where no digit is left; BigInt('') is 0n, Number('') is 0.
#
# Why it matters to who runs payments: the same typed amount pays out different base units by
# library, viem sends more than was typed, and web3-utils hands an empty text to whatever is next.
# Count the decimals yourself before the library does the conversion.
#
# Versions: viem 2.57.20, ethers 6.17.0, web3-utils 4.3.3, eth-utils 6.0.0.
# Source: seen by running; viem's rounding is in src/utils/unit/parseUnits.ts of wevm/viem.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund viem@2.57.20 ethers@6.17.0 web3-utils@4.3.3
python3 -m venv env
env/bin/pip --quiet install eth-utils==6.0.0

cat > amounts.mjs <<'JS'
import assert from 'node:assert/strict'
import { parseUnits as viem } from 'viem'
import { parseUnits as ethers } from 'ethers'
import { toWei } from 'web3-utils'

const result = (convert) => {
  try {
    return String(convert())
  } catch (error) {
    return `error: ${(error.shortMessage ?? error.message).split(/[\n(]/)[0].trim()}`
  }
}
const seen = {}
for (const text of ['0.0000005', '0.0000004', '1.9999999', '0.1234565', '0.00000050']) {
  seen[text] = {
    viem: result(() => viem(text, 6)),
    ethers: result(() => ethers(text, 6)),
    'web3-utils': result(() => toWei(text, 'mwei')),
  }
}
console.table(seen)
assert.deepEqual(Object.values(seen).map((one) => one.viem), ['1', '0', '2000000', '123457', '1'])
assert.deepEqual(Object.values(seen).map((one) => one['web3-utils']), ['', '', '1999999', '123456', ''])
for (const one of Object.values(seen)) assert.match(one.ethers, /^error: too many decimals/)
JS
node amounts.mjs

env/bin/python - <<'PY'
from eth_utils import to_wei
seen = {text: to_wei(text, 'mwei') for text in ['0.0000005', '0.0000004', '1.9999999', '0.1234565', '0.00000050']}
print('eth-utils', seen)
assert list(seen.values()) == [0, 0, 1999999, 123456, 0]
PY
