/**
 * A merchant who shares what is sold: the verbs of `test/support/actors.ts`, and those of plans and
 * their shares.
 */
import assert from 'node:assert/strict'
import { bankAccount, type Json, newMerchant } from './actors.ts'
import { bankPayout, type Call, type TestServer } from './harness.ts'

/** What is sold: of which plan (null: of none), at which price, and how many. */
type Line = [plan: Json, price: number, quantity: number]

/** Half of a sale goes to one account. */
export const half = [{ name: 'Ada', percentage_bps: 5_000, destination: bankAccount() }]

export const sum = (parts: number[]): number => parts.reduce((a, b) => a + b, 0)

export type SharingMerchant = ReturnType<typeof newSharingMerchant>

/** A merchant of a server, who asks as `call`. */
export function newSharingMerchant(server: TestServer, call: Call = server.call) {
  const merchant = newMerchant(server, { call })
  const { ask } = merchant
  let spent = 0
  let customer: string | undefined
  const my = {
    ...merchant,
    makePlan: (shares: object[], currency = 'ngn'): Promise<Json> =>
      ask('POST', '/distributions', { name: 'Makers', currency, shares }),
    readPlan: (plan: Json): Promise<Json> => ask('GET', `/distributions/${plan.id}`),
    /** What each share holds, in order. */
    held: async (plan: Json): Promise<number[]> =>
      (await my.readPlan(plan)).shares.map((one: Json) => one.accrued),
    /** Amount paid out of each share, in order. */
    settled: async (plan: Json): Promise<number[]> =>
      (await my.readPlan(plan)).shares.map((one: Json) => one.settled),
    settle: (plan: Json): Promise<Json> => ask('POST', `/distributions/${plan.id}/settle`),
    endPayout: (payout: Json, outcome: 'completed' | 'failed' | 'returned'): Promise<Json> =>
      ask('POST', `/payouts/${payout.reference}/simulate`, { outcome }),

    /** Finalizes an invoice of these lines. */
    async bill(...lines: Line[]): Promise<Json> {
      customer ??= (await merchant.addCustomer()).id
      const currency = lines.find(([plan]) => plan)?.[0].currency ?? 'ngn'
      const products = []
      for (const [plan, amount, quantity] of lines) {
        const distribution = plan === null ? null : plan.id
        const product = await merchant.addProduct({ name: 'Shoes', amount, currency, distribution })
        products.push({ product: product.id, quantity })
      }
      return merchant.finalizeInvoice(await ask('POST', '/invoices', { customer, lines: products }))
    },
    pay: (invoice: Json, outcome = 'completed', method = 'bank_transfer'): Promise<Json> =>
      merchant.simulate(invoice.payment as string, outcome, method),
    /** Sells by an invoice that is paid by transfer. @returns its payment */
    sell: async (...lines: Line[]): Promise<Json> => my.pay(await my.bill(...lines)),
    /** Makes a refund that ends as it is told. */
    async refundAndEnd(
      payment: Json,
      amount: number,
      outcome: 'completed' | 'failed' = 'completed',
    ): Promise<Json> {
      const { id } = await ask('POST', '/refunds', { payment: payment.id, amount })
      return ask('POST', `/refunds/${id}/simulate`, { outcome })
    },
    /** Spends all that the naira wallet has. */
    async emptyWallet(): Promise<void> {
      await server.fund('ngn', 10_000)
      spent += 1
      await ask('POST', '/payouts', bankPayout(`spent-${spent}`, await merchant.available()))
      assert.equal(await merchant.available(), 0)
    },
  }
  return my
}
