#!/usr/bin/env bash
# What three MT940 readers make of a reversal, and of an entry date just before a new year.
#
# One would guess: RC (reversal of a credit) takes money away and RD (reversal of a debit) brings it,
# in every reader; and "2601021231", value date 2 January 2026 and entry date 31 December, was entered
# in 2025.
# True: mt940js has the signs right. mt-940 (Python) gives RC a positive amount, so that the movements
# do not add up to the closing balance. mt940-js says of RC that it is a credit and of RD that it is
# not. For the entry date mt-940 says 2025; both JavaScript readers say 31 December 2026, nearly a
# year after the value date.
#
# Why it matters to who runs payments: a reconciliation by mt-940 counts a returned deposit as a
# second deposit. Verify opening balance + movements = closing balance for each statement before any
# line is used, and take the year of the entry date from the value date.
#
# Versions: mt-940 5.1.1 (PyPI), mt940js 1.3.5, mt940-js 1.0.0 (npm; it needs tslib, which it does not
# declare).
# Source: SWIFT MT940, field 61, subfields 2 (entry date, MMDD) and 3 (debit/credit mark).
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund mt940js@1.3.5 mt940-js@1.0.0 tslib@2.8.1
python3 -m venv env
env/bin/pip --quiet install mt-940==5.1.1

cat > statement.sta <<'MT940'
:20:STARTUMSE
:25:DE89370400440532013000
:28C:00001/001
:60F:C251231EUR1000,00
:61:2601021231D100,00NTRFNONREF//1
:86:payout
:61:2601020102RC10,00NTRFNONREF//2
:86:reversal of a credit
:61:2601020102RD7,00NTRFNONREF//3
:86:reversal of a debit
:62F:C260102EUR897,00
-
MT940

cat > read.mjs <<'JS'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { read } from 'mt940-js'
import mt940js from 'mt940js'

const [first] = new mt940js.Parser().parse(readFileSync('statement.sta', 'utf8'))
const signed = first.transactions.map((one) => one.amount)
const entered = first.transactions[0].entryDate.toISOString().slice(0, 10)
console.log('mt940js ', signed, 'entered', entered)
assert.deepEqual([signed, entered], [[-100, -10, 7], '2026-12-31'])

const [second] = await read(readFileSync('statement.sta'))
const marks = second.transactions.map((one) => `${one.isCredit ? 'credit' : 'debit'} ${one.amount}`)
console.log('mt940-js', marks, 'entered', second.transactions[0].entryDate)
assert.deepEqual(marks, ['debit 100', 'credit 10', 'debit 7'])
assert.equal(second.transactions[0].entryDate, '2026-12-31')
JS
node read.mjs

env/bin/python - <<'PY'
import mt940
statement = mt940.parse('statement.sta')
amounts = [str(one.data['amount'].amount) for one in statement]
opening = statement.data['final_opening_balance'].amount.amount
closing = statement.data['final_closing_balance'].amount.amount
moved = sum(one.data['amount'].amount for one in statement)
entered = statement[0].data['entry_date']
print('mt-940  ', amounts, 'entered', entered, '| opening + movements', opening + moved, '| closing', closing)
assert amounts == ['-100.00', '10.00', '7.00']
assert str(entered) == '2025-12-31'
assert opening + moved - closing == 20
PY
