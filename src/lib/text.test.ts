import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasControls, isLine } from './text.ts'

test('a text may have tabs and line breaks, and no other control character or separator', () => {
  assert.equal(hasControls('one\ttwo\r\nthree – Ọlá, עדה\u200f, 👩‍👩‍👧'), false)
  for (const control of ['\u0007', '\u001b', '\u007f', '\u0085', '\u009b', '\u2028', '\u2029'])
    assert.equal(hasControls(`a${control}b`), true, JSON.stringify(control))
})

test('a line has no line break, tab or override of the direction either; it may embed or isolate a direction', () => {
  for (const line of [
    'Ọlá עדה\u200f 👩‍👩‍👧',
    '\u2067עדה\u2069 Obi',
    '\u2068Ada\u2069',
    '\u202a+234\u202c',
  ])
    assert.equal(isLine(line), true, JSON.stringify(line))
  for (const one of ['\n', '\r', '\t', '\u001b', '\u2028', '\u202d', '\u202e'])
    assert.equal(isLine(`a${one}b`), false, JSON.stringify(one))
})
