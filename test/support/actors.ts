/**
 * Who does what in tests: a merchant asks with a key, and a payer is at a hosted page. Each verb
 * does one thing as its person would, and fails the test when it is refused.
 */
import assert from 'node:assert/strict'
import {
  type BusinessStatus,
  createBusiness,
  forgetKeys,
} from '../../src/books/businesses/businesses.ts'
import {
  type Answer,
  allowRefundsElsewhere,
  type Call,
  type Json,
  listAll,
  settled,
  snapshot,
  type TestServer,
  until,
} from './harness.ts'

export { must } from './harness.ts'
export type { Json }

type Ask = (method: string, path: string, body?: unknown) => Promise<Json>
/** A record, or its id. */
type Named = string | { id: string }
type Method = 'card' | 'bank_transfer' | 'crypto'

/** An id that nothing has. */
export const noId = '0'.repeat(24)
/** The largest amount there is. */
export const most = 9_007_199_254_740_991
export const minute = 60_000
export const day = 86_400_000

/** Where payers send from, as their bank tells it. */
export const sender = {
  account_name: 'Obi Eze',
  account_number: '0123456789',
  bank_name: 'GTBank',
  bank_code: '058',
}
/**
 * Where money can be sent: a naira account, the same as it is shown, a dollar account, and an
 * address on a chain.
 */
export const bankAccount = (account_number = '0123456789') => ({ bank_code: '058', account_number })
export const ada = {
  account_name: 'Ada Okafor',
  bank_name: 'Guaranty Trust Bank',
  ...bankAccount(),
}
export const americanAccount = {
  country: 'us',
  routing_number: '110000000',
  account_number: '000123456789',
  account_name: 'Ada Okafor',
  account_type: 'checking',
}
export const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
export const goodCard = { number: '4242 4242 4242 4242', expiry: '12/34', cvc: '123' }
/** Cards of the sandbox that do not just succeed. */
export const cards = {
  declined: '4000000000000002',
  /** Declined for good: the payment fails. */
  fraudulent: '4100000000000019',
  /** The payer's bank asks the payer. */
  challenged: '4000002760003184',
  /** Charged, and the answer is lost. */
  lostAnswer: '4000000000000259',
  /** The order is lost: never charged. */
  lostOrder: '4000000000000119',
}

const idOf = (named: Named): string => (typeof named === 'string' ? named : named.id)

/**
 * Fails when `act` changes anything. A timer that became due meanwhile may fire, and its job be
 * done: it was there before.
 */
export async function unchanged<T>(server: TestServer, act: () => Promise<T>): Promise<T> {
  await settled(server.app)
  const before = await snapshot(server.app)
  const result = await act()
  const after = await snapshot(server.app)
  assert.ok(Number(after.waiting) <= Number(before.waiting), 'there is a new timer or job')
  assert.deepEqual({ ...after, waiting: null }, { ...before, waiting: null })
  return result
}

/** Fails unless it is refused with exactly this status and code, and leaves no trace. */
export async function assertRefused(
  server: TestServer,
  status: number,
  code: string,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  return unchanged(server, async () => {
    const answer = await ask()
    assert.deepEqual([answer.status, answer.code], [status, code], JSON.stringify(answer.body))
    assert.ok(answer.body.message.length > 5)
    return answer
  })
}

/** Asks with the test key of a business of its own, which may refund to elsewhere, too. */
export async function newBusiness(server: TestServer, name = 'Stranger'): Promise<Call> {
  const { business, test_key } = await createBusiness(server.app, name)
  await allowRefundsElsewhere(server.app, business.id)
  return server.callAs(test_key)
}

/** How many charges the sandbox's card scheme has been asked for. */
export const chargesOf = async (server: TestServer): Promise<number> =>
  (await server.app.db.query(`select from sandbox_charges where outcome <> 'not_taken'`)).length

export type Merchant = ReturnType<typeof newMerchant>

/**
 * A merchant of a server.
 * @param of `call`: with another key than the server's first; `price`: of a payment or a product,
 * in minor units
 */
