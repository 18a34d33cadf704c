#!/usr/bin/env bash
# How many decimals a currency has, asked of five libraries.
#
# One would guess: all give the minor unit of ISO 4217, so that amount × 10^decimals is the integer
# that payment APIs take.
# True: Intl.NumberFormat (Node's ICU) and Babel give what CLDR says is customary for display. For 16
# currencies, among them HUF, COP, IDR, PKR (Intl only) and IQD, that is 0 where ISO 4217 says 2 or
# 3. @dinero.js/currencies has base 5 for the ariary (MGA) and the ouguiya (MRU), where ISO 4217
# says two decimal places. currency-codes and py-moneyed give ISO 4217.
#
# Why it matters to who runs payments: 1,234.56 HUF is 123456 in an API that follows ISO 4217; with
# the digits of Intl or Babel it is 1235, a hundredth. With dinero.js 100 minor units of MGA are 20
# ariary instead of 1. Keep a table of your own for what is sent; use Intl for display alone.
#
# Versions: currency-codes 2.2.0, @dinero.js/currencies 2.0.0-alpha.15, Babel 2.19.0, py-moneyed 3.0;
# Intl as printed (it comes with Node).
# Source: ISO 4217 list one (six-group.com), CLDR supplemental data, element "fractions".
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund currency-codes@2.2.0 @dinero.js/currencies@2.0.0-alpha.15
python3 -m venv env
env/bin/pip --quiet install Babel==2.19.0 py-moneyed==3.0

cat > decimals.mjs <<'JS'
import assert from 'node:assert/strict'
import iso from 'currency-codes'
import * as dinero from '@dinero.js/currencies'

console.log(`node ${process.version}, ICU ${process.versions.icu}, CLDR ${process.versions.cldr}`)
const intl = (code) =>
  new Intl.NumberFormat('en', { style: 'currency', currency: code }).resolvedOptions().maximumFractionDigits
const differ = iso.codes().filter((code) => !code.startsWith('X') && intl(code) !== iso.code(code).digits)
console.log('Intl differs from ISO 4217:', differ.join(' '))
for (const code of ['IQD', 'LBP', 'MGA', 'YER']) assert.ok(differ.includes(code), code)
assert.ok(differ.length >= 10)
for (const code of ['MGA', 'MRU']) {
  const { base, exponent } = dinero[code]
  console.log(`${code}: dinero base ${base} exponent ${exponent}, ISO 4217 digits ${iso.code(code).digits}`)
  assert.deepEqual([base, exponent, iso.code(code).digits], [5, 1, 2])
}
JS
node decimals.mjs

env/bin/python - <<'PY'
import moneyed
from babel.numbers import get_currency_precision
codes = ['HUF', 'COP', 'IDR', 'PKR', 'IQD', 'NGN']
babel = {code: get_currency_precision(code) for code in codes}
iso = {code: len(str(moneyed.get_currency(code).sub_unit)) - 1 for code in codes}
print('Babel     ', babel)
print('py-moneyed', iso)
assert babel == {'HUF': 0, 'COP': 0, 'IDR': 0, 'PKR': 2, 'IQD': 0, 'NGN': 2}
assert iso == {'HUF': 2, 'COP': 2, 'IDR': 2, 'PKR': 2, 'IQD': 3, 'NGN': 2}
PY
