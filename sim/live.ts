/**
 * A business with live money: it pays out by two providers that fail in every way they know, and
 * what comes in are its payers' transfers.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Chance } from '../test/support/chance.ts'
import type { Client } from './client.ts'
import type { Database } from './database.ts'
import { orderOf } from './doubles/placed.ts'
import type { Found } from './looks.ts'
import { expectConversion, expectDeposit, expectPayout, type Model, touched } from './model.ts'
import type { Operation } from './money.ts'
import type { Doubles, Inlet } from './providers.ts'
import { type Asking, ask, type Json, until } from './requests.ts'
import type { Tally } from './tally.ts'
import type { Shop, World } from './world.ts'

const minuteMs = 60_000
const ends = ['completed', 'failed', 'returned']

/** Opens the accounts that its payers pay into, each of a customer who has given a number. */
export async function openInlets(
  asking: Asking,
  businessId: string,
  database: Database,
  { dojah }: Doubles,
): Promise<Inlet[]> {
  const inlets: Inlet[] = []
  for (const [n, currency] of (['ngn', 'ngn', 'ngn', 'usd', 'usd'] as const).entries()) {
    const { first, last, bvn } = dojah.person(true)
    const person = {
      first_name: first,
      last_name: last,
      phone: '+2348012345678',
      email: `ada${n}@example.com`,
    }
    const { data: customer } = await ask(asking, 'POST', '/customers', person, `inlet-${n}`)
    dojah.documents.push({ customer: customer.id, idType: 'bvn', number: bvn, due: 'verified' })
    const given = { id_type: 'bvn', id_number: bvn }
    await ask(asking, 'POST', `/customers/${customer.id}/documents`, given, `document-${n}`)
    const verified = await until(
      async () =>
        (
          await database.ask(
            "select from customer_documents where business_id = $1 and livemode and customer_id = $2 and status = 'verified'",
            [businessId, customer.id],
          )
        ).length > 0,
      60_000,
    )
    if (!verified) throw new Error('no number was verified')
    const { data, message } = await ask(
      asking,
      'POST',
      '/virtual-accounts',
      { customer: customer.id, currency },
      `account-${n}`,
    )
    if (!data?.id) throw new Error(`no account: ${message}`)
    // Its provider may have been slow to answer: then it is asked about.
    let account = data
    for (const late = performance.now() + 60_000; !account.account_number; await sleep(200)) {
      if (performance.now() > late) throw new Error(`no account: ${JSON.stringify(account)}`)
      account = (await ask(asking, 'GET', `/virtual-accounts/${data.id}`)).data
    }
    inlets.push({ currency, number: account.account_number })
  }
  return inlets
}

/** Dollars to begin with: once the clock goes as fast as it does, few quotes are taken in time. */
export async function buyFirst(
  asking: Asking,
  model: Model,
  doubles: Doubles,
  inlet: Inlet,
): Promise<void> {
  for (let payers = 0; payers < 10; payers++) doubles.payIn(inlet, 50_000_000)
  await doubles.notify(asking.apis()[0] as string, false)
  const body = { amount: 400_000_000, currency: 'ngn', destination_currency: 'usd' }
  const made = await until(async () => {
    const quote = await ask(asking, 'POST', '/conversions/quote', body)
    if (quote.status >= 300) return null
    const { id } = quote.data
    const { status, data } = await ask(asking, 'POST', '/conversions', { quote: id }, `first-${id}`)
    return status < 300 && data
  }, 60_000)
  if (made === null) throw new Error('no dollars')
  expectConversion(model, made)
}

const codes = [
  'insufficient_funds',
  'amount_too_small',
  'amount_too_large',
  'quote_expired',
  'account_not_found',
  'lookup_unavailable',
]

type Payable = { amount: number; currency: string; destination: Json }

