/**
 * Goal: no refusal that the tables do not list ends an order or has it sent anew. Method: the ports
 * of payouts and refunds over a client that refuses with any status, code and words.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { inFreshWorlds } from '../../../test/support/runs.ts'
import { systemClock } from '../../lib/clock.ts'
import { meaningOfRefusal } from '../http/refusals.ts'
import type { PayoutOrder } from '../ports/rail.ts'
import type { Account } from './account.ts'
import type { Answer, Call, Refused } from './client.ts'
import { paystackPayouts } from './payouts.ts'
import { paystackRefunds } from './refunds.ts'
import { payoutRefusals, refundRefusals } from './refusals.ts'

const log = { debug() {}, info() {}, warn() {}, error() {}, isLevelEnabled: () => false }
const paid = {
  id: 7,
  reference: 'tr-1',
  currency: 'NGN',
  domain: 'live',
  status: 'success',
  amount: 5_000,
}

/**
 * An account whose `refusing` call is refused, and which knows nothing of the order when it is
 * asked.
 */
function accountThat(refusing: string, refusal: Refused, reports: string[]): Account {
  const ask = async ({ method, path }: Call): Promise<Answer> => {
    const said = (data: unknown): Answer => ({ is: 'answered', data, meta: null })
    if (method === 'POST' && path === refusing) return refusal
    if (path.startsWith('/transaction')) return said(paid)
    if (path === '/refund') return said([])
    return { is: 'refused', status: 404, code: 'transfer_not_found', message: 'Transfer not found' }
  }
  return {
    name: 'paystack',
    livemode: true,
    shared: true,
    host: 'pay.example.com',
    clock: systemClock,
    log,
    client: { ask, bucket: { take: async () => null, pause() {}, pausedMs: () => 0 } },
    // A recipient is kept for everybody.
    db: { row: async () => ({ code: 'RCP_1' }), rows: async () => [] } as unknown as Account['db'],
    report: (_kind, _subject, sentence) => void reports.push(sentence),
  }
}

const order = (destination: PayoutOrder['destination']): PayoutOrder => ({
  id: '6925f3a1c0ffee00c0ffee01',
  attempt: 1,
  businessId: '6925f3a1c0ffee00c0ffee02',
  amount: 5_000n,
  currency: 'ngn',
  destination,
  at: systemClock.now(),
})
const bank = {
  type: 'ng_bank',
  bank_code: '058',
  account_number: '0123456789',
  account_name: 'ADA',
} as const
const charge = { id: '6925f3a1c0ffee00c0ffee03', providerReference: '7', method: 'card' } as const
const balance = {
  available: async () => ({ amount: 9_000_000n }),
  spend() {},
  answered() {},
  forget() {},
}

const words = [
  'Your balance is not enough',
  'Transaction not found',
  'Unknown',
  'Please try again',
  'Duplicate',
  '',
]
const codes = [
  'insufficient_balance',
  'transaction_not_found',
  'transaction_reversed',
  'unknown',
  'invalid_params',
  '',
]
const refusals = fc.record({
  is: fc.constant('refused' as const),
  status: fc.constantFrom(200, 400, 402, 403, 404, 409, 422),
  code: fc.oneof(fc.constantFrom(...codes), fc.string()),
  message: fc.oneof(fc.constantFrom(...words), fc.string()),
})

describe('a refusal by Paystack', () => {
  it('of a transfer moves no order unless it is listed', async () => {
    await fc.assert(
      fc.asyncProperty(
        refusals,
        inFreshWorlds(
          async () => {},
          async (refusal) => {
            const reports: string[] = []
            const rail = paystackPayouts(accountThat('/transfer', refusal, reports), balance, 0n)
            const { state } = await rail.send(order(bank))
            if (meaningOfRefusal(payoutRefusals, refusal) === null) assert.equal(state, 'unknown')
            else assert.ok(state === 'refused_now' || state === 'failed')
          },
        ),
      ),
    )
  })

  it('of a refund moves no order unless it is listed, and a person is told of the code', async () => {
    await fc.assert(
      fc.asyncProperty(
        refusals,
        inFreshWorlds(
          async () => {},
          async (refusal) => {
            const reports: string[] = []
            const rail = paystackRefunds(accountThat('/refund', refusal, reports))
            const { state } = await rail.send(order({ type: 'charge', charge, refund: null }))
            if (meaningOfRefusal(refundRefusals, refusal) !== null) return
            assert.equal(state, 'unknown')
            assert.match(reports.join(), /^a refusal that this version does not know: /)
          },
        ),
      ),
    )
  })

  it('names a source in each line of the tables', () => {
    for (const { source } of [...payoutRefusals, ...refundRefusals]) assert.ok(source.length > 2)
  })
})
