/**
 * Goal: whatever befalls whichever call, a payout ends as Paystack's books say, paid at most once, with each event once.
 * Method: one cell after the other over one server and one double; `npm run rails:matrix` prints the table.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openTill, type Till } from './paystack.ts'
import { type Cell, columns, expectedOf, rows, runCell, tableOf } from './paystack-matrix.ts'

describe('the matrix of faults', () => {
  let till: Till
  const cells = new Map<string, Cell | 'wrong' | null>()
  before(async () => {
    till = await openTill()
  })
  after(async () => {
    await till.stop()
    console.log(`\n${tableOf(cells)}\n`)
  })

  for (const column of columns)
    for (const row of rows) {
      const expected = expectedOf(column, row)
      if (expected === null) continue
      it(`${column}: ${row} ends ${expected}`, async () => {
        cells.set(`${column} ${row}`, 'wrong')
        assert.equal(await runCell(till, column, row), expected)
        cells.set(`${column} ${row}`, expected)
      })
    }
})
