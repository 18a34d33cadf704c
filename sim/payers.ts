/**
 * Payers with the habits of browsers, at the hosted pages of payments, collections and invoices:
 * they click twice, go back, have two tabs, reload, and go away. Who has the business' key
 * simulates, cancels and voids the same payments meanwhile; and like any, they are refunded and
 * disputed once they are paid.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { chance } from '../test/support/chance.ts'
import { type Client, newClient } from './client.ts'
import { expectPayment, type Model, touched } from './model.ts'
import { type Operation, sender } from './money.ts'
import { type Browser, type Form, open, type Page, send } from './pages.ts'
import { cuts, type Json } from './requests.ts'

/** What a payer pays. */
type Paying = {
  id: string
  amount: number
  path: string
  methods: string[]
  invoice: string | null
}

/** Cards of the sandbox, and how a payment may end by each; null: it does not. */
const cards: readonly [number: string, end: string | null][] = [
  ['4242424242424242', 'completed'],
  ['5555555555554444', 'completed'],
  ['5060666666666666666', 'completed'],
  ['4000002760003184', 'completed'],
  ['4000002760003184', 'completed'],
  ['4000000000000259', 'completed'],
  ['4000000000000259', 'completed'],
  ['4000000000000119', null],
  ['4000000000000002', null],
  ['4000000000009995', null],
  ['4100000000000019', 'failed'],
]

/** What no log may have. */
export const cardNumbers = [...new Set(cards.map(([number]) => number))]

let hands = 10_000
/**
 * Somebody else at the same time, with decisions of their own: those of one do not hang on how far
 * the other is.
 */
const beside = ({ by, asking, model }: Client): Client =>
  newClient({ ...asking, by: chance(by.below(2 ** 31)) }, model, hands++)

/**
 * A payment that a page is opened of: what comes is in the wallet however it ended, and its end is
 * told once.
 */
export function expectPaying(model: Model, record: Json): Paying {
  const { id, amount, currency, methods, invoice, checkout_url } = record
  if (!model.records.has(id)) {
    expectPayment(model, record)
    const expected = touched(model, id)
    expected.available = ({ amount_received, fee }) => [
      [currency, BigInt(amount_received) - BigInt(fee)],
    ]
    expected.events = ({ status }) => (status === 'pending' ? [] : [`payment.${status}`])
    if (invoice === null) model.payments.push({ id, amount })
    else expected.ends = new Set(['pending'])
    model.sent.set(id, { surely: 0, perhaps: 0 })
  }
  return { id, amount, methods, invoice, path: new URL(checkout_url).pathname }
}

/** Somebody was told how a payment has ended: so it stays. */
function saw({ model, tally }: Client, { id, amount }: Paying, status: string): void {
  const expected = touched(model, id)
  const before = expected.fields.status
  if (before !== undefined && before !== status)
    tally.finding('two ends', `${id} is ${status}, and was ${before}`)
  expected.fields = { ...expected.fields, status }
  if (status === 'completed' && before === undefined) model.paid.push({ id, amount })
}

/** Opens the page of a payment, and believes it. */
async function look(
  client: Client,
  browser: Browser,
  paying: Paying,
  path = paying.path,
): Promise<Page> {
  const known = touched(client.model, paying.id).fields.status
  const page = await open(client, browser, path)
  if (page.status === 'pending' && known !== undefined)
    client.tally.finding('two ends', `the page of ${paying.id} is pending, and was ${known}`)
  if (page.status !== null && page.status !== 'pending') saw(client, paying, page.status)
  return page
}

/** How often a form of each kind is taken where there are several. */
const liked: Record<string, number> = { card: 6, challenge: 6, transfer: 6, crypto: 1, simulate: 1 }

/** A form of a page to pay by; null: it has none. */
function formOf({ by }: Client, { forms, path }: Page): Form | null {
  const some = forms.flatMap((form) => {
    // What is paid in tokens is tried on the chain.
    const often =
      form.name === 'simulate' && path.includes('method=crypto') ? 0 : (liked[form.name] ?? 0)
    return Array<Form>(often).fill(form)
  })
  return some.length > 0 ? by.one(some) : null
}

/** What a payer types into a form, or presses; by that the payment may end so. */
function typedInto(
  { by, model }: Client,
  { id, invoice }: Paying,
  { name, buttons }: Form,
): Record<string, string> {
  const { ends } = touched(model, id)
  const pressed = (): [string, string] => by.one(buttons)
  if (name === 'card') {
    const [number, end] = by.one(cards)
    if (end === 'completed' || (end !== null && invoice === null)) ends.add(end)
    return { number, expiry: '12/34', cvc: '123' }
  }
  if (name === 'simulate') {
    const pays = buttons.some(([, value]) => value === 'completed')
    const outcome = pays && by.happens(0.6) ? 'completed' : pressed()[1]
    ends.add(['failed', 'expired'].includes(outcome) ? outcome : 'completed')
    return { outcome }
  }
  return name === 'challenge' || name === 'crypto' ? Object.fromEntries([pressed()]) : {}
}

