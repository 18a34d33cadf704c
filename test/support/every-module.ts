/**
 * Data of every module in the test mode of a business: made over HTTP as far as the sandbox goes;
 * of the rest a row is put into each table.
 */
import type { App } from '../../src/core/app.ts'
import { newClient } from '../../src/db/db.ts'
import { ada, cards, type Json } from './actors.ts'
import { ownAccount } from './approvers.ts'
import { type Call, must, type TestServer } from './harness.ts'
import { pictures } from './pictures.ts'
import { half, newSharingMerchant } from './sharing.ts'

/** Does a bit of everything as the business that `call` asks for, and lets two days pass there. */
export async function fillEveryModule(
  server: TestServer,
  call: Call,
  hookUrl = 'https://8.8.8.8/hook',
): Promise<void> {
  const shop = newSharingMerchant(server, call)
  const { ask, create } = shop
  for (const currency of ['ngn', 'usd']) {
    const headers = { 'idempotency-key': `fund-${currency}` }
    await must(call('POST', '/wallets/simulate-fund', { currency, amount: 100_000_000 }, headers))
  }
  const hook = await create('/webhooks', { url: hookUrl })

  const customer = await shop.addCustomer({ reference: 'c-1' })
  await ask('POST', `/customers/${customer.id}/documents`, {
    id_type: 'bvn',
    id_number: '22123456789',
  })
  await ask('POST', `/customers/${customer.id}/documents`, {
    id_type: 'passport',
    id_number: 'A00000021',
  })
  await shop.deposit(await shop.openAccount({ customer: customer.id, currency: 'ngn' }), {
    amount: 5_000,
  })
  const held = { account_number: '0000000011', bank_code: '058' }
  await shop.deposit(await shop.openAccount({ customer: customer.id, currency: 'ngn' }), {
    amount: 4_000,
    sender: held,
  })
  const wallet = await shop.openCryptoWallet({ reference: 'w-1' })
  await ask('POST', `/crypto/wallets/${wallet.id}/simulate-deposit`, {
    currency: 'usdc',
    amount: 1_000,
  })

  await shop.takeCard(cards.declined)
  await shop.openPayment({ methods: ['crypto'], reference: 'pay-1' })
  await shop.refund(await shop.takePayment('bank_transfer'), { amount: 1_000 })
  const disputed = await shop.takePayment('bank_transfer')
  const dispute = await ask('POST', `/payments/${disputed.id}/simulate-dispute`, {})
  const receipt = pictures.png.toString('base64')
  await ask('PUT', `/disputes/${dispute.id}/evidence`, { explanation: 'It', files: { receipt } })
  await create('/collections', { name: 'Fees', currency: 'ngn', amount: 5_000 })

  const plan = await shop.makePlan(half)
  await shop.refundAndEnd(await shop.sell([plan, 100_000, 1]), 10_000)
  await shop.settle(plan)
  await shop.sendInvoice(
    await shop.openInvoice({}, { lines: [{ amount: 100_000, tax_rate_bps: 750 }] }),
  )

  const { id: quote } = await ask('POST', '/conversions/quote', {
    amount: 155_000,
    currency: 'ngn',
    destination_currency: 'usd',
  })
  await ask('POST', '/conversions', { quote })
  const destination = { bank_code: '058', account_number: ada.account_number }
  const order = { amount: 10_000, currency: 'ngn', method: 'bank_transfer', destination }
  await ask('POST', '/payouts/quote', order)
  await ask('PUT', '/limits', {
    currencies: [{ currency: 'ngn', refuse_above: 50_000_000, destination_daily_count: 1_000 }],
  })
  await call('POST', '/payouts', { reference: 'p-0', ...order, amount: 50_000_001 })
  await shop.payOut({ reference: 'p-1', ...order })
  await ask('POST', '/payouts', {
    ...order,
    reference: 'p-2',
    destination: { bank_code: '058', account_number: '0000000011' },
  })
  await call('POST', '/payouts/p-2/simulate', { outcome: 'completed' })
  const lines = [{ amount: 10_000, destination }]
  await ask('POST', '/payouts/batch', { reference: 'b-1', currency: 'ngn', dry_run: true, lines })
  const { id: beneficiary } = await ownAccount(server, {}, call)
  await create('/payout-schedules', { currency: 'ngn', beneficiary, interval: 'daily' })

  await ask('POST', `/webhooks/${hook.id}/test`, { type: 'payout.completed' })
  const [event] = (await ask('GET', '/events?limit=1')).docs
  await ask('POST', '/webhooks/events/resend', { event_id: event.id, webhook_id: hook.id })
  await shop.advance('2d')
}

async function asSuperuser({ superuserUrl }: TestServer, text: string): Promise<void> {
  const client = newClient(superuserUrl)
  await client.connect()
  await client.query(text)
  await client.end()
}

const at = '2026-01-01T00:00:00Z'
const never = '9000-01-01T00:00:00Z'