/** @param account where its provider is to pay it: a bank, by its code, and a number */
async function pay(
  client: Client,
  operation: string,
  asked: Payable,
  account: [string, string],
): Promise<void> {
  const { model } = client
  const reference = client.name('live')
  const body = { reference, method: 'bank_transfer', ...asked }
  const made = await client.write(operation, 'POST', '/payouts', body, codes)
  if (!made) return void model.absent.add(`/payouts/${reference}`)
  expectPayout(model, made.data)
  const order = orderOf(asked.amount - made.data.fee, asked.currency, ...account)
  Object.assign(touched(model, made.data.id), { ends: new Set(ends), order })
}

async function payNaira(client: Client): Promise<void> {
  const { by } = client
  const amount = 10_000 + by.below(2_000_000)
  const [bank_code, account_number] = ['058', String(3_000_000_000 + by.below(500))] as const
  const destination = { bank_code, account_number }
  await pay(client, 'createPayout (live)', { amount, currency: 'ngn', destination }, [
    bank_code,
    account_number,
  ])
}

const holder = { line1: '12 Main Street', city: 'Austin', state: 'TX', postal_code: '78701' }

/** Naira become dollars: a quote is over soon where the clock goes as fast as here. */
async function buyDollars(client: Client): Promise<void> {
  const { by, model } = client
  const body = {
    amount: 10_000_000 + by.below(90_000_000),
    currency: 'ngn',
    destination_currency: 'usd',
  }
  for (let tries = 0; tries < 4; tries++) {
    const quote = await client.write(
      'quoteConversion (live)',
      'POST',
      '/conversions/quote',
      body,
      codes,
    )
    if (!quote) return
    const given = { quote: quote.data.id }
    const bought = await client.write(
      'createConversion (live)',
      'POST',
      '/conversions',
      given,
      codes,
    )
    if (bought) return expectConversion(model, bought.data)
  }
}

async function payDollars(client: Client): Promise<void> {
  const { by } = client
  if (by.happens(0.4)) await buyDollars(client)
  const amount = 500 + by.below(4_000)
  const [routing_number, account_number] = [
    '021000021',
    String(100_000_000 + by.below(200)),
  ] as const
  const destination = {
    country: 'us',
    routing_number,
    account_number,
    account_name: 'Ada Okafor',
    account_type: 'checking',
    holder_address: holder,
  }
  const asked = { amount, currency: 'usd', destination }
  await pay(client, 'createPayout (live, in dollars)', asked, [routing_number, account_number])
}

async function cancel(client: Client): Promise<void> {
  const { by, model } = client
  const reference = model.payouts.at(-1 - by.below(Math.min(8, model.payouts.length || 1)))
  if (reference === undefined) return
  const expected = touched(model, model.byReference.get(reference) as string)
  const done = await client.write(
    'cancelPayout (live)',
    'POST',
    `/payouts/${reference}/cancel`,
    undefined,
    ['payout_not_cancelable'],
  )
  if (done) expected.ends = new Set(['canceled'])
}

export const liveMoney: Operation[] = [
  { weight: 8, run: payNaira },
  { weight: 12, run: payDollars },
  { weight: 2, run: cancel },
]

/**
 * What goes on outside while there is work: payers pay, banks do what they do, faults befall, and
 * time passes faster than ours.
 * @param live how much more of it there is than by itself
 */
export async function goOn(
  by: Chance,
  world: World,
  live: number,
  until: () => boolean,
): Promise<void> {
  const { doubles, clock, inlets, shops } = world
  const url = (): string => by.one(shops[0]?.asking.apis() ?? [])
  // Who is notified takes its time, and nothing waits for that.
  let notifying: Promise<void> | null = null
  while (!until()) {
    for (let faults = by.below(2 + 2 * live); faults > 0; faults--) await doubles.befall(by)
    for (let payers = by.below(3); payers > 0; payers--) {
      const inlet = by.one(inlets)
      doubles.payIn(
        inlet,
        inlet.currency === 'ngn' ? 1_000_000 + by.below(50_000_000) : 1_000 + by.below(50_000),
      )
    }
    doubles.endSome(by, 0.5)
    if (by.happens(0.8))
      notifying ??= doubles.notify(url(), by.happens(0.2)).finally(() => {
        notifying = null
      })
    if (by.happens(0.3)) await doubles.arrive()
    if (by.happens(0.03)) await world.unblock()
    clock.move(by.below(2 * minuteMs))
    await sleep(100 + by.below(400))
  }
  await notifying
}