/** Whether the form that was sent is a transfer, and whether its answer says that it came. */
function countTransfers(
  { model }: Client,
  { id }: Paying,
  form: Form,
  outcome: string,
  answers: (string | null)[],
) {
  const sent = model.sent.get(id)
  if (!sent || form.name !== 'simulate' || form.hidden.method !== 'bank_transfer') return
  if (['failed', 'expired'].includes(outcome)) return
  for (const answer of answers) {
    if (answer === null) sent.perhaps++
    else if (answer.includes('method=')) sent.surely++
  }
}

/**
 * A payer at one tab, until the payment has ended, or they have had enough. @returns whether they
 * sent anything
 */
async function walk(client: Client, browser: Browser, paying: Paying): Promise<boolean> {
  const { by, tally } = client
  const left: Page[] = []
  let tried = false
  let page = await look(client, browser, paying)
  for (let steps = 4 + by.below(6); steps > 0 && page.status !== null; steps--) {
    const ended = page.status !== 'pending'
    const back = left.filter(({ forms }) => forms.length > 0)
    // Who waits for a card loses patience soonest.
    const waits = !ended && page.ways.length === 0 && formOf(client, page) === null
    const goesBack = back.length > 0 && by.happens(ended ? 0.5 : waits ? 0.7 : 0.15)
    if (ended && !goesBack) break
    const from = goesBack ? by.one(back) : page
    const form = !goesBack && page.ways.length > 0 && by.happens(0.25) ? null : formOf(client, from)
    if (form === null) {
      left.push(page)
      if (page.ways.length === 0) await sleep(100 + by.below(500))
      page = await look(
        client,
        browser,
        paying,
        page.ways.length > 0 ? by.one(page.ways) : page.path,
      )
      continue
    }
    if (goesBack) tally.fault('payer: back')
    const typed = typedInto(client, paying, form)
    const away = by.happens(0.08) ? by.one(cuts) : null
    const clicks = away === null && by.happens(0.15) ? 2 : 1
    if (away !== null) tally.fault('payer: gone away')
    if (clicks > 1) tally.fault('payer: double click')
    const sending = Array.from({ length: clicks }, () =>
      send(client, browser, from, form, typed, away),
    )
    const answers = await Promise.all(sending)
    tried = true
    countTransfers(client, paying, form, typed.outcome ?? '', answers)
    if (away !== null) return tried
    left.push(page)
    // Who has no answer looks how it stands.
    page = await look(client, browser, paying, answers.at(-1) ?? from.path)
  }
  if (by.happens(0.4)) {
    tally.fault('payer: reload')
    await look(client, browser, paying)
  }
  return tried
}

/**
 * Sends money from a bank to the account that the page has shown, if it has: of any amount,
 * whatever has become of the payment.
 */
async function transfer(client: Client, { id, amount }: Paying): Promise<void> {
  const { by, model, tally } = client
  const { data } = await client.get('/virtual-accounts?limit=100')
  const account = data.docs.find(({ payment }: Json) => payment === id)
  if (!account) return
  touched(model, id).ends.add('completed')
  const body = { amount: by.one([amount, amount, 1 + by.below(2 * amount)]), sender }
  const path = `/virtual-accounts/${account.id}/simulate-deposit`
  if (!(await client.write('simulateVirtualAccountDeposit', 'POST', path, body))) return
  const sent = model.sent.get(id)
  if (sent) sent.surely++
  tally.fault('payer: transfer from a bank, however the payment stands')
}

/** Refusals of what comes too late, or too early, or to a place that is taken. */
const inTheWay = [
  'payment_not_pending',
  'payment_processing',
  'payment_of_invoice',
  'method_not_available',
  'too_many_attempts',
  'collection_full',
  'collection_canceled',
  'invoice_not_open',
]

/** Who has the key does something to the payment at any moment of it. */
async function meddle(client: Client, paying: Paying): Promise<void> {
  const { by, model } = client
  const how = by.one(['nothing', 'nothing', 'nothing', 'cancel', 'simulate', 'transfer'] as const)
  await sleep(by.below(1_500))
  const { id, invoice, methods } = paying
  if (how === 'cancel') {
    const [operation, path] =
      invoice === null
        ? (['cancelPayment', `/payments/${id}/cancel`] as const)
        : (['voidInvoice', `/invoices/${invoice}/void`] as const)
    const done = await client.write(operation, 'POST', path, undefined, inTheWay)
    if (!done) return
    touched(model, id).ends.add('canceled')
    saw(client, paying, 'canceled')
  } else if (how === 'simulate') {
    const outcome = by.one(['completed', 'completed', 'failed', 'expired'])
    const method = by.one(methods.filter((one) => one !== 'crypto'))
    touched(model, id).ends.add(outcome)
    const body = outcome === 'completed' ? { outcome, method } : { outcome }
    const done = await client.write(
      'simulatePayment',
      'POST',
      `/payments/${id}/simulate`,
      body,
      inTheWay,
    )
    if (!done) return
    const sent = model.sent.get(id)
    if (sent && body.method === 'bank_transfer') sent.surely++
    if (done.data.status !== 'pending') saw(client, paying, done.data.status)
  } else if (how === 'transfer') {
    await sleep(by.below(2_500))
    await transfer(client, paying)
  }
}

