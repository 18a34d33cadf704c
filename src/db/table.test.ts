import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Statement, Tx } from './db.ts'
import { insertMany, json, nullable, readByIds, table, text, updateById } from './table.ts'

/** A transaction that keeps what it is asked. */
function noted() {
  const asked: { text: string; params: unknown[] }[] = []
  const rows = async (statement: Statement<unknown>, params: unknown[] = []) => {
    asked.push({ text: statement.text.replaceAll(/\s+/g, ' '), params })
    return [{}]
  }
  const row = async (statement: Statement<unknown>, params?: unknown[]) =>
    (await rows(statement, params))[0]
  return { asked, tx: { rows, row } as unknown as Tx }
}

const things = table('things', {
  id: text(),
  label: nullable(text()),
  facts: json<{ n: number }>(),
})
const scope = { businessId: 'b', livemode: true }

describe('an update by names', () => {
  it('is one statement for a set of columns, in whatever order they are named', async () => {
    const { asked, tx } = noted()
    await updateById(tx, things, scope, 'one', { label: 'a', facts: { n: 1 } })
    await updateById(tx, things, scope, 'one', { facts: { n: 2 }, label: null })
    assert.equal(asked[0]?.text, asked[1]?.text)
    assert.match(
      asked[0]?.text ?? '',
      /^update things set label = \$4, facts = \$5 where business_id = \$1 and livemode = \$2/,
    )
    assert.deepEqual(asked[1]?.params, ['b', true, 'one', null, '{"n":2}'])
  })

  it('takes no name that is not a column, and changes something', async () => {
    const { asked, tx } = noted()
    for (const changes of [{ 'label = label --': 'x' }, { livemode: false }, {}])
      await assert.rejects(
        updateById(tx, things, scope, 'one', changes as never),
        /must change columns of it/,
      )
    assert.deepEqual(asked, [])
  })
})

describe('an insert by names', () => {
  it('sends an array a column, and nothing for no rows', async () => {
    const { asked, tx } = noted()
    await insertMany(tx, things, [])
    const rows = ['x', 'y'].map((id) => ({ scope, row: { id, label: null, facts: { n: 1 } } }))
    await insertMany(tx, things, rows)
    assert.equal(asked.length, 1)
    assert.match(
      asked[0]?.text ?? '',
      /^insert into things \(business_id, livemode, id, label, facts\)/,
    )
    assert.deepEqual(asked[0]?.params, [
      ['b', 'b'],
      [true, true],
      ['x', 'y'],
      [null, null],
      ['{"n":1}', '{"n":1}'],
    ])
  })
})

describe('a read by ids', () => {
  it('gives rows in the order they were asked for, the same twice to who asks twice, and null where there is none', async () => {
    const asked: unknown[][] = []
    const rows = async (_: Statement<unknown>, params: unknown[] = []) => {
      asked.push(params)
      return [3, 1, 4].map((asker) => ({ asker, id: 'x', label: String(asker) }))
    }
    const found = await readByIds(things)({ rows } as unknown as Tx, [
      { scope, id: 'x' },
      { scope: { businessId: 'c', livemode: false }, id: 'x' },
      ...['x', 'x'].map((id) => ({ scope, id })),
    ])
    assert.deepEqual(asked, [
      [
        ['b', 'c', 'b', 'b'],
        [true, false, true, true],
        ['x', 'x', 'x', 'x'],
      ],
    ])
    assert.deepEqual(
      found.map((row) => row && { ...row }),
      [{ id: 'x', label: '1' }, null, { id: 'x', label: '3' }, { id: 'x', label: '4' }],
    )
  })
})
