/**
 * A day of a shop with a live key, over doubles of Paystack, Stripe and Bridge: a card, transfers,
 * an account of a customer's own, an identity check, payouts in naira and in dollars, a refund,
 * payouts that come back after they had arrived, a settlement; in the evening the books are held
 * against each provider.
 *
 *     npm run demo -- --live-double
 *
 * It starts a server and a database of its own, and leaves nothing behind. No real money and no
 * real provider is near.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request as plainRequest } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import {
  type Double as Bridge,
  operationNames as bridgeOperations,
  startBridge,
} from '../test/doubles/bridge.ts'
import { type Double, operations, startPaystack } from '../test/doubles/paystack.ts'
import {
  type Double as Stripe,
  startStripeOutbound,
  operations as stripeOperations,
} from '../test/doubles/stripe-outbound.ts'
import { type Front, startFront } from '../test/support/https-front.ts'
import { playDollars } from './live-dollars.ts'
import type { Reconciled, Start, Started } from './live-server.ts'
import { type Json, Stop } from './server.ts'

/**
 * How long each call to the double takes: whoever asked inside a transaction would be seen to wait
 * there.
 */
const callMs = 400
/** A transaction that does nothing for so long waits for somebody outside. */
const waitsMs = 300
const host = 'pay.example.com'

const bvn = '22222222222'
/** What a payer types at the provider. */
const cardNumber = '4084084084084081'

const here = (name: string): string => new URL(name, import.meta.url).pathname
const dir = mkdtempSync(join(tmpdir(), 'bursar-live-'))
const logFile = join(dir, 'server.log')

function title(text: string): void {
  console.log(`\n${text}`)
}
function log(who: string, what: string): void {
  console.log(`  ${new Date().toTimeString().slice(0, 8)}  ${who.padEnd(12)}${what}`)
}
const money = (amount: number): string =>
  `NGN ${(amount / 100).toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`

/** @throws {Stop} when the day did not go as it should have */
function expect(right: unknown, what: string): asserts right {
  if (!right) throw new Stop(`That should not have happened: ${what}`)
}

/** Looks again and again. @throws {Stop} when it takes too long */
async function until<T>(
  what: string,
  look: () => Promise<T | null | undefined | false>,
  withinMs = 40_000,
): Promise<T> {
  const end = performance.now() + withinMs
  for (;;) {
    const found = await look()
    if (found) return found
    if (performance.now() > end) throw new Stop(`It did not happen in time: ${what}`)
    await sleep(200)
  }
}

let double: Double
let stripe: Stripe
let bridge: Bridge
let front: Front
let child: ChildProcess
let server: Started

// The shop, with its live key
// ------------------------------------------------------------------------------------------