export function newMerchant(server: TestServer, { call = server.call, price = 1_000_000 } = {}) {
  const ask: Ask = async (method, path, body) => {
    const answer = await call(method, path, body)
    assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.data
  }
  const answered = async (status: number, path: string, body?: object): Promise<Json> => {
    const answer = await call('POST', path, body)
    assert.equal(answer.status, status, `${path}: ${JSON.stringify(answer.body)}`)
    return answer.data
  }
  const create = (path: string, body: object): Promise<Json> => answered(201, path, body)
  const merchant = {
    call,
    ask,
    /** Makes a record: it is answered 201. */
    create,
    /** Is refused with exactly this answer, and leaves no trace. @param by another key's */
    isRefused: (
      method: string,
      path: string,
      body: unknown,
      status: number,
      code: string,
      by = call,
    ): Promise<Answer> => assertRefused(server, status, code, () => by(method, path, body)),
    /** Moves the clock of test mode. */
    advance: (by: string): Promise<Json> => ask('POST', '/test/clock', { advance: by }),
    now: async (): Promise<number> => Date.parse((await ask('GET', '/test/clock')).now),

    wallet: async (currency = 'ngn'): Promise<Json> =>
      (await ask('GET', `/wallets?currency=${currency}`))[0],
    available: async (currency = 'ngn'): Promise<number> =>
      (await merchant.wallet(currency)).available,
    /** What can be spent, and what is on its way out. */
    async balance(currency = 'ngn'): Promise<{ available: number; pending: number }> {
      const { available, pending } = await merchant.wallet(currency)
      return { available, pending }
    },
    verify: (transaction: string): Promise<Json> =>
      ask('GET', `/transactions/${transaction}/verify`),

    openCryptoWallet: (more: object = {}): Promise<Json> => create('/crypto/wallets', more),
    /** What has come to a crypto wallet, newest first. */
    cryptoDepositsOf: async (wallet: Named): Promise<Json[]> =>
      (await ask('GET', `/crypto/wallets/${idOf(wallet)}/deposits`)).docs,

    /** Every event there is, oldest first. */
    allEvents: async (): Promise<Json[]> => (await listAll(call, '/events')).reverse(),
    /** The events of a record, and of an invoice's payments, oldest first. */
    eventsOf: async (of: Named): Promise<Json[]> =>
      (await merchant.allEvents()).filter(
        ({ payload }) => payload.id === idOf(of) || payload.invoice === idOf(of),
      ),
    eventTypesOf: async (of: Named): Promise<string[]> =>
      (await merchant.eventsOf(of)).map((event) => event.type),
    /** The only event of a type that a record has told. */
    async eventOf(of: Named, type: string): Promise<Json> {
      const found = (await merchant.eventsOf(of)).filter((event) => event.type === type)
      assert.equal(found.length, 1, type)
      return found[0]
    },

    /** The events of a record by their type; fails when one was told twice. */
    async eventsByType(of: Named): Promise<Record<string, Json>> {
      const events = await merchant.eventsOf(of)
      assert.equal(
        new Set(events.map((event) => event.type)).size,
        events.length,
        'an event was told twice',
      )
      return Object.fromEntries(events.map((event) => [event.type, event]))
    },

    addCustomer: (more: object = {}): Promise<Json> =>
      create('/customers', { name: 'Ada Obi', email: 'ada@example.com', ...more }),
    addProduct: (more: object = {}): Promise<Json> =>
      create('/products', { name: 'Novel', amount: price, currency: 'ngn', ...more }),

    openPayment: (more: object = {}): Promise<Json> =>
      create('/payments', { amount: price, currency: 'ngn', ...more }),
    readPayment: (payment: Named): Promise<Json> => ask('GET', `/payments/${idOf(payment)}`),
    cancelPayment: (payment: Named): Promise<Json> =>
      answered(200, `/payments/${idOf(payment)}/cancel`),
    /** Has the sandbox bring a payment to an outcome. */
    simulate: (payment: Named, outcome: string, method?: string): Promise<Json> =>
      answered(200, `/payments/${idOf(payment)}/simulate`, {
        outcome,
        ...(method ? { method } : {}),
      }),
    openAccount: (body: object): Promise<Json> => create('/virtual-accounts', body),
    /** Has money arrive on a virtual account. @returns the transaction */
    deposit: (account: Named, body: object): Promise<Json> =>
      answered(200, `/virtual-accounts/${idOf(account)}/simulate-deposit`, body),
    /** Waits until a payment is no longer pending. */
    paymentEnded: (payment: Named): Promise<Json> =>
      until(async () => {
        const now = await merchant.readPayment(payment)
        return now.status === 'pending' ? null : now
      }),
    /** Opens a payment, which is then paid. */
    takePayment: async (method: Method, more: object = {}): Promise<Json> =>
      merchant.simulate(await merchant.openPayment(more), 'completed', method),
    /** Opens a payment, on whose page this card is then typed. */
    async takeCard(number: string, more: object = {}): Promise<Json> {
      const payment = await merchant.openPayment(more)
      await newPayer(payment).payByCard(number)
      return merchant.readPayment(payment)
    },
    /**
     * Opens a payment, which is then paid by transfer. @param from what the bank tells of the
     * sender; null: nothing
     */
    async takeTransfer(from: object | null, more: object = {}): Promise<Json> {
      const payment = await merchant.openPayment(more)
      await merchant.payerOf(payment).transfer(undefined, from)
      return merchant.readPayment(payment)
    },
    /**
     * A payer at the page of a payment or an invoice, whose transfers come in by this merchant's
     * sandbox.
     */
    payerOf: (record: Hosted): Payer => newPayer(record, merchant),

    payOut: (order: object): Promise<Json> => create('/payouts', order),
    readPayout: (reference: string): Promise<Json> => ask('GET', `/payouts/${reference}`),
    /** Waits until a payout has ended. */
    payoutEnded: (reference: string): Promise<Json> =>
      until(async () => {
        const now = await merchant.readPayout(reference)
        return ['completed', 'failed', 'canceled'].includes(now.status) ? now : null
      }),

    /** Asks for a refund. @returns the answer, whatever it is */
    refund: (payment: Named, more: object = {}): Promise<Answer> =>
      call('POST', '/refunds', { payment: idOf(payment), ...more }),
    refundsOf: async (payment: Named): Promise<Json[]> =>
      (await ask('GET', `/refunds?payment=${idOf(payment)}`)).docs,
    /** Waits until a refund has ended. */
    refundEnded: (refund: Named): Promise<Json> =>
      until(async () => {
        const now = await ask('GET', `/refunds/${idOf(refund)}`)
        return now.status === 'initiated' ? null : now
      }),
    /** Waits until a payment has this many refunds, and all of them have this status. */
    refundsEnded: (payment: Named, count: number, status = 'completed'): Promise<Json[]> =>
      until(async () => {
        const refunds = await merchant.refundsOf(payment)
        return refunds.length === count && refunds.every((refund) => refund.status === status)
          ? refunds
          : null
      }),

    /**
     * A draft for a new customer. @param of its lines, each of a new product; one line of the usual
     * price unless it says
     */
    async draftInvoice(more: object = {}, of: Sold = {}): Promise<Json> {
      const customer = await merchant.addCustomer(of.customer)
      const lines = []
      for (const { quantity = 1, ...product } of of.lines ?? [{}])
        lines.push({
          product: (await merchant.addProduct({ currency: of.currency ?? 'ngn', ...product })).id,
          quantity,
        })
      return create('/invoices', { customer: customer.id, lines, ...more })
    },
    /** An open invoice, as `draftInvoice` makes it. */
    openInvoice: async (more: object = {}, of: Sold = {}): Promise<Json> =>
      merchant.finalizeInvoice(await merchant.draftInvoice(more, of)),
    readInvoice: (invoice: Named): Promise<Json> => ask('GET', `/invoices/${idOf(invoice)}`),
    finalizeInvoice: (invoice: Named): Promise<Json> =>
      ask('POST', `/invoices/${idOf(invoice)}/finalize`),
    voidInvoice: (invoice: Named): Promise<Json> => ask('POST', `/invoices/${idOf(invoice)}/void`),
    sendInvoice: (invoice: Named): Promise<Json> => ask('POST', `/invoices/${idOf(invoice)}/send`),
    /** A paid invoice with a tax of 7.5 % that was given back: its credit note. */
    async creditedInvoice(currency = 'ngn'): Promise<Json> {
      await ask('POST', '/wallets/simulate-fund', { currency, amount: 1_000_000 })
      const open = await merchant.openInvoice({}, { currency, lines: [{ tax_rate_bps: 750 }] })
      await merchant.simulate(open.payment, 'completed', 'card')
      await merchant.refund(open.payment)
      await merchant.refundsEnded(open.payment, 1)
      return (await ask('GET', `/credit-notes?invoice=${open.id}`)).docs[0]
    },
    paymentOf: async (invoice: Named): Promise<Json> =>
      merchant.readPayment((await merchant.readInvoice(invoice)).payment as string),
  }
  return merchant
}

