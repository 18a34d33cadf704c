#!/usr/bin/env bash
# The brand of a card by its number, for Verve and RuPay, in three libraries.
#
# One would guess: a library that knows Verve knows all of its numbers, and a library says nothing of a
# scheme that it does not know.
# True: card-validator knows Verve's 506099 range and calls the 650002 range Discover. `payment` and
# `creditcards` do not know Verve: they answer Maestro and Discover. RuPay's 60 and 508 are Maestro at
# card-validator and creditcards, and 60 is Hipercard at `payment`. The libraries have wide ranges for
# the international schemes, and answer with those. Length and check digit of each number are right.
#
# Why it matters to who runs payments: routing by the guessed brand sends a domestic card to the wrong
# scheme, at another price or into a decline, and the receipt shows a logo that the payer's card does
# not have. Use the brand that the provider answers with; use a guess for a picture at most.
#
# Versions: card-validator 10.0.4, payment 2.4.7, creditcards 5.0.0.
# Source: ranges of issuer identification numbers as published for Verve (506099-506198, 507865-507964,
# 650002-650027) and RuPay (60, 508): Wikipedia, Payment card number.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund card-validator@10.0.4 payment@2.4.7 creditcards@5.0.0

cat > brands.mjs <<'JS'
import assert from 'node:assert/strict'
import validator from 'card-validator'
import creditcards from 'creditcards'
import payment from 'payment'

const luhn = (digits) =>
  [...digits].reverse().reduce((sum, digit, i) => {
    const value = Number(digit) * (i % 2 === 1 ? 2 : 1)
    return sum + (value > 9 ? value - 9 : value)
  }, 0) % 10 === 0
const numberOf = (prefix, length) => {
  const start = prefix.padEnd(length - 1, '0')
  return Array.from({ length: 10 }, (_, digit) => start + digit).find(luhn)
}
const cards = { Verve: '506099', 'Verve 6500': '650002', 'RuPay 60': '608001', 'RuPay 508': '508500' }
const seen = {}
for (const [scheme, prefix] of Object.entries(cards)) {
  const number = numberOf(prefix, 16)
  const { isValid, card } = validator.number(number)
  seen[scheme] = {
    number,
    'card-validator': `${card?.type} ${isValid ? 'valid' : 'invalid'}`,
    payment: String(payment.fns.cardType(number)),
    creditcards: String(creditcards.card.type(number)),
  }
}
console.table(seen)
const answers = (library) => Object.values(seen).map((one) => one[library])
assert.deepEqual(answers('card-validator'), ['verve valid', 'discover valid', 'maestro valid', 'maestro valid'])
assert.deepEqual(answers('payment'), ['maestro', 'discover', 'hipercard', 'maestro'])
assert.deepEqual(answers('creditcards'), ['Maestro', 'Discover', 'Maestro', 'Maestro'])
JS
node brands.mjs