type Reply = {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

/**
 * Sends a request to whoever a URL names: the shop's public name leads to the front, and nobody's
 * certificate is taken on trust.
 */
function send(
  url: URL,
  method: string,
  headers: Record<string, string>,
  body?: string,
): Promise<Reply> {
  const at =
    url.hostname === host
      ? { hostname: '127.0.0.1', port: front.port, servername: host, ca: front.ca }
      : {}
  const secure = url.protocol === 'https:'
  const options = {
    method,
    headers: { host: url.host, ...headers },
    ...(secure ? { ca: double.ca as string } : {}),
    ...at,
  }
  return new Promise((resolve, reject) => {
    const sent = (secure ? request : plainRequest)(url, options, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk) => {
        text += chunk
      })
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function call(method: string, path: string, body?: unknown): Promise<Json> {
  const headers = { authorization: `Bearer ${server.liveKey}`, 'content-type': 'application/json' }
  const { status, text } = await send(
    new URL(`https://${host}${path}`),
    method,
    headers,
    body ? JSON.stringify(body) : undefined,
  )
  const answer = JSON.parse(text)
  if (status >= 400)
    throw new Stop(
      `${method} ${path} was refused (${status} ${answer.errors?.code}): ${answer.message}`,
    )
  return answer.data
}
const get = (path: string): Promise<Json> => call('GET', path)
const post = (path: string, body: unknown = {}): Promise<Json> => call('POST', path, body)

const ended = (path: string, open: string[]): Promise<Json> =>
  until(`${path} ends`, async () => {
    const record = await get(path)
    return !open.includes(record.status) && record
  })

/** A browser without scripts: it follows what leads on, and keeps its cookie. */
class Payer {
  #cookie = ''
  url = ''
  html = ''

  async open(url: string, form?: Record<string, string>): Promise<this> {
    const to = new URL(url, this.url || undefined)
    const headers = {
      ...(this.#cookie === '' || to.hostname !== host ? {} : { cookie: this.#cookie }),
      ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
    }
    const body = form && new URLSearchParams(form).toString()
    const answer = await send(to, form ? 'POST' : 'GET', headers, body)
    const [cookie] = answer.headers['set-cookie'] ?? []
    if (cookie && to.hostname === host) this.#cookie = cookie.split(';')[0] as string
    this.url = to.href
    if (typeof answer.headers.location === 'string') return this.open(answer.headers.location)
    this.html = answer.text
    const on = /http-equiv="refresh" content="0;url=([^"]+)"/.exec(this.html)?.[1]
    return on === undefined ? this : this.open(on.replaceAll('&amp;', '&'))
  }

  heading(): string {
    return (/<h1[^>]*>([\s\S]*?)<\/h1>/.exec(this.html)?.[1] ?? '')
      .replaceAll(/<[^>]*>|\s+/g, ' ')
      .trim()
  }

  async submit(name: string, fields: Record<string, string> = {}): Promise<this> {
    const found = new RegExp(
      `<form method="post" action="([^"]+/${name})"[^>]*>([\\s\\S]*?)</form>`,
    ).exec(this.html)
    expect(found?.[1], `the page '${this.heading()}' has no form '${name}'`)
    const token = /name="token" value="([^"]+)"/.exec(found[2] ?? '')?.[1]
    return this.open(found[1], { ...(token ? { token } : {}), ...fields })
  }
}

async function available(): Promise<number> {
  const wallets: Json[] = await get('/wallets')
  return wallets.find(({ currency }) => currency === 'ngn').available
}

// The day
// -------------------------------------------------------------------------------------------------

async function identify(): Promise<Json> {
  title('A customer, whom Paystack identifies')
  const person = {
    first_name: 'Ada',
    last_name: 'Okafor',
    email: 'ada@example.com',
    phone: '+2348012345678',
  }
  const customer = await post('/customers', person)
  const path = `/customers/${customer.id}/documents`
  const account = { bank_code: '058', account_number: '0123456789' }
  const asked = await post(path, { id_type: 'bvn', id_number: bvn, ...account })
  log('shop', `sends her bvn ${asked.id_number} and her account: ${asked.status}`)
  const code = await until(
    'Paystack is asked',
    async () => double.live.books.customers.find((one) => one.asked)?.code,
  )
  double.live.identity.succeed(code)
  const { kyc_status } = await until('she is verified', async () => {
    const read = await get(`/customers/${customer.id}`)
    return read.kyc_status === 'verified' && read
  })
  log(
    'Paystack',
    `says by its webhook that it has looked, is asked, and says so; KYC ${kyc_status}`,
  )
  return customer
}

async function ownAccount(customer: Json): Promise<void> {
  title('An account of her own')
  double.live.settings.dedicatedAccounts = 'later'
  const opened = await post('/virtual-accounts', {
    customer: customer.id,
    currency: 'ngn',
    kind: 'static',
  })
  log('shop', `asks for an account: ${opened.status}`)
  const there = await until('Paystack is asked for it', async () =>
    double.live.books.accounts.at(-1),
  )
  double.live.account.assign(there.id)
  const account = await ended(`/virtual-accounts/${opened.id}`, ['pending'])
  expect(account.status === 'active', `the account is ${account.status}`)
  log('Paystack', `gives ${account.account_number} at ${account.bank_name}: ${account.status}`)
  const before = await available()
  double.live.bank.credit(account.account_number, { amount: 18_500_000 })
  await until('the deposit is booked', async () => (await available()) > before)
  log(
    'Lagos Mills',
    `sends her pay of ${money(18_500_000)}; the wallet has ${money(await available())}`,
  )
}

