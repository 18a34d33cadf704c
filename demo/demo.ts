/**
 * A day of a shop, played against a running server by its public API and its hosted pages: money
 * comes in by every way, some of it the wrong way, some goes back and some goes out. In the evening
 * the books are held against the wallets.
 *
 *     RATE_LIMIT_MAX=0 npm start                 in one terminal
 *     BURSAR_KEY=sk_test_… npm run demo          in another
 *
 * It can be played again and again on one server. `npm run demo -- --live-double` plays another
 * day, with a live key (`live.ts`).
 */
import { cards, Payer } from './payer.ts'
import {
  checkServer,
  get,
  type Json,
  listSince,
  post,
  requestsMade,
  Stop,
  serverUrl,
  settled,
} from './server.ts'

/** Makes the references of this day unlike those of any other. */
const day = Date.now().toString(36)
const started = performance.now()

// The log
// -------------------------------------------------------------------------------------------------

function title(text: string): void {
  console.log(`\n${text}`)
}

function log(who: string, what: string): void {
  console.log(`  ${new Date().toTimeString().slice(0, 8)}  ${who.padEnd(16)}${what}`)
}

/** Minor units as people read them. */
function money(amount: number, currency: string): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 }
  return `${(amount / 100).toLocaleString('en', digits)} ${currency.toUpperCase()}`
}

/** The end of an id, which is enough to find it again. */
const short = (id: string): string => `…${id.slice(-6)}`

const paid = (payment: Json): string =>
  `${payment.status}: received ${money(payment.amount_received, payment.currency)}, fee ${money(payment.fee, payment.currency)}, net ${money(payment.net, payment.currency)}`

/** @throws {Stop} when the day did not go as it should have */
function expect(right: boolean, what: string): void {
  if (!right) throw new Stop(`That should not have happened: ${what}`)
}

function expectStatus(record: Json, status: string): Json {
  expect(
    record.status === status,
    `${record.reference ?? record.id} is ${record.status}, not ${status}`,
  )
  return record
}

// The shop
// -------------------------------------------------------------------------------------------------

const reference = (name: string): string => `${day}-${name}`

async function open(
  name: string,
  amount: number,
  more: Record<string, unknown> = {},
): Promise<Json> {
  const opened = await post('/payments', {
    reference: reference(name),
    amount,
    currency: 'ngn',
    description: `Order ${name}`,
    ...more,
  })
  log(
    'shop',
    `opens a payment of ${money(opened.amount, opened.currency)} for ${opened.description} (${short(opened.id)})`,
  )
  return opened
}

async function logWallets(): Promise<Json[]> {
  const wallets: Json[] = await get('/wallets')
  for (const { currency, available, pending } of wallets)
    log(
      `${currency} wallet`,
      `${money(available, currency)} available, ${money(pending, currency)} pending`,
    )
  return wallets
}

const ada = { name: 'Ada Okafor', first_name: 'Ada', last_name: 'Okafor', phone: '+2348012345678' }
const bola = { name: 'Bola Adeyemi', phone: '+2348023456789' }
const chidi = { name: 'Chidi Nwosu', address: { city: 'Enugu', country: 'NG' } }

async function addCustomers(): Promise<Json[]> {
  title('Three customers')
  const customers: Json[] = []
  for (const person of [ada, bola, chidi]) {
    const name = person.name.split(' ')[0] as string
    const email = `${name.toLowerCase()}@example.com`
    const customer = await post('/customers', { ...person, email, reference: reference(name) })
    log(name, `is a customer now (${short(customer.id)})`)
    customers.push(customer)
  }
  const [one, two, three] = customers as [Json, Json, Json]
  const show = async (customer: Json, id_type: string, id_number: string): Promise<void> => {
    const { status, failure_reason } = await post(`/customers/${customer.id}/documents`, {
      id_type,
      id_number,
    })
    const { kyc_status } = await get(`/customers/${customer.id}`)
    const why = failure_reason === null ? '' : ` (${failure_reason})`
    log(customer.name.split(' ')[0], `shows a ${id_type}: ${status}${why}; KYC ${kyc_status}`)
  }
  await show(one, 'bvn', '22123456789')
  await show(two, 'nin', '70123456789')
  await show(three, 'bvn', '00000000001')
  await show(three, 'passport', 'A12345678')
  return customers
}

const payroll = {
  account_name: 'Lagos Mills Ltd',
  account_number: '0123456789',
  bank_name: 'GTBank',
  bank_code: '058',
}