/**
 * Waits until what is due now has run. Hours that pass while a busy machine has not asked anybody
 * yet would look like days without an answer.
 */
async function workedOff({ database, clock }: World): Promise<void> {
  const isDue = `select from timers where livemode and (due_at is null or due_at <= $1)
    union all select from graphile_worker._private_jobs where run_at <= now()`
  for (
    const deadline = performance.now() + 60_000;
    performance.now() < deadline && (await database.ask(isDue, [clock.now()])).length > 0;
  )
    await sleep(100)
}

/**
 * The providers are well, banks end what they have, and time passes until every payout has ended.
 */
export async function comeToRest(
  by: Chance,
  world: World,
  shop: Shop,
  tally: Tally,
): Promise<void> {
  const { doubles, clock } = world
  await doubles.heal()
  for (const name of doubles.happened()) tally.fault(name)
  let open = 1
  for (let round = 0; round < 60 && (open > 0 || round < 12); round++) {
    await world.unblock()
    doubles.endSome(by, 1)
    await doubles.notify(by.one(shop.asking.apis()), true)
    // What no notification told of, a comparison of the books does, day by day.
    if (round % 4 === 3) await world.reconcile()
    clock.move(round < 8 ? 6 * minuteMs : 8 * 60 * minuteMs)
    await sleep(400)
    await workedOff(world)
    const waiting = await Promise.all(
      ['/payouts?status=pending', '/payouts?status=processing', '/refunds?status=initiated'].map(
        (list) => ask(shop.asking, 'GET', `${list}&limit=1`),
      ),
    )
    open = waiting.reduce((sum, { data }) => sum + data.totalDocs, 0)
  }
  doubles.settle()
  for (const differing of await world.reconcile()) tally.finding('reconciliation', differing)
  tally.check('accounts at providers', doubles.reconciled.length)
}

/**
 * The model learns of what came in from the bank that had it, and the doubles' books are held
 * against ours.
 */
export async function judgeProviders(
  { doubles }: World,
  { model }: Shop,
  records: Map<string, Found>,
  tally: Tally,
): Promise<void> {
  const came = [...records.values()]
    .filter(({ kind }) => kind === 'deposit')
    .map(({ record }) => record)
  for (const record of came) if (!model.records.has(record.id)) expectDeposit(model, record)
  const booked = [...model.records.values()]
    .filter(({ kind }) => kind === 'deposit')
    .map(({ fields: { amount, currency } }) => `${amount} ${currency}`)
  const sorted = (amounts: string[]): string => amounts.sort().join()
  const paid = doubles.paidIn()
  if (sorted(paid) !== sorted(booked))
    tally.finding('deposits', `${paid.length} were paid in, ${booked.length} are booked`)
  const sent = doubles.sent()
  for (const [id, { kind, seen, order }] of model.records) {
    if (kind !== 'payout') continue
    const status = records.get(id)?.record.status ?? seen?.status
    const orders = sent.get(id) ?? []
    const times = orders.filter((one) => one.status === 'paid').length
    const right = status === 'completed' ? 1 : 0
    if (times !== right || orders.some(({ what }) => what !== order))
      tally.finding(
        'executed outside',
        `payout ${id} of ${order} is ${status}, and its providers say ${orders.map((one) => `${one.what}: ${one.status}`).join(', ') || 'nothing'}`,
      )
    sent.delete(id)
  }
  for (const id of sent.keys())
    tally.finding('executed outside', `a provider was sent ${id}, which is no payout`)
  for (const complaint of doubles.complaints())
    tally.finding('what a provider holds against us', complaint)
  tally.check('orders at providers', doubles.sent().size)
  tally.check('deposits at providers', paid.length)
}
