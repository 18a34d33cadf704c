/**
 * Goal: whatever befalls whichever call, an order ends as Paystack's books say, paid at most once,
 * with each event once. Method: one cell after the other over one server and one double for each
 * part. A run of all tests takes each sixth cell of it, across operations and faults; `npm run
 * rails:matrix` takes all.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Till } from '../../support/paystack.ts'
import { type Cell, columnsOf, payoutPart, rows, tableOf } from '../../support/paystack-matrix.ts'
import { accountPart, transferPart } from '../../support/paystack-matrix-accounts.ts'
import { checkoutPart } from '../../support/paystack-matrix-checkout.ts'
import { identityPart } from '../../support/paystack-matrix-identity.ts'
import { refundPart } from '../../support/paystack-matrix-refunds.ts'

const isWhole = process.env.MATRIX === 'whole'

for (const part of [payoutPart, checkoutPart, transferPart, accountPart, refundPart, identityPart])
  describe(`the matrix of faults: ${part.name}`, () => {
    let till: Till
    const cells = new Map<string, Cell | 'wrong' | null>()
    before(async () => {
      till = await part.open()
    })
    after(async () => {
      await till.stop()
      console.log(`\n${part.name}\n${tableOf(part, cells)}\n`)
    })

    for (const [c, column] of columnsOf(part).entries())
      for (const [r, row] of rows.entries()) {
        const expected = part.expectedOf(column, row)
        if (expected === null || (!isWhole && (c + r) % 6 > 0)) continue
        it(`${column}: ${row} ends ${expected}`, async () => {
          cells.set(`${column} ${row}`, 'wrong')
          assert.equal(await part.runCell(till, column, row), expected)
          cells.set(`${column} ${row}`, expected)
        })
      }
  })
