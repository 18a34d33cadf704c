import assert from 'node:assert/strict'
import { client } from './bursar/client.gen.ts'
import {
  createCustomer,
  createPayout,
  getPayout,
  listWallets,
  streamEvents,
} from './bursar/sdk.gen.ts'
import type { CreatePayout, PayoutStatus, StreamedEvent } from './bursar/types.gen.ts'

const { BURSAR_URL = '', BURSAR_KEY = '' } = process.env
client.setConfig({ baseUrl: BURSAR_URL, auth: BURSAR_KEY })

const wallets = await listWallets({ query: { currency: 'ngn' } })
const available: number | undefined = wallets.data?.data[0]?.available
assert.equal(available, 6_000_000_000)

const customer = await createCustomer({ body: { name: 'Ada Okafor', email: 'ada@example.com' } })
assert.equal(customer.data?.data.type, 'individual', JSON.stringify(customer.error))

const body: CreatePayout = {
  reference: 'rent-2026-11',
  amount: 3_000_000_000,
  currency: 'ngn',
  method: 'bank_transfer',
  destination: { bank_code: '058', account_number: '0123456789' },
}
const created = await createPayout({ body })
assert.equal(created.error, undefined)
const { data } = await getPayout({ path: { reference: body.reference } })
const status: PayoutStatus | undefined = data?.data.status
assert.equal(data?.data.amount, 3_000_000_000)
assert.equal(data.data.destination.account_number, '0123456789')

// The body of a delivery, as the stream of events has it too: its type says what its payload is.
// Who leaves the loop leaves the connection open: a signal closes it.
const left = new AbortController()
const { stream } = await streamEvents({ query: { after: '0' }, signal: left.signal })
for await (const event of stream as AsyncIterable<StreamedEvent>)
  if (event.type === 'payout.initiated') {
    const reference: string = event.payload.reference
    assert.equal(reference, body.reference)
    left.abort()
    break
  }
console.log('ok:', status)