async function payByCard(): Promise<Json> {
  title('A card, on Paystack’s page')
  const payment = await post('/payments', {
    reference: 'novels',
    amount: 4_500_000,
    currency: 'ngn',
    methods: ['card'],
    email: 'bisi@example.com',
  })
  const payer = await new Payer().open(payment.checkout_url)
  log('Bisi', `is at our page: ${payer.heading()}`)
  await payer.submit('leave')
  log('Bisi', `is at ${new URL(payer.url).host}, the provider’s page: ${payer.heading()}`)
  await payer.submit('decline')
  log('Bisi', 'types a card that is declined, and another one')
  await payer.submit('pay')
  const paid = await ended(`/payments/${payment.id}`, ['pending'])
  expect(paid.status === 'completed', `the payment is ${paid.status}`)
  await payer.open(payment.checkout_url)
  log('Bisi', `is back; the page says: ${payer.heading()}`)
  return paid
}

async function payByTransfer(): Promise<Json> {
  title('A bank transfer, into an account of the payment’s own')
  const payment = await post('/payments', {
    reference: 'shelf',
    amount: 2_000_000,
    currency: 'ngn',
    methods: ['bank_transfer'],
    email: 'chidi@example.com',
  })
  const payer = await new Payer().open(payment.checkout_url)
  if (/action="[^"]+\/transfer"/.test(payer.html)) await payer.submit('transfer')
  const number = await until('the page shows an account', async () => {
    await payer.open(payment.checkout_url)
    return double.live.books.transactions
      .map((one) => one.account?.number)
      .find((one) => one && payer.html.includes(one))
  })
  double.live.bank.credit(number, { amount: 2_000_000 })
  const paid = await ended(`/payments/${payment.id}`, ['pending'])
  expect(paid.status === 'completed', `the payment is ${paid.status}`)
  log('Chidi', `sends ${money(2_000_000)} to ${number}: ${paid.status}, fee ${money(paid.fee)}`)
  return paid
}

async function payOut(reference: string, amount: number): Promise<Json> {
  const destination = { bank_code: '058', account_number: '0123456789' }
  const before = double.live.books.transfers.length
  await post('/payouts', {
    reference,
    amount,
    currency: 'ngn',
    method: 'bank_transfer',
    destination,
  })
  const transfer = await until(
    'the transfer is made',
    async () => double.live.books.transfers[before],
  )
  double.live.transfer.succeed(transfer.reference)
  const payout = await ended(`/payouts/${reference}`, ['pending', 'processing'])
  expect(payout.status === 'completed', `the payout is ${payout.status}`)
  log(
    'shop',
    `pays out ${money(amount)} for ${reference}: ${payout.status}, ${money(payout.destination_amount)} arrived`,
  )
  return transfer
}

async function giveBack(payment: Json): Promise<void> {
  title('A refund, by the rail that took the money')
  const refund = await post('/refunds', { payment: payment.id, amount: 1_000_000 })
  const there = await until('Paystack is asked to', async () => double.live.books.refunds.at(-1))
  double.live.refund.begin(there.id)
  double.live.refund.process(there.id)
  const done = await ended(`/refunds/${refund.id}`, ['initiated'])
  expect(done.status === 'completed', `the refund is ${done.status}`)
  log('shop', `gives ${money(1_000_000)} of ${payment.reference} back to the card: ${done.status}`)
}

async function reconcileNow(): Promise<void> {
  child.send('reconcile')
  const [reports] = (await once(child, 'message')) as [Reconciled[]]
  for (const { lines, difference, findings } of reports) {
    for (const line of lines) console.log(`  ${line}`)
    expect(
      difference === '0' && findings === 0,
      `the difference is ${difference}, with ${findings} findings`,
    )
  }
}

// What must not be
// -------------------------------------------------------------------------------------------------

/** Transactions that waited, while something was asked outside. */
async function watch(
  db: pg.Client,
  seen: { looks: number; waits: string[]; calls: number },
): Promise<void> {
  const { rows } = await db.query(
    `select pid, query from pg_stat_activity
      where datname = current_database() and state = 'idle in transaction'
        and clock_timestamp() - state_change > make_interval(secs => $1)`,
    [waitsMs / 1_000],
  )
  seen.looks++
  for (const { query } of rows) seen.waits.push(query)
}