async function takeSalaries(customer: Json): Promise<void> {
  title('An account of her own')
  const account = await post('/virtual-accounts', {
    customer: customer.id,
    currency: 'ngn',
    kind: 'static',
    reference: reference('ada-account'),
  })
  log('Ada', `has the account ${account.account_number} at ${account.bank_name}, for good`)
  for (const month of ['September', 'October', 'November']) {
    const deposit = { amount: 18_500_000, sender: payroll, notice: reference(month) }
    const { id, amount, currency } = await post(
      `/virtual-accounts/${account.id}/simulate-deposit`,
      deposit,
    )
    log('Lagos Mills', `sends the pay of ${month}: ${money(amount, currency)} (${short(id)})`)
    if (month === 'November') {
      const again = await post(`/virtual-accounts/${account.id}/simulate-deposit`, deposit)
      expect(again.id === id, 'one notice of the bank was booked twice')
      log('bank', `tells of the pay of ${month} twice; it is booked once`)
    }
  }
  const once = await post('/virtual-accounts', { currency: 'usd', kind: 'dynamic', amount: 25_000 })
  const { amount, currency } = await post(`/virtual-accounts/${once.id}/simulate-deposit`)
  log('a reader abroad', `pays ${money(amount, currency)} into an account for that one amount`)
}

/** The account that a payer was shown for a payment. */
async function accountOf(paymentId: string): Promise<Json> {
  const { docs } = await get('/virtual-accounts?limit=100')
  return (
    docs.find((account: Json) => account.payment === paymentId) ??
    expect(false, 'a transfer has no account')
  )
}

async function payByTransfer(
  name: string,
  who: string,
  amount: number,
  deposits: number[],
): Promise<Json> {
  const opened = await open(name, amount)
  const payer = new Payer()
  await payer.visit(opened)
  await payer.choose('bank_transfer')
  await payer.submit('transfer')
  const account = await accountOf(opened.id)
  expect(payer.text().includes(account.account_number), 'the page does not show the account')
  for (const deposit of deposits) {
    const sender = { ...payroll, account_name: who }
    await post(`/virtual-accounts/${account.id}/simulate-deposit`, { amount: deposit, sender })
    await payer.visit(opened)
    log(
      who,
      `sends ${money(deposit, 'ngn')} to ${account.account_number}; the page says: ${payer.heading()}`,
    )
  }
  return logPaid(opened.id)
}

async function logPaid(id: string): Promise<Json> {
  const record = expectStatus(await settled(`/payments/${id}`, ['pending']), 'completed')
  const { status, late } = await get(`/transactions/${record.transaction}/verify`)
  expect(status === 'completed' && !late, 'the transaction of a payment is not completed')
  log(
    'shop',
    `${paid(record)}${record.variance === 'overpaid' ? ', too much' : ''}; hands out the goods`,
  )
  return record
}

async function sellInTheMorning([one, two]: Json[]): Promise<{
  card: Json
  transfer: Json
  stubborn: Json
}> {
  title('The morning: cards')
  const first = await open('novels', 450_000, {
    customer: one.id,
    redirect_url: 'https://shop.example/thanks',
  })
  const atNovels = new Payer()
  await atNovels.visit(first)
  await atNovels.choose('card')
  await atNovels.payByCard(cards.declined)
  log('Ada', `is declined; the page says: ${atNovels.says()}`)
  await atNovels.payByCard(cards.good)
  log('Ada', `pays with another card; the page says: ${atNovels.heading()}`)
  const card = await logPaid(first.id)
  expect(card.attempts === 2, 'two cards were tried')

  const second = await open('atlas', 1_250_000, {
    customer: two.id,
    methods: ['card'],
    fee_bearer: 'customer',
  })
  const atAtlas = new Payer()
  await atAtlas.visit(second)
  await atAtlas.payByCard(cards.challenged)
  log('Bola', `enters a card; the page says: ${atAtlas.says()}`)
  await atAtlas.submit('challenge', { answer: 'approve' })
  log('Bola', `says yes; the page says: ${atAtlas.heading()}`)
  await logPaid(second.id)

  const third = await open('calendar', 320_000, { methods: ['card'] })
  const atCalendar = new Payer()
  await atCalendar.visit(third)
  await atCalendar.payByCard(cards.late)
  log('a passer-by', "pays, and the card network's answer is lost for now")
  await logPaid(third.id)

  const fourth = await open('globe', 900_000, { methods: ['card'] })
  const atGlobe = new Payer()
  await atGlobe.visit(fourth)
  await atGlobe.payByCard(cards.refundFails)
  log('a teacher', `pays; the page says: ${atGlobe.heading()}`)
  const stubborn = await logPaid(fourth.id)

  title('The morning: bank transfers and crypto')
  const transfer = await payByTransfer('shelf', 'Chidi Nwosu', 2_000_000, [2_000_000])
  await payByTransfer('lamp', 'Dayo Bello', 750_000, [500_000, 250_000])
  const over = await payByTransfer('desk', 'Efe Eze', 1_500_000, [1_600_000])
  expect(over.variance === 'overpaid', 'too much was not noticed')

  const coins = await open('collection-of-maps', 18_000, { currency: 'usd', methods: ['crypto'] })
  const atMaps = new Payer()
  await atMaps.visit(coins)
  await atMaps.submit('crypto', { choice: 'usdc.base' })
  log('a reader abroad', `chooses USDC on Base; the page says: ${atMaps.says()}`)
  await post(`/payments/${coins.id}/simulate`, { outcome: 'completed', method: 'crypto' })
  await atMaps.visit(coins)
  log('a reader abroad', `sends the coins; the page says: ${atMaps.heading()}`)
  await logPaid(coins.id)
  return { card, transfer, stubborn }
}

