import assert from 'node:assert/strict'
import {
  type CreatePayout,
  createCustomer,
  createPayout,
  getPayout,
  listWallets,
  type PayoutStatus,
  type StreamedEvent,
} from './bursar.ts'
import { firstEvent } from './fetch.ts'

const wallets = await listWallets({ currency: 'ngn' })
assert.ok(wallets.status === 200)
const available: number | undefined = wallets.data.data[0]?.available
assert.equal(available, 6_000_000_000)

const customer = await createCustomer({ name: 'Ada Okafor', email: 'ada@example.com' })
assert.ok(customer.status === 201, JSON.stringify(customer.data))
assert.equal(customer.data.data.type, 'individual')

const body: CreatePayout = {
  reference: 'rent-2026-11',
  amount: 3_000_000_000,
  currency: 'ngn',
  method: 'bank_transfer',
  destination: { bank_code: '058', account_number: '0123456789' },
}
const created = await createPayout(body)
assert.equal(created.status, 201)
const payout = await getPayout(body.reference)
assert.ok(payout.status === 200)
const status: PayoutStatus = payout.data.data.status
assert.equal(payout.data.data.amount, 3_000_000_000)
assert.equal(payout.data.data.destination.account_number, '0123456789')

// The body of a delivery, as the stream of events has it too: its type says what its payload is.
const event: StreamedEvent = JSON.parse(await firstEvent('payout.initiated'))
assert.ok(event.type === 'payout.initiated')
const reference: string = event.payload.reference
assert.equal(reference, body.reference)
console.log('ok:', status)
