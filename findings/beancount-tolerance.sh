#!/usr/bin/env bash
# Beancount accepts a transaction that does not balance, once one amount has fewer decimals.
#
# One would guess: double-entry software refuses a transaction whose legs do not add up to zero.
# True: Beancount derives the tolerance of a transaction from the amount that is written with the
# *fewest* decimals: half of its last digit. 250.00 USDC against -250.004999 USDC passes; the same
# numbers as 250.000000 and -250.004999 do not. 1.00 BTC against -0.995001 BTC passes too.
#
# Why it matters to who runs payments: an export to Beancount that trims zeros, or mixes a wallet's
# two decimals with a chain's six, hides differences of up to half a cent a transaction (0.005 BTC),
# and bean-check says nothing. Write every amount of a commodity with the same number of decimals.
#
# Version: beancount 3.2.3.
# Source: "Precision & Tolerances" of Beancount's documentation, section on inference.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv env
env/bin/pip --quiet install beancount==3.2.3

ledger() {
  cat <<BEAN
2026-01-01 open Assets:Treasury
2026-01-01 open Assets:Settlement
2026-01-02 * "payout"
  Assets:Treasury    -$1
  Assets:Settlement   $2
BEAN
}
check() {
  ledger "$1" "$2" > books.bean
  if env/bin/bean-check books.bean > out.txt 2>&1; then echo accepted; else echo "refused: $(grep -o 'does not balance.*' out.txt)"; fi
}
expect() {
  seen=$(check "$1" "$2")
  echo "-$1 and $2: $seen"
  case $seen in "$3"*) ;; *) echo "expected: $3"; exit 1 ;; esac
}
env/bin/pip list 2> /dev/null | grep -i beancount
expect '250.004999 USDC' '250.00 USDC' accepted
expect '250.004999 USDC' '250.000000 USDC' refused
expect '0.995001 BTC' '1.00 BTC' accepted
expect '0.995001 BTC' '1.000000 BTC' refused
