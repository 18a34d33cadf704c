/**
 * Goal: whatever befalls whichever call, a payout in dollars ends as Bridge's books say, paid at most once, with each event once.
 * Method: one cell after the other over one server and one double. A run of all tests takes each sixth cell of
 * it, across operations and faults; `npm run rails:matrix` takes all.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Till } from './bridge.ts'
import { type Cell, columns, expectedOf, open, rows, runCell, tableOf } from './bridge-matrix.ts'

const isWhole = process.env.MATRIX === 'whole'

describe('the matrix of faults: a payout by Bridge', () => {
  let till: Till
  const cells = new Map<string, Cell | 'wrong'>()
  before(async () => {
    till = await open()
  })
  after(async () => {
    await till.stop()
    console.log(`\na payout by Bridge\n${tableOf(cells)}\n`)
  })

  for (const [c, column] of columns.entries())
    for (const [r, row] of rows.entries()) {
      const expected = expectedOf(column, row)
      if (expected === null || (!isWhole && (c + r) % 6 > 0)) continue
      it(`${column}: ${row} ends ${expected}`, async () => {
        cells.set(`${column} ${row}`, 'wrong')
        assert.equal(await runCell(till, column, row), expected)
        cells.set(`${column} ${row}`, expected)
      })
    }
})