/** What the sandbox makes none of. Each id is of the business and mode alone. */
const rowsOf = (id: string, key: string): Record<string, Json> => ({
  payment_crypto_quotes: {
    payment_id: id,
    currency: 'usdc',
    network: 'base',
    address: key,
    amount: 1,
    due: 1,
    rate: '1',
    created_at: at,
  },
  chain_deposits: {
    id,
    kind: 'wallet',
    subject: id,
    network: 'base',
    currency: 'usdc',
    contract_address: key,
    from_address: key,
    to_address: key,
    units: 1,
    amount: 0,
    dust: 1,
    worth: 0,
    tx_hash: key,
    position: 0,
    block_number: 1,
    block_hash: key,
    status: 'credited',
    transaction_id: id,
    created_at: at,
    updated_at: at,
  },
  customer_days: { customer_id: id, currency: 'ngn', day: '2026-01-01', amount: 1, count: 1 },
  webhook_queue: { delivery_id: id, webhook_id: id, due_at: never },
  team_notices: { kind: 'incident', id, line: 'Something', created_at: at },
  team_notice_times: { kind: 'incident', mailed_at: never },
  attention_done: { subject: id, done_at: at },
  webhook_outages: { webhook_id: id, opened_at: at },
  provider_customers: {
    rail: 'paystack',
    customer_id: id,
    code: key,
    provider_id: key,
    email: key,
    created_at: at,
  },
  provider_receipts: {
    rail: 'paystack',
    kind: 'charge',
    provider_id: key,
    subject: id,
    transaction_id: id,
    currency: 'ngn',
    amount: 1,
    created_at: at,
  },
  dispute_movements: {
    rail: 'paystack',
    provider_id: key,
    dispute_id: id,
    currency: 'ngn',
    amount: 1,
    moved_at: at,
    created_at: at,
  },
  provider_references: {
    rail: 'paystack',
    kind: 'charge',
    reference: key,
    subject: id,
    created_at: at,
  },
  provider_events: {
    rail: 'paystack',
    key,
    id,
    type: 'charge.success',
    kind: 'charge',
    received_at: at,
    subject: id,
    outcome: 'applied',
    ended_at: at,
  },
  provider_incidents: {
    id,
    rail: 'paystack',
    kind: 'stuck',
    subject: key,
    detail: {},
    opened_at: at,
    seen_at: at,
  },
})

/** Puts a row of the business and mode into each table that the sandbox leaves empty. */
export async function putRows(
  server: TestServer,
  businessId: string,
  livemode: boolean,
): Promise<void> {
  const key = `${businessId} ${livemode}`
  const id = `${businessId.slice(0, 23)}${livemode ? 'e' : 'f'}`
  const statements = Object.entries(rowsOf(id, key)).map(([table, row]) => {
    const whole = { business_id: businessId, livemode, ...row }
    return `insert into ${table} (${Object.keys(whole).join(', ')})
            select ${Object.keys(whole).join(', ')} from jsonb_populate_record(null::${table}, '${JSON.stringify(whole)}')`
  })
  await asSuperuser(server, `set session_replication_role = replica; ${statements.join('; ')}`)
}

/**
 * Takes the rows of everybody away again that `putRows` has put: nothing of the books stands behind
 * them.
 */
export async function takeRows(server: TestServer): Promise<void> {
  const deletes = Object.entries(rowsOf('', '')).map(([table, row]) => {
    const [column] = [
      'created_at',
      'opened_at',
      'received_at',
      'mailed_at',
      'done_at',
      'due_at',
      'day',
    ].filter((name) => name in row)
    return `delete from ${table} where ${column} = '${row[column as string]}'`
  })
  await asSuperuser(server, `set session_replication_role = replica; ${deletes.join('; ')}`)
}

/** A table with a business's rows. `moded`: each of them is of test mode or of live mode. */
export type BusinessTable = { name: string; moded: boolean }

/** Lists the tables with a `business_id`. */
export const findBusinessTables = ({ db }: App): Promise<BusinessTable[]> =>
  db.query<BusinessTable>(
    `select t.relname as name, exists (select from pg_attribute where attrelid = t.oid and attname = 'livemode') as moded
       from pg_class t join pg_attribute a on a.attrelid = t.oid and a.attname = 'business_id'
      where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p') and not t.relispartition order by 1`,
  )

/**
 * Counts the rows of a business in each table that has any; of tables with a mode, those of one
 * mode.
 */
export async function countRows(
  { db }: App,
  tables: BusinessTable[],
  { businessId, livemode = false }: { businessId: string; livemode?: boolean },
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { name, moded } of tables) {
    const ofMode = moded ? `and livemode = ${livemode}` : ''
    const [row] = await db.query<{ n: bigint }>(
      `select count(*) as n from ${name} where business_id = $1 ${ofMode}`,
      [businessId],
    )
    if (Number(row?.n) > 0) counts[name] = Number(row?.n)
  }
  return counts
}
