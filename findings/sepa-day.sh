#!/usr/bin/env bash
# The day and the payee's name that two writers of SEPA credit transfer files (pain.001) put into the file.
#
# One would guess: a requested execution day of 1 December in Berlin is 2026-12-01 in the file wherever the
# process runs, and a name with letters outside of SEPA's character set is changed or refused.
# True: `sepa` (npm) takes a Date and writes its day in the time zone of the machine: midnight in Berlin is
# 2026-11-30 on a server in UTC, a day early, and 2026-12-01 in Berlin. It writes "Łukasz Ọlá" as it is.
# sepaxml (Python) takes a date without time, so that no zone matters, and writes "Lukasz Ola".
#
# Why it matters to who runs payments: a server that is moved to another zone, or a container without TZ,
# changes the day on which salaries are debited. Banks that hold to the EPC's Latin set refuse the file for
# the letters, or replace them by dots.
#
# Versions: sepa 3.0.0 (npm), sepaxml 2.7.0 (PyPI).
# Source: EPC217-08, SEPA requirements for an extended character set; ISO 20022 pain.001.001.03, ReqdExctnDt.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund sepa@3.0.0
python3 -m venv env
env/bin/pip --quiet install sepaxml==2.7.0

cat > write.mjs <<'JS'
import { Document } from 'sepa'
const document = new Document('pain.001.001.03')
document.grpHdr.id = 'M1'
document.grpHdr.created = new Date(0)
document.grpHdr.initiatorName = 'Test'
const info = document.createPaymentInfo()
info.requestedExecutionDate = new Date('2026-12-01T00:00:00+01:00')
Object.assign(info, { debtorIBAN: 'DE89370400440532013000', debtorBIC: 'COBADEFFXXX', debtorName: 'Test' })
document.addPaymentInfo(info)
const transaction = info.createTransaction()
Object.assign(transaction, { creditorName: 'Łukasz Ọlá', creditorIBAN: 'NL91ABNA0417164300', amount: 10.12, end2endId: 'E1', remittanceInfo: 'x' })
info.addTransaction(transaction)
const xml = document.toString()
console.log(/<ReqdExctnDt>([^<]*)/.exec(xml)[1], '|', /<Cdtr><Nm>([^<]*)|<Cdtr>\s*<Nm>([^<]*)/.exec(xml).slice(1).find(Boolean))
JS
expect() {
  echo "$1: $2"
  if [ "$2" != "$3" ]; then echo "expected: $3"; exit 1; fi
}
expect 'sepa, TZ=UTC' "$(TZ=UTC node write.mjs)" '2026-11-30 | Łukasz Ọlá'
expect 'sepa, TZ=Europe/Berlin' "$(TZ=Europe/Berlin node write.mjs)" '2026-12-01 | Łukasz Ọlá'

cat > write.py <<'PY'
import datetime, re
from sepaxml import SepaTransfer
config = {'name': 'Test', 'IBAN': 'DE89370400440532013000', 'BIC': 'COBADEFFXXX', 'batch': True, 'currency': 'EUR'}
file = SepaTransfer(config, clean=True)
file.add_payment({'name': 'Łukasz Ọlá', 'IBAN': 'NL91ABNA0417164300', 'BIC': 'ABNANL2A', 'amount': 1012,
                  'execution_date': datetime.date(2026, 12, 1), 'description': 'x'})
xml = file.export(validate=True).decode()
print(re.search('<ReqdExctnDt>([^<]*)', xml)[1], '|', re.findall('<Nm>([^<]*)', xml)[-1])
PY
expect 'sepaxml, TZ=UTC' "$(TZ=UTC env/bin/python write.py)" '2026-12-01 | Lukasz Ola'
expect 'sepaxml, TZ=America/New_York' "$(TZ=America/New_York env/bin/python write.py)" '2026-12-01 | Lukasz Ola'