/** Where a text stands in what the server has kept: its log, and every row of every table. */
async function findSecrets(db: pg.Client): Promise<string[]> {
  const texts: [string, string][] = [['the log', readFileSync(logFile, 'utf8')]]
  const { rows: tables } = await db.query(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema')
        and has_table_privilege(format('%I.%I', schemaname, tablename), 'select')`,
  )
  for (const { name } of tables) {
    const { rows } = await db.query(
      `select coalesce(string_agg(t::text, E'\\n'), '') as text from ${name} t`,
    )
    texts.push([name, rows[0].text])
  }
  const secrets = {
    'Paystack’s key': double.keys.live,
    'Stripe’s key': stripe.secretKey,
    'Bridge’s key': bridge.apiKey,
    'the live key': server.liveKey,
    'a bvn': bvn,
    'a card': cardNumber,
  }
  const found = texts.flatMap(([place, text]) =>
    Object.entries(secrets).flatMap(([what, secret]) =>
      text.includes(secret) ? [`${what} in ${place}`] : [],
    ),
  )
  log(
    'grep',
    `${tables.length} tables and ${(texts[0]?.[1].length ?? 0).toLocaleString('en')} bytes of log: ${found.length} found`,
  )
  return found
}

async function start(): Promise<pg.Client> {
  double = await startPaystack({ tls: true, settings: { slowMs: callMs } })
  for (const operation of operations)
    await double.fault(operation, 'slow', { mode: 'live', times: 1_000_000 })
  stripe = await startStripeOutbound({ slowMs: callMs })
  bridge = await startBridge({ slowMs: callMs })
  for (const operation of stripeOperations)
    await stripe.fault(operation, 'slow', { times: 1_000_000 })
  for (const operation of bridgeOperations)
    await bridge.fault(operation, 'slow', { times: 1_000_000 })
  front = await startFront(() => server.url)
  const routes = Object.fromEntries(
    ['card.ngn', 'bank_transfer.ngn', 'account.ngn', 'payout.ngn', 'lookup.ngn', 'identity.ng'].map(
      (route) => [route, ['paystack']],
    ),
  )
  const accounts = {
    paystack: { provider: 'paystack', secret_key: 'env:PAYSTACK_SECRET_KEY' },
    stripe: {
      provider: 'stripe',
      secret_key: 'env:STRIPE_SECRET_KEY',
      financial_account: 'fa_treasury',
      webhook_secret: 'env:STRIPE_WEBHOOK_SECRET',
    },
    bridge: {
      provider: 'bridge',
      api_key: 'env:BRIDGE_API_KEY',
      customer: 'cust_operator',
      wallet: 'bw_treasury',
      webhook_key: 'env:BRIDGE_WEBHOOK_KEY',
    },
  }
  const ways = { ...routes, 'payout.usd': ['stripe', 'bridge'] }
  writeFileSync(join(dir, 'rails.json'), JSON.stringify({ live: { accounts, routes: ways } }))
  child = spawn(process.execPath, [here('live-server.ts')], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATA_DIR: join(dir, 'data'),
      PORT: '0',
      LOG_LEVEL: 'debug',
      RAILS_FILE: join(dir, 'rails.json'),
      BASE_URL: `https://${host}`,
      RATE_LIMIT_MAX: '0',
      PAYSTACK_SECRET_KEY: double.keys.live,
      STRIPE_SECRET_KEY: stripe.secretKey,
      BRIDGE_API_KEY: bridge.apiKey,
      STRIPE_WEBHOOK_SECRET: stripe.secrets.live,
      BRIDGE_WEBHOOK_KEY: bridge.keys.live.publicKey,
    },
  })
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => writeFileSync(logFile, chunk, { flag: 'a' }))
  child.once('exit', (code) => {
    if (server === undefined) console.error(readFileSync(logFile, 'utf8'), code)
  })
  const pagesHost = new URL(double.checkoutUrl).host
  const others = { stripe: stripe.url, bridge: bridge.url }
  child.send({ host: double.url, ca: double.ca as string, pagesHost, ...others } satisfies Start)
  ;[server] = (await once(child, 'message')) as [Started]
  double.live.events.url = `${server.url}/rails/paystack/live/webhook`
  stripe.events.url = `${server.url}/rails/stripe/live/webhook`
  bridge.events.url = `${server.url}/rails/bridge/live/webhook`
  const db = new pg.Client(server.databaseUrl)
  await db.connect()
  return db
}