export type Sold = {
  lines?: {
    name?: string
    amount?: number
    quantity?: number
    tax_rate_bps?: number
    tax_inclusive?: boolean
    distribution?: string
  }[]
  currency?: string
  customer?: object
}

/** What has a hosted page. */
export type Hosted = {
  id?: string
  payment?: string | null
  checkout_url?: string
  payment_url?: string
}
export type Page = {
  status: number
  headers: Headers
  html: string
  text: string
  token: string
  location: string
}

/** No page is larger than this: payers are on slow networks. */
const mostBytes = 60_000

export const pathOf = ({ checkout_url, payment_url }: Hosted): string =>
  new URL((checkout_url ?? payment_url) as string).pathname

/** What a reader sees of a page. */
export const textOf = (html: string): string =>
  html.replaceAll(/<(style|script)[\s\S]*?<\/\1>|<[^>]*>/g, '')

/** Reads a page to its end. */
export async function readPage(response: Response): Promise<Page> {
  const html = await response.text()
  assert.ok(Buffer.byteLength(html) <= mostBytes, `${html.length} bytes`)
  return {
    status: response.status,
    headers: response.headers,
    html,
    text: textOf(html),
    token: /name="token" value="([^"]+)"/.exec(html)?.[1] ?? '',
    location: response.headers.get('location') ?? '',
  }
}