async function sellNothing(): Promise<void> {
  title('Two that come to nothing')
  const { now } = await get('/test/clock')
  const slow = await open('vase', 600_000, {
    expires_at: new Date(Date.parse(now) + 6 * 60_000).toISOString(),
  })
  const payer = new Payer()
  await payer.visit(slow)
  const clock = await post('/test/clock', { advance: '7m' })
  log('test clock', `is moved seven minutes ahead; ${clock.fired.length} timer(s) fire`)
  expectStatus(await settled(`/payments/${slow.id}`, ['pending']), 'expired')
  await payer.visit(slow)
  log('a dreamer', `looks again; the page says: ${payer.heading()}`)

  const wrong = await open('vase-in-the-wrong-colour', 600_000)
  const canceled = expectStatus(await post(`/payments/${wrong.id}/cancel`), 'canceled')
  await payer.visit(canceled)
  log('shop', `cancels it; the page says: ${payer.heading()}`)
}

async function fillTheTrip(): Promise<void> {
  title('A class trip with three places')
  const trip = await post('/collections', {
    name: 'Class trip to Abeokuta',
    currency: 'ngn',
    min_amount: 500_000,
    max_amount: 1_000_000,
    max_payments: 3,
  })
  log('shop', `shares the link of '${trip.name}' (${short(trip.id)})`)
  const parents = ['Funmi', 'Gozie', 'Halima', 'Ife']
  // All four stand at the door at once, and all four press Pay at once.
  const visitors = await Promise.all(
    parents.map(async (name, i) => {
      const payer = new Payer()
      await payer.visit(trip)
      await payer.submit('start', {
        amount: `${6_000 + i * 500}`,
        email: `${name.toLowerCase()}@example.com`,
      })
      await payer.choose('card')
      return { name, payer }
    }),
  )
  await Promise.all(visitors.map(({ payer }) => payer.payByCard(cards.good)))
  for (const { name, payer } of visitors)
    log(name, `presses Pay; the page says: ${payer.heading()}`)
  const { payments_count, amount_collected } = await get(`/collections/${trip.id}`)
  expect(payments_count === 3, `${payments_count} places were sold`)
  log('shop', `${payments_count} of 4 have a place; ${money(amount_collected, 'ngn')} collected`)
}

async function giveBack({
  card,
  transfer,
  stubborn,
}: Record<'card' | 'transfer' | 'stubborn', Json>): Promise<void> {
  title('The afternoon: refunds')
  const asked: [string, Json, Record<string, unknown>, string][] = [
    ['all of it', card, {}, 'completed'],
    ['a part of it', transfer, { amount: 700_000 }, 'completed'],
    ['all of it', stubborn, {}, 'failed'],
  ]
  const refunds = await Promise.all(
    asked.map(async ([what, { id, reference: of }, more, ends]) => {
      const refund = await post('/refunds', {
        payment: id,
        reference: `${of}-back`,
        reason: 'Did not like it',
        ...more,
      })
      log(
        'shop',
        `gives ${what} back for ${of}: ${money(refund.amount, refund.currency)} by ${refund.method} (${short(refund.id)})`,
      )
      return { refund, ends }
    }),
  )
  for (const { refund, ends } of refunds) {
    const ended = expectStatus(await settled(`/refunds/${refund.id}`, ['initiated']), ends)
    const why =
      ended.failure_reason === null
        ? ''
        : ` (${ended.failure_reason}), and the money is in the wallet again`
    log('bank', `refund ${short(ended.id)} ${ended.status}${why}`)
  }
}