async function stop(): Promise<void> {
  if (child?.connected) {
    child.disconnect()
    await once(child, 'exit')
  }
  await front?.stop()
  await double?.stop()
  await stripe?.stop()
  await bridge?.stop()
  rmSync(dir, { recursive: true, force: true })
}

async function playTheDay(): Promise<void> {
  const startedAt = performance.now()
  console.log('A day at the shop with a live key, over doubles of Paystack, Stripe and Bridge')
  const db = await start()
  const seen = { looks: 0, waits: [] as string[], calls: 0 }
  let watching: Promise<void> = Promise.resolve()
  const watcher = setInterval(() => {
    watching = watching.then(() => watch(db, seen)).catch(() => {})
  }, 100)
  // Webhooks are delivered as they come.
  const delivering = setInterval(() => {
    for (const { events } of [double.live, stripe, bridge]) events.deliver().catch(() => {})
  }, 300)
  try {
    double.live.operator.topUp(50_000_000)
    log('operator', `has ${money(50_000_000)} in the balance at Paystack`)
    const customer = await identify()
    await ownAccount(customer)
    const card = await payByCard()
    await payByTransfer()
    title('Payouts')
    await payOut('rent', 3_000_000)
    const back = await payOut('printer', 1_500_000)
    await giveBack(card)
    title('A payout that comes back after it had arrived')
    double.live.transfer.reverse(back.reference)
    const returned = await ended('/payouts/printer', ['completed'])
    expect(returned.status === 'returned', `the payout is ${returned.status}`)
    log(
      'Paystack',
      `says so by its webhook, and is asked: ${returned.status}; ${money(returned.destination_amount)} is in the wallet again`,
    )
    await playDollars(stripe, bridge, { get, post, ended, until, expect, title, log })
    title('The settlement')
    double.live.operator.settle('bank')
    log('Paystack', 'pays out to the operator’s bank what it has settled')

    title('Closing: the books against the provider')
    await reconcileNow()
    const env = { ...process.env, DATA_DIR: join(dir, 'data'), RAILS_FILE: '' }
    const bin = here('../bin/bursar.js')
    const verified = await promisify(execFile)(process.execPath, [bin, 'ledger', 'verify'], { env })
    log('ledger', verified.stdout.trim())
    clearInterval(watcher)
    await watching
    log(
      'database',
      `${double.requests.length + stripe.requests.length + bridge.requests.length} calls of ${callMs} ms, ${seen.looks} looks: ${seen.waits.length} transactions waited`,
    )
    expect(seen.waits.length === 0, `a transaction waited: ${seen.waits[0]}`)
    const found = await findSecrets(db)
    expect(found.length === 0, found.join(', '))
    const wrong = [...double.violations, ...stripe.violations, ...bridge.violations]
    expect(wrong.length === 0, wrong.join('; '))
    const unsound = [...double.audit(), ...bridge.books.audit()]
    expect(unsound.length === 0, unsound.join('; '))
    const { status, warnings } = await get('/health')
    log('health', `${status}${warnings.map((one: string) => `; ${one}`).join('')}`)
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    console.log(`\n✓ The difference is zero, the books are clean: ${seconds} s.`)
  } finally {
    clearInterval(watcher)
    clearInterval(delivering)
    await watching
    await db.end()
  }
}

/** Plays the day. The exit code is 1 when it did not go as it should have. */
export async function playLiveDay(): Promise<void> {
  try {
    await playTheDay()
  } catch (error) {
    console.error(`\n✗ ${error instanceof Stop ? error.message : (error as Error).stack}`)
    process.exitCode = 1
  } finally {
    await stop()
  }
}
