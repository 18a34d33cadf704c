#!/usr/bin/env bash
# A closing balance that a journal states means something else in Beancount than in hledger.
#
# One would guess: "on this day the wallet holds 10.00 NGN" is checked exactly, and alike.
# True:
# - Beancount accepts a stated balance that is one minor unit off (10.01 for 10.00), and refuses
#   two; `~ 0` makes it exact. hledger refuses one unit.
# - Beancount compares the account with all accounts below it; hledger's `=` the account alone
#   (`=*` has those below).
# - Beancount checks at the beginning of the day, before entries of that day; hledger after the
#   entries of that day that stand above it.
#
# Why it matters to who runs payments: an exported journal that ends with the wallet's balance looks
# like a proof. In Beancount it hides a lost kobo unless `~ 0` is written, and dated by the closing
# day instead of the day after it fails or compares with the day before. With an account for each
# currency below the wallet, hledger reports zero.
#
# Versions: beancount 3.2.3, hledger 1.25 (Debian 12).
# Sources: Beancount's documentation "Balance Assertions"; hledger's manual "Balance assertions".
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv env
env/bin/pip --quiet install beancount==3.2.3
apt-get download hledger=1.25-2+b5 > /dev/null 2>&1
dpkg -x hledger_*.deb hledger
hledger=hledger/usr/bin/hledger
env/bin/pip list 2> /dev/null | grep -i beancount
"$hledger" --version

# Each takes: account of the entry, day of the balance, balance.
beancount() {
  printf '%s\n' '2026-01-01 open Assets:Wallet' '2026-01-01 open Assets:Wallet:NGN' \
    '2026-01-01 open Income:Payments' '2026-11-03 * "payment"' "  $1  10.00 NGN" \
    '  Income:Payments  -10.00 NGN' "$2 balance Assets:Wallet  $3 NGN" > books.bean
  env/bin/bean-check books.bean > out.txt 2>&1 && echo accepted || echo refused
}
hledger() {
  printf '%s\n' '2026-11-03 payment' "    $1  10.00 NGN" '    Income:Payments  -10.00 NGN' '' \
    "$2 balance" "    Assets:Wallet  0.00 NGN = $3 NGN" > books.journal
  "$hledger" check -f books.journal > out.txt 2>&1 && echo accepted || echo refused
}
expect() {
  seen=$("${@:2}")
  echo "${*:2}: $seen"
  [ "$seen" = "$1" ] || { echo "expected: $1"; exit 1; }
}
next=2026-11-04
same=2026-11-03
expect accepted beancount Assets:Wallet "$next" 10.00
expect accepted hledger Assets:Wallet "$next" 10.00
# One minor unit, two, and one with a tolerance of none.
expect accepted beancount Assets:Wallet "$next" 10.01
expect refused beancount Assets:Wallet "$next" 10.02
expect refused beancount Assets:Wallet "$next" '10.01 ~ 0'
expect refused hledger Assets:Wallet "$next" 10.01
# Accounts below.
expect accepted beancount Assets:Wallet:NGN "$next" 10.00
expect refused hledger Assets:Wallet:NGN "$next" 10.00
# The same day.
expect refused beancount Assets:Wallet "$same" 10.00
expect accepted hledger Assets:Wallet "$same" 10.00
