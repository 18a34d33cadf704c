/**
 * Goal: whatever befalls whichever call, a payout ends as its provider's books say, paid at most
 * once, with each event once. Method: one cell after the other over one server and one double for
 * each provider. A run of all tests takes each sixth cell of it, across operations and faults; `npm
 * run rails:matrix` takes all.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { bridgePart } from '../../support/bridge.ts'
import {
  type Cell,
  expectedOf,
  type MatrixTill,
  rows,
  runCell,
  tableOf,
} from '../../support/dollars-matrix.ts'
import { monnifyPart } from '../../support/monnify.ts'
import { stripePart } from '../../support/stripe-outbound.ts'

const isWhole = process.env.MATRIX === 'whole'

for (const part of [bridgePart, stripePart, monnifyPart])
  describe(`the matrix of faults: ${part.name}`, () => {
    let till: MatrixTill
    const columns = Object.keys(part.operations)
    const cells = new Map<string, Cell | 'wrong'>()
    before(async () => {
      till = await part.open()
    })
    after(async () => {
      await till.stop()
      console.log(`\n${part.name}\n${tableOf(columns, cells)}\n`)
    })

    for (const [c, column] of columns.entries())
      for (const [r, row] of rows.entries()) {
        const expected = expectedOf(part, column, row)
        if (expected === null || (!isWhole && (c + r) % 6 > 0)) continue
        it(`${column}: ${row} ends ${expected}`, async () => {
          cells.set(`${column} ${row}`, 'wrong')
          assert.equal(await runCell(part, till, column, row), expected)
          cells.set(`${column} ${row}`, expected)
        })
      }
  })