/** A payer opens the page in one tab, or in two, and pays by it or does not. */
async function visit(client: Client, paying: Paying): Promise<void> {
  const { by, tally } = client
  const browser: Browser = { cookie: '' }
  const tabs = by.happens(0.25) ? 2 : 1
  if (tabs > 1) tally.fault('payer: two tabs')
  // Who has written an account down pays to it later, though something else was paid by.
  const writes = paying.methods.includes('bank_transfer') && by.happens(0.4)
  if (writes) {
    const page = await look(client, browser, paying, `${paying.path}?method=bank_transfer`)
    const form = page.forms.find(({ name }) => name === 'transfer')
    if (form) await send(client, browser, page, form, {})
  }
  const meddling = meddle(beside(client), paying)
  const tried = await Promise.all(
    Array.from({ length: tabs }, () => walk(beside(client), browser, paying)),
  )
  await meddling
  if (writes || by.happens(0.4)) await transfer(client, paying)
  if (tried.includes(true)) tally.operation('pay at checkout')
  await look(client, browser, paying)
}

/** The link of a payment. */
async function payment(client: Client): Promise<void> {
  const { by, model } = client
  const methods = by.one([
    undefined,
    undefined,
    ['card', 'bank_transfer'],
    ['card'],
    ['bank_transfer'],
  ])
  const made = await client.write('createPayment', 'POST', '/payments', {
    reference: client.name('checkout'),
    amount: 10_000 + by.below(5_000_000),
    currency: 'ngn',
    methods,
    fee_bearer: by.one(['business', 'customer']),
    on_mismatch: by.one(['accept', 'reverse']),
  })
  if (made) await visit(client, expectPaying(model, made.data))
}

/** What was started by a collection's link, whoever has seen it. @returns the payments */
export async function expectStarted(
  model: Model,
  get: (path: string) => Promise<{ data: Json }>,
  id: string,
) {
  const { data } = await get(`/collections/${id}/payments?limit=100`)
  return (data.docs as Json[]).map((record) => expectPaying(model, record))
}

/** A link for several payers at once, who may be more than it has places. */
async function collection(client: Client): Promise<void> {
  const { by, model } = client
  const made = await client.write('createCollection', 'POST', '/collections', {
    name: 'School fees',
    currency: 'ngn',
    max_payments: by.one([null, 1, 2]),
    ...by.one([{ amount: 10_000 + by.below(1e6) }, { min_amount: 10_000 }]),
  })
  if (!made) return
  const { id, checkout_url } = made.data
  model.links.add(id)
  const begin = async (payer: Client): Promise<void> => {
    const browser: Browser = { cookie: '' }
    const page = await open(payer, browser, new URL(checkout_url).pathname)
    const form = page.forms.find(({ name }) => name === 'start')
    if (!form) return
    const typed = {
      amount: String(100 + payer.by.below(9_000)),
      email: payer.by.one(['', 'ada@example.com']),
    }
    const clicks = payer.by.happens(0.2) ? 2 : 1
    if (clicks > 1) payer.tally.fault('payer: double click')
    const sending = Array.from({ length: clicks }, () => send(payer, browser, page, form, typed))
    const to = (await Promise.all(sending)).at(-1)
    const started = await expectStarted(model, payer.get, id)
    const paying = started.find(({ path }) => path === to)
    if (paying) await visit(payer, paying)
  }
  await Promise.all(Array.from({ length: 1 + by.below(3) }, () => begin(beside(client))))
}

async function invoice(client: Client): Promise<void> {
  const { by, model } = client
  const email = `${client.name('payer')}@example.com`
  const customer = await client.write('createCustomer', 'POST', '/customers', {
    name: 'Ada Okafor',
    email,
  })
  const body = { name: 'Shoes', amount: 10_000 + by.below(1e6), currency: 'ngn' }
  const product = await client.write('createProduct', 'POST', '/products', body)
  if (!customer || !product) return
  const lines = [{ product: product.data.id, quantity: 1 + by.below(3) }]
  const made = await client.write('createInvoice', 'POST', '/invoices', {
    customer: customer.data.id,
    lines,
  })
  if (!made) return
  const open = await client.write(
    'finalizeInvoice',
    'POST',
    `/invoices/${made.data.id}/finalize`,
    undefined,
  )
  if (!open) return
  await visit(
    client,
    expectPaying(model, (await client.get(`/payments/${open.data.payment}`)).data),
  )
}

export const atCheckout: Operation[] = [
  { weight: 6, run: payment },
  { weight: 2, run: collection },
  { weight: 2, run: invoice },
]
