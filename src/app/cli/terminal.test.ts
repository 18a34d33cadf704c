import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escaped } from './terminal.ts'

test('a printed line keeps its colours and line breaks, and has all else that a terminal obeys as an escape', () => {
  const green = '\u001b[32mok\u001b[39m\tone\r\ntwo\n'
  assert.equal(escaped(green), green)
  assert.equal(
    escaped('a\u001b[2Jb\u001b]0;t\u0007c\u009bd\re\u202ef'),
    String.raw`a\u001b[2Jb\u001b]0;t\u0007c\u009bd\u000de\u202ef`,
  )
  const record = { name: 'Ada\u009b31m\u202e\u007f' }
  assert.deepEqual(JSON.parse(escaped(JSON.stringify(record))), record)
})
