#!/usr/bin/env bash
# Names of Nigeria, Ghana and Poland folded to plain letters by six libraries.
#
# One would guess: removing accents makes "Ọlá Ẹ̀gbá" and "Ɗanjuma Ƙofa" the texts that a bank's core
# system has, OLA EGBA and DANJUMA KOFA; NFKD and dropping marks is enough, or any of the libraries.
# True: the hooked letters of Hausa (ɓ ɗ ƙ ƴ) and Akan's ɛ ɔ do not decompose in Unicode. NFKD,
# remove-accents and lodash.deburr leave them. deburr leaves the dots below of Yoruba as well.
# remove-accents leaves a mark that stands as a character of its own, and makes Łukasz "lukasz", in
# lower case. transliteration, any-ascii and Unidecode fold all of them, but not alike: Ŋ is NG, Ng or NG.
#
# Why it matters to who runs payments: names are compared with the bank's name of an account and with
# sanctions lists. A letter that is left makes two spellings of one name differ, for millions of payees.
#
# Versions: remove-accents 0.5.0, lodash.deburr 4.1.0, transliteration 2.6.1, any-ascii 0.3.3 (npm),
# Unidecode 1.4.0 (PyPI), and NFKD of Node.
# Source: UnicodeData.txt: U+0181, U+018A, U+0198, U+0186, U+0190 and U+01B3 have no decomposition.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund remove-accents@0.5.0 lodash.deburr@4.1.0 transliteration@2.6.1 any-ascii@0.3.3
python3 -m venv env
env/bin/pip --quiet install Unidecode==1.4.0

cat > fold.mjs <<'JS'
import assert from 'node:assert/strict'
import anyAscii from 'any-ascii'
import deburr from 'lodash.deburr'
import removeAccents from 'remove-accents'
import { transliterate } from 'transliteration'

const names = ['Ɗanjuma Ƙofa', 'Ọlá Ẹ̀gbá', 'Ɛsi Ɔkɔ', 'Łukasz']
const folds = {
  NFKD: (name) => name.normalize('NFKD').replace(/\p{M}/gu, ''),
  'remove-accents': removeAccents,
  'lodash.deburr': deburr,
  transliteration: transliterate,
  'any-ascii': anyAscii,
}
const seen = Object.fromEntries(Object.entries(folds).map(([library, fold]) => [library, names.map(fold)]))
console.table(seen)
assert.deepEqual(seen, {
  NFKD: ['Ɗanjuma Ƙofa', 'Ola Egba', 'Ɛsi Ɔkɔ', 'Łukasz'],
  'remove-accents': ['Ɗanjuma Ƙofa', 'Ola E\u0300gba', 'Ɛsi Ɔkɔ', 'lukasz'],
  'lodash.deburr': ['Ɗanjuma Ƙofa', 'Ọla Ẹgba', 'Ɛsi Ɔkɔ', 'Lukasz'],
  transliteration: ['Danjuma Kofa', 'Ola Egba', 'Esi Oko', 'Lukasz'],
  'any-ascii': ['Danjuma Kofa', 'Ola Egba', 'Esi Oko', 'Lukasz'],
})
JS
node fold.mjs

env/bin/python - <<'PY'
from unidecode import unidecode
seen = [unidecode(name) for name in ['Ɗanjuma Ƙofa', 'Ọlá Ẹ̀gbá', 'Ɛsi Ɔkɔ', 'Łukasz', 'Ŋkrumah']]
print('Unidecode', seen)
assert seen == ['Danjuma Kofa', 'Ola Egba', 'Esi Oko', 'Lukasz', 'NGkrumah']
PY
