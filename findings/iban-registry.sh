#!/usr/bin/env bash
# Valid IBANs that validators reject: five libraries on examples of the IBAN registry.
#
# One would guess: an IBAN whose check digits are right and whose country is in SWIFT's registry
# passes every validator.
# True: `iban` lacks the twelve countries that joined the registry since 2021 or so; `ibankit` lacks
# Yemen; python-stdnum rejects the registry's own Belgian example, because it also asks whether the
# bank number is assigned (539 is not). ibantools and schwifty accept all of them.
#
# Why it matters to who runs payments: a payee with a valid account cannot be paid, and the message
# says that the number is wrong. An example from the registry may be refused in a test although the
# validator is right about real accounts.
#
# Versions: ibantools 4.5.4, iban 0.0.14, ibankit 1.6.5, schwifty 2026.10.1, python-stdnum 2.2.
# Source: SWIFT, IBAN Registry, the example of each country.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund ibantools@4.5.4 iban@0.0.14 ibankit@1.6.5
python3 -m venv env
env/bin/pip --quiet install schwifty==2026.10.1 python-stdnum==2.2

cat > ibans.txt <<'LIST'
BE68539007547034
BI4210000100010000332045181
DE89370400440532013000
DJ2100010000000154000100186
FK88SC123456789012
HN88CABF00000000000250005469
LY83002048000020100120361
MN121234123456789123
NI45BAPR00000013000003558124
OM810180000001299123456
RU0204452560040702810412345678901
SD8811123456789012
SO211000001001000100141
YE15CBYE0001018861234567891234
LIST

cat > check.mjs <<'JS'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import iban from 'iban'
import * as ibankit from 'ibankit'
import * as ibantools from 'ibantools'

const list = readFileSync('ibans.txt', 'utf8').trim().split('\n')
const rejected = (isValid) => list.filter((one) => !isValid(one)).map((one) => one.slice(0, 2)).join(' ')
const seen = {
  ibantools: rejected(ibantools.isValidIBAN),
  iban: rejected((one) => iban.isValid(one)),
  ibankit: rejected((one) => ibankit.IBAN.isValid(one)),
}
for (const [library, countries] of Object.entries(seen)) console.log(`${library} rejects: ${countries || 'none'}`)
assert.deepEqual(seen, { ibantools: '', iban: 'BI DJ FK HN LY MN NI OM RU SD SO YE', ibankit: 'YE' })
JS
node check.mjs

env/bin/python - <<'PY'
import schwifty
from stdnum import iban
def accepts(text):
    try:
        schwifty.IBAN(text)
        return True
    except ValueError:
        return False
numbers = open('ibans.txt').read().split()
seen = {
    'schwifty': [one[:2] for one in numbers if not accepts(one)],
    'python-stdnum': [one[:2] for one in numbers if not iban.is_valid(one)],
}
for library, countries in seen.items():
    print(library, 'rejects:', ' '.join(countries) or 'none')
assert seen == {'schwifty': [], 'python-stdnum': ['BE']}
PY