async function payOut(): Promise<void> {
  title('The afternoon: payouts')
  const landlord = { bank_code: '058', account_number: '0123456789' }
  const rent = {
    amount: 20_000_000,
    currency: 'ngn',
    method: 'bank_transfer',
    destination: landlord,
  }
  const quote = await post('/payouts/quote', rent)
  log(
    'shop',
    `asks what ${money(quote.amount, 'ngn')} to ${quote.destination.resolved_account_name} costs: ${money(quote.fee, 'ngn')}; ${money(quote.destination_amount, 'ngn')} arrives`,
  )
  const wallet = {
    currency: 'usdc',
    chain: 'base',
    address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  }
  const orders: [string, Record<string, unknown>, string][] = [
    ['rent', { ...rent, quote: quote.id }, 'completed'],
    [
      'printer-abroad',
      { amount: 9_000, currency: 'usd', method: 'crypto', destination: wallet },
      'completed',
    ],
    [
      'wrong-number',
      { ...rent, amount: 1_000_000, destination: { ...landlord, account_number: '0000000001' } },
      'failed',
    ],
  ]
  for (const [name, order] of orders) {
    const { currency, amount, fee, transaction } = await post('/payouts', {
      reference: reference(name),
      ...order,
    })
    log(
      'shop',
      `pays out ${money(amount, currency)} for ${name}, fee ${money(fee, currency)} (${short(transaction)})`,
    )
  }
  for (const [name, , ends] of orders) {
    const payout = await settled(`/payouts/${reference(name)}`, ['pending', 'processing'])
    expectStatus(payout, ends)
    const { status, failure_reason, destination_amount, destination_currency } = payout
    const end =
      status === 'completed'
        ? `${money(destination_amount, destination_currency)} arrived`
        : failure_reason
    log('bank', `payout for ${name} ${status}: ${end}`)
  }
}

// The evening
// -------------------------------------------------------------------------------------------------

async function countEvents(since: string): Promise<void> {
  title('What the server told of the day')
  const events = await listSince('/events', since, (event) => event.timestamp)
  const byType = Object.groupBy(events, (event: Json) => event.type as string)
  for (const [type, found] of Object.entries(byType).sort())
    log('events', `${String(found?.length).padStart(3)} × ${type}`)
}

/** Adds up what moved, and holds it against what the wallets say. Gives whether it is the same. */
function reconcile(currency: string, transactions: Json[], before: Json, after: Json): boolean {
  const of = transactions.filter((one) => one.currency === currency)
  const sum = (records: Json[], amountOf: (record: Json) => number): number =>
    records.reduce((total, record) => total + amountOf(record), 0)
  const credits = of.filter(
    ({ direction, status }) => direction === 'credit' && status === 'completed',
  )
  // What failed or was reversed is in the wallet again.
  const debits = of.filter(
    ({ direction, status }) => direction === 'debit' && /^(pending|completed)$/.test(status),
  )
  const net = sum(credits, (one) => one.net)
  const out = sum(debits, (one) => one.amount)
  const change = after.available - before.available
  const right = change === net - out
  log(
    `${currency} wallet`,
    `${credits.length} credit(s): ${money(
      sum(credits, (one) => one.amount),
      currency,
    )}, less fees ${money(
      sum(credits, (one) => one.fee),
      currency,
    )}`,
  )
  log(
    '',
    `${debits.length} debit(s): ${money(out, currency)}, of which fees ${money(
      sum(debits, (one) => one.fee),
      currency,
    )}`,
  )
  log(
    '',
    `adds up to ${money(net - out, currency)}; available has changed by ${money(change, currency)} ${right ? '✓' : '✗'}`,
  )
  return right
}

async function playTheDay(): Promise<void> {
  console.log(`A day at the shop, against ${serverUrl}`)
  console.log(
    'It makes about 160 requests, more than the server takes by default: start that with RATE_LIMIT_MAX=0.',
  )
  await checkServer()

  title('Opening')
  const { now } = await get('/test/clock')
  const before = await logWallets()
  const customers = await addCustomers()
  await takeSalaries(customers[0])
  const sold = await sellInTheMorning(customers)
  await sellNothing()
  await fillTheTrip()
  await giveBack(sold)
  await payOut()
  await countEvents(now)

  title('Closing')
  const after = await logWallets()
  const transactions = await listSince('/transactions', now, (one) => one.created_at)
  const right = before.map((wallet, i) =>
    reconcile(wallet.currency, transactions, wallet, after[i]),
  )
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  if (right.includes(false))
    throw new Stop('The transactions of the day do not add up to what the wallets hold.')
  console.log(
    `\n✓ The books add up: ${transactions.length} transactions, ${requestsMade()} requests, ${seconds} s.`,
  )
}

if (process.argv.includes('--live-double')) {
  const { playLiveDay } = await import('./live.ts')
  await playLiveDay()
} else await play()

async function play(): Promise<void> {
  try {
    await playTheDay()
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    console.error(`\n✗ ${error.message}`)
    process.exitCode = 1
  }
}
