import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { csvLine, readCsv } from './csv.ts'

describe('a line of CSV', () => {
  it('keeps formulas as text, also for a reader that parts cells by semicolons or tabs', () => {
    const formulas = [
      '=1+1',
      '+1',
      '-1',
      '@A1',
      '\t=1',
      '\r=1',
      ' =1',
      '\n=1',
      '＝1',
      'Ada;=1+1',
      'Ada; =1+1',
      'Ada\t@A1',
      'Ada\n=1',
    ]
    // Such a reader may also close the quotes of a cell at a separator of its own.
    for (const formula of [...formulas, 'Ada";=1', 'Ada";"=1', '";=1;"', "'Ada;=1"])
      for (const cell of csvLine([formula, 'last']).split(/[;\t\r\n]/))
        assert.doesNotMatch(cell, /^[\s"]*[=+\-@＝＋－＠]/, JSON.stringify(formula))
  })

  it('leaves numbers, amounts and other texts as they are', () => {
    const values = [-5, -5n, { decimal: -550n }, 'Ada; Obi', 'a-b=c@d', 'Obi, Ada', 'say "no"', null]
    const line = csvLine(values)
    assert.equal(line, '-5,-5,-5.50,Ada; Obi,a-b=c@d,"Obi, Ada","say ""no""",\r\n')
    assert.deepEqual(readCsv(`a,b,c,d,e,f,g,h\r\n${line}`)[1]?.slice(3, 7), [
      'Ada; Obi',
      'a-b=c@d',
      'Obi, Ada',
      'say "no"',
    ])
  })
})
