/**
 * Goal: whatever befalls whichever call, a payment by card ends as Paystack's books say, booked once, with each event once.
 * Method: one cell after the other over one server and one double; `npm run rails:matrix` prints the table.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { answerFaults, type OperationName } from './doubles/paystack.ts'
import type { Till } from './paystack.ts'
import { checkoutPart } from './paystack-matrix-checkout.ts'

describe(`the matrix of faults: ${checkoutPart.name}`, () => {
  const columns = Object.keys(checkoutPart.operations) as OperationName[]
  const cells = new Map<string, string>()
  let till: Till
  before(async () => {
    till = await checkoutPart.open()
  })
  after(async () => {
    await till.stop()
    const line = (first: string, rest: string[]) =>
      `${first.padEnd(16)}  ${rest.map((one, i) => one.padEnd((columns[i] as string).length)).join('  ')}`
    const rows = answerFaults.map((row) =>
      line(
        row,
        columns.map((column) => cells.get(`${column} ${row}`) ?? '·'),
      ),
    )
    console.log(`\n${[line('', columns), ...rows].join('\n')}\n`)
  })

  for (const column of columns)
    for (const row of answerFaults) {
      const expected = checkoutPart.expectedOf(column, row)
      if (expected === null) continue
      it(`${column}: ${row} ends ${expected}`, async () => {
        cells.set(`${column} ${row}`, 'wrong')
        assert.equal(await checkoutPart.runCell(till, column, row), expected)
        cells.set(`${column} ${row}`, expected)
      })
    }
})
