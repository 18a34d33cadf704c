/**
 * Goal: accounting programs come to the balances of the statements. Method: months of every kind of
 * movement; the lines of their exports as journals, which hledger and Beancount read in their
 * strict modes, with an assertion of each closing balance.
 */
import { after, before, describe, it } from 'node:test'
import { newMerchant } from '../../support/actors.ts'
import {
  assertLoads,
  assertMonthsTie,
  journalTools,
  type Month,
} from '../../support/exported-months.ts'
import { startServer, type TestServer } from '../../support/harness.ts'
import { tradeMonths } from '../../support/months.ts'

describe('a journal of exported months', () => {
  let server: TestServer
  let months: Month[]
  before(async () => {
    server = await startServer()
    months = await assertMonthsTie(server.call, await tradeMonths(server, newMerchant(server), 3))
  })
  after(() => server.stop())

  for (const tool of journalTools)
    describe(`of ${tool.name}`, () => {
      it('loads, and has each closing balance', async (t) => {
        const missing = await assertLoads(tool, months)
        if (missing !== null) t.skip(missing)
      })
    })
})
