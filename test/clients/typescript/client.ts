import assert from 'node:assert/strict'
import createClient from 'openapi-fetch'
import type { components, paths } from './schema.ts'

const { BURSAR_URL = '', BURSAR_KEY } = process.env
const client = createClient<paths>({
  baseUrl: BURSAR_URL,
  headers: { authorization: `Bearer ${BURSAR_KEY}` },
})

const wallets = await client.GET('/wallets', { params: { query: { currency: 'ngn' } } })
const available: number | undefined = wallets.data?.data[0]?.available
assert.equal(available, 6_000_000_000)

const customer = await client.POST('/customers', {
  body: { name: 'Ada Okafor', email: 'ada@example.com' },
})
assert.equal(customer.data?.data.type, 'individual', JSON.stringify(customer.error))

const body: components['schemas']['CreatePayout'] = {
  reference: 'rent-2026-11',
  amount: 3_000_000_000,
  currency: 'ngn',
  method: 'bank_transfer',
  destination: { bank_code: '058', account_number: '0123456789' },
}
const created = await client.POST('/payouts', { body })
assert.equal(created.error, undefined)
const { data } = await client.GET('/payouts/{reference}', {
  params: { path: { reference: body.reference } },
})
const status: components['schemas']['PayoutStatus'] | undefined = data?.data.status
assert.equal(data?.data.amount, 3_000_000_000)
assert.equal(data.data.destination.account_number, '0123456789')
console.log('ok:', status)
