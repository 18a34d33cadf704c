import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type CertainRefusal, meaningOfRefusal, unlistedRefusal } from './refusals.ts'

const table: readonly CertainRefusal<'first' | 'second' | 'third'>[] = [
  { status: [400], code: /^A$/, type: /^t$/, message: /short/i, means: 'first', source: 'a page' },
  { code: /^A$/, unless: /in progress/i, means: 'second', source: 'a page' },
  { message: /known/, means: 'third', source: 'a page' },
]

describe('a refusal', () => {
  it('means what the first line says that it fits in every part', () => {
    const refusal = { status: 400, code: 'A', type: 't', message: 'Too short' }
    assert.equal(meaningOfRefusal(table, refusal), 'first')
    assert.equal(meaningOfRefusal(table, { ...refusal, status: 422 }), 'second')
    assert.equal(meaningOfRefusal(table, { ...refusal, type: 'u' }), 'second')
    assert.equal(meaningOfRefusal(table, { status: 400, code: 'B', message: 'known' }), 'third')
  })

  it('means nothing where no line fits, or its text leaves the outcome open', () => {
    assert.equal(meaningOfRefusal(table, { status: 400, code: 'B', message: 'new' }), null)
    assert.equal(
      meaningOfRefusal(table, { status: 400, code: 'A', message: 'Still in progress' }),
      null,
    )
  })

  it('that is in no table leaves its order unknown, and shows a person its code, if it looks like one', () => {
    const shown: unknown[][] = []
    const report = (...said: unknown[]): void => void shown.push(said)
    const refusals: [{ code: string; type?: string }, string][] = [
      [{ code: '99' }, '99 (400)'],
      [{ code: 'limit', type: 'v2.error' }, 'v2.error limit (400)'],
      [{ code: 'Ada Okafor, 0123456789' }, '… (400)'],
    ]
    for (const [refusal, names] of refusals) {
      const said = unlistedRefusal(
        { report },
        { id: 'po' },
        { status: 400, message: 'Ada Okafor', ...refusal },
      )
      assert.deepEqual(said, { state: 'unknown', askAgainInMs: null })
      assert.deepEqual(shown.pop(), [
        'quarantined',
        'po',
        `a refusal that this version does not know: ${names}`,
      ])
    }
  })
})
