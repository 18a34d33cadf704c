/**
 * Payers who pay live payments by card on the page of a double of Paystack.
 */
import assert from 'node:assert/strict'
import { newPayer, type Page, type Payer } from './actors.ts'
import { type Json, must } from './harness.ts'
import { openTill, type Till } from './paystack.ts'

export type Shop = Till & {
  /** Opens a payment with a live key. */
  open(more?: object): Promise<Json>
  /** Its page, as a payer of this server sees it. */
  payerOf(payment: Json): Payer
  /** A payer chooses to pay by card. @returns where that leads */
  leave(payer: Payer, fields?: Record<string, string>): Promise<string>
  /** What the page on the way says, and where it leads; null where it leads back to the payment. */
  wayOf(payer: Payer): Promise<string | null>
  /** Opens a payment, and its payer leaves for Paystack's page. */
  begin(more?: object): Promise<{ payment: Json; payer: Payer; reference: string; url: string }>
  read(payment: Json): Promise<Json>
  attemptsOf(payment: Json): Promise<Json[]>
  /** The double's transactions for a payment. */
  transactionsOf(payment: Json): Promise<Till['double']['live']['books']['transactions']>
  /** The payer comes back from Paystack's page, whatever the query says. */
  back(payer: Payer, query?: string): Promise<Page>
  incidents(): Promise<{ kind: string; subject: string; times: number }[]>
  /**
   * What stands of the payment when all is quiet: its status, what it received, its attempts'
   * states, and the events about it.
   */
  stands(
    payment: Json,
  ): Promise<{ status: string; received: number; attempts: string; events: string[] }>
}

export async function openShop(
  given: Omit<Parameters<typeof openTill>[0] & object, 'cards'> = {},
): Promise<Shop> {
  const till = await openTill({ ...given, cards: true })
  const { server, double, live } = till
  double.live.events.url = `${server.url}/rails/paystack/live/webhook`
  let made = 0
  const shop: Shop = {
    ...till,
    open: (more = {}) =>
      must(
        live('POST', '/payments', {
          reference: `card-${++made}`,
          amount: 500_000,
          currency: 'ngn',
          methods: ['card'],
          email: 'bisi@example.com',
          redirect_url: 'https://shop.example/thanks',
          ...more,
        }),
      ),
    payerOf: ({ checkout_url }) =>
      newPayer({ checkout_url: `${server.url}${new URL(checkout_url).pathname}` }),
    async leave(payer, fields = {}) {
      await payer.open('?method=card')
      return (await payer.send('leave', fields)).location
    },
    async wayOf(payer) {
      const answer = await fetch(`${payer.url}/leave`, { redirect: 'manual' })
      if (answer.status === 303) return null
      const html = await answer.text()
      const [, href] = /http-equiv="refresh" content="0;url=([^"]+)"/.exec(html) ?? []
      assert.ok(href !== undefined && html.includes(`href="${href}"`), html)
      return href
    },
    async begin(more = {}) {
      const payment = await shop.open(more)
      const payer = shop.payerOf(payment)
      assert.match(await shop.leave(payer), /\/leave$/)
      const url = (await shop.wayOf(payer)) as string
      const [transaction] = (await shop.transactionsOf(payment)).slice(-1)
      assert.equal(url, `${double.checkoutUrl}/${transaction?.accessCode}`)
      return { payment, payer, reference: transaction?.reference as string, url }
    },
    read: ({ id }) => must(live('GET', `/payments/${id}`)),
    attemptsOf: ({ id }) =>
      server.app.db.query<Json>(
        'select * from payment_attempts where payment_id = $1 order by created_at, id',
        [id],
      ),
    async transactionsOf(payment) {
      const ids = (await shop.attemptsOf(payment)).map(({ id }) => id)
      return double.live.books.transactions.filter(({ reference }) =>
        ids.some((id) => reference === `tr-${id}` || reference.startsWith(`tr-${id}-`)),
      )
    },
    async back(payer, query = '?trxref=x&reference=x') {
      const answer = await fetch(`${payer.url}/back${query}`, { redirect: 'manual' })
      assert.equal(answer.status, 303)
      assert.match(answer.headers.get('location') as string, /^\/pay\/\w+\?method=card$/)
      return payer.open('?method=card')
    },
    incidents: () =>
      server.app.db.query(
        'select kind, subject, times from provider_incidents where closed_at is null order by id',
      ),
    async stands(payment) {
      const { status, amount_received: received } = await shop.read(payment)
      const attempts = (await shop.attemptsOf(payment)).map((one) => one.status).join(' ')
      return { status, received, attempts, events: await till.eventsOf(payment.id) }
    },
  }
  return shop
}
