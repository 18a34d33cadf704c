#!/usr/bin/env bash
# Mobile numbers of Benin, which got a digit pair in front on 30 November 2024, in four validators.
#
# One would guess: two years later every validator takes +229 01 61 23 45 67 and refuses +229 61 23 45 67.
# True: `phone` (its newest version) is the other way round: it refuses the numbers that exist and takes
# those that do not any more. libphonenumber-js and phonenumbers (Python) follow the new plan.
#
# Why it matters to who runs payments: in Benin payouts and checkouts by mobile money are addressed by the
# phone number. With `phone` every valid payee is refused, and an old number that somebody kept passes.
# Store no verdict of a validator with a number, and judge old numbers again.
#
# Versions: phone 3.1.72, libphonenumber-js 1.13.16 (npm), phonenumbers 9.0.43 (PyPI).
# Source: ARCEP Bénin, ten-digit numbering plan since 30 November 2024; ITU operational bulletin, Benin.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund phone@3.1.72 libphonenumber-js@1.13.16
python3 -m venv env
env/bin/pip --quiet install phonenumbers==9.0.43

cat > numbers.mjs <<'JS'
import assert from 'node:assert/strict'
import max from 'libphonenumber-js/max'
import min from 'libphonenumber-js/min'
import { phone } from 'phone'

const numbers = ['+2290161234567', '+22961234567']
const seen = {
  phone: numbers.map((number) => phone(number).isValid),
  'libphonenumber-js/min': numbers.map((number) => min(number)?.isValid() ?? false),
  'libphonenumber-js/max': numbers.map((number) => max(number)?.isValid() ?? false),
}
console.log('library: ten digits (of today), eight digits (of before)')
for (const [library, verdicts] of Object.entries(seen)) console.log(`${library}:`, verdicts.join(', '))
assert.deepEqual(seen.phone, [false, true])
assert.deepEqual(seen['libphonenumber-js/min'], [true, false])
assert.deepEqual(seen['libphonenumber-js/max'], [true, false])
JS
node numbers.mjs

env/bin/python - <<'PY'
import phonenumbers
seen = [phonenumbers.is_valid_number(phonenumbers.parse(text)) for text in ['+2290161234567', '+22961234567']]
print('phonenumbers:', *seen)
assert seen == [True, False]
PY