type Bank = { ask: Ask; deposit(account: Named, body: object): Promise<Json> }

export type Payer = ReturnType<typeof newPayer>

/**
 * A payer's browser at a hosted page: it keeps its cookie, and posts forms with the token of the
 * page it saw last.
 * @param bank the merchant by whose sandbox transfers come in; not needed by who sends none
 */
export function newPayer(record: Hosted, bank?: Bank) {
  let account: Promise<Json> | undefined
  const payer = {
    url: (record.checkout_url ?? record.payment_url) as string,
    cookie: '',
    token: '',

    async open(query = ''): Promise<Page> {
      const page = await readPage(
        await fetch(`${payer.url}${query}`, { headers: { cookie: payer.cookie } }),
      )
      payer.cookie = page.headers.get('set-cookie')?.split(';')[0] ?? payer.cookie
      if (page.token !== '') payer.token = page.token
      return page
    },
    /** Posts what is on the page, without opening it again. */
    async send(
      form: string,
      fields: Record<string, string> = {},
      headers: Record<string, string> = {},
    ): Promise<Page> {
      const answer = await fetch(`${payer.url}/${form}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { ...(payer.cookie === '' ? {} : { cookie: payer.cookie }), ...headers },
        body: new URLSearchParams({ token: payer.token, ...fields }),
      })
      return readPage(answer)
    },
    /** Opens the page and posts a form of it. */
    async post(form: string, fields: Record<string, string> = {}): Promise<Page> {
      await payer.open()
      return payer.send(form, fields)
    },
    /** What the page says, with a method chosen. */
    async reads(method?: string): Promise<string> {
      const page = await payer.open(method === undefined ? '' : `?method=${method}`)
      assert.equal(page.status, 200)
      return page.text
    },
    /** Types a card on the page as it was opened. @returns where that leads */
    async typeCard(number = goodCard.number): Promise<string> {
      const { status, text, location } = await payer.send('card', { ...goodCard, number })
      assert.equal(status, 303, text)
      return location
    },
    /** Chooses to pay by card, and types one. */
    async payByCard(number?: string): Promise<void> {
      await payer.open('?method=card')
      await payer.typeCard(number)
    },
    /** The one-time account that the page shows who chooses a transfer; opened once. */
    openAccount(): Promise<Json> {
      account ??= (async () => {
        await payer.open('?method=bank_transfer')
        const { status, text } = await payer.send('transfer')
        assert.equal(status, 303, text)
        const { docs } = await (bank as Bank).ask('GET', '/virtual-accounts?limit=100')
        return docs.find((one: Json) => one.payment === (record.payment ?? record.id))
      })()
      return account
    },
    /**
     * Has money arrive on that account, what is due unless it says. @param from what the bank tells
     * of the sender; null: nothing
     */
    async transfer(amount?: number, from: object | null = sender): Promise<Json> {
      const account = await payer.openAccount()
      const body = {
        ...(amount === undefined ? {} : { amount }),
        ...(from === null ? {} : { sender: from }),
      }
      return (bank as Bank).deposit(account, body)
    },
    /** Begins a payment of one's own from a collection's page, and goes on to its page. */
    async start(fields: Record<string, string> = {}): Promise<void> {
      const { status, text, location } = await payer.post('start', fields)
      assert.equal(status, 303, text)
      assert.match(location, /^\/pay\/a[0-9A-Za-z]{24}$/)
      const url = new URL(location, payer.url).href
      assert.notEqual(url, payer.url)
      payer.url = url
    },
  }
  return payer
}

/**
 * Stops the server's business, or lets it go on, as the operator does: no key is remembered as it
 * was.
 */
export async function setStatus(server: TestServer, status: BusinessStatus): Promise<void> {
  await server.asOwner(
    `update businesses set status = '${status}', status_at = now() where id = '${server.businessId}'`,
  )
  forgetKeys()
}
