#!/usr/bin/env bash
# Days on which the Federal Reserve's payment services are closed, in three holiday libraries.
#
# One would guess: a calendar named after the Federal Reserve has the days on which FedACH and Fedwire
# do not settle; a holiday on a Saturday is observed on the Friday before.
# True: the Reserve Banks do not move a Saturday holiday: they are open on the Friday. workalendar's
# FederalReserveSystem, `holidays` for the US and date-holidays for the US all close that Friday, as
# federal offices do. In 2027 that is 18 June, 24 December and 31 December.
#
# Why it matters to who runs payments: a schedule by such a calendar pays out a day early or late, and
# "arrives on" is wrong, three times in 2027. Holidays on a Sunday are observed on the Monday by all.
#
# Versions: workalendar 17.0.0, holidays 0.109 (PyPI), date-holidays 3.37.0 (npm).
# Source: Federal Reserve Board, K.8 Holidays Observed by the Federal Reserve System: "For holidays
# falling on Saturday, Federal Reserve Banks and Branches will be open the preceding Friday."
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund date-holidays@3.37.0
python3 -m venv env
env/bin/pip --quiet install workalendar==17.0.0 holidays==0.109

cat > fridays.mjs <<'JS'
import assert from 'node:assert/strict'
import Holidays from 'date-holidays'
const days = new Holidays('US').getHolidays(2027).filter((one) => one.type === 'public')
const fridays = days.map((one) => one.date.slice(0, 10)).filter((day) => new Date(`${day}T00:00Z`).getUTCDay() === 5)
console.log('date-holidays US closes the Fridays', fridays.join(' '))
assert.deepEqual(fridays.slice(-3), ['2027-06-18', '2027-12-24', '2027-12-31'])
JS
node fridays.mjs

env/bin/python -W ignore - <<'PY'
import holidays
from workalendar.usa import FederalReserveSystem
open_fridays = ['2027-06-18', '2027-12-24', '2027-12-31']
def saturdays_moved(days):
    return sorted(str(day) for day in days if str(day) in open_fridays)
fed = saturdays_moved(day for day, _ in FederalReserveSystem().holidays(2027))
us = saturdays_moved(holidays.country_holidays('US', years=2027))
print('workalendar FederalReserveSystem closes the Fridays', *fed)
print('holidays US closes the Fridays', *us)
assert fed == us == open_fridays
PY
