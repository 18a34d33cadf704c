/** Payers who pay live payments in dollars by card, on the page of a double of Stripe. */
import assert from 'node:assert/strict'
import { listIncidents } from '../../src/platform/incidents/incidents.ts'
import { stripeAt } from '../../src/rails/stripe/stripe.ts'
import { type Double, startStripeCards } from '../doubles/stripe-cards.ts'
import { newPayer, type Page, type Payer } from './actors.ts'
import { type Dollars, movingClock, openDollars, providerTiming, slowMs } from './dollars.ts'
import { type Json, must } from './harness.ts'
import { railsEnv, testProvider } from './provider.ts'

export type Shop = Dollars & {
  double: Double
  open(more?: object): Promise<Json>
  payerOf(payment: Json): Payer
  /** A payer chooses to pay by card. @returns where that leads */
  leave(payer: Payer): Promise<string>
  /** Where the page on the way leads; null where it leads back to the payment. */
  wayOf(payer: Payer): Promise<string | null>
  begin(more?: object): Promise<{ payment: Json; payer: Payer; reference: string; url: string }>
  read(payment: Json): Promise<Json>
  attemptsOf(payment: Json): Promise<Json[]>
  sessionsOf(payment: Json): Promise<Double['sessions']>
  back(payer: Payer, query?: string): Promise<Page>
  /** Kinds of what a person must look at of a payment. */
  incidentsOf(payment: Json): Promise<string[]>
  stands(
    payment: Json,
  ): Promise<{ status: string; received: number; attempts: string; events: string[] }>
  assertSound(): Promise<void>
  stop(): Promise<void>
}

/** @param account more of the account in `RAILS_FILE` */
export async function openShop({ account = {} }: { account?: object } = {}): Promise<Shop> {
  const clock = movingClock()
  const double = await startStripeCards({ now: clock.now, slowMs })
  const accounts = {
    'stripe-us': {
      provider: 'stripe',
      secret_key: 'env:STRIPE_KEY',
      webhook_secret: 'env:STRIPE_WHSEC',
      webhook_secret_previous: 'env:STRIPE_WHSEC_BEFORE',
      ...account,
    },
    bank: { provider: 'testpay', secret_key: 'env:LIVE_KEY_2' },
  }
  const env = {
    ...railsEnv({
      live: { accounts, routes: { 'card.usd': ['stripe-us'], 'account.usd': ['bank'] } },
    }),
    STRIPE_KEY: double.secretKey,
    STRIPE_WHSEC: double.secrets.live,
    STRIPE_WHSEC_BEFORE: double.secrets.previous,
  }
  const dollars = await openDollars(
    env,
    [stripeAt({ host: double.url, ...providerTiming }), testProvider().provider],
    clock,
  )
  const { server, live } = dollars
  double.events.url = `${server.url}/rails/stripe-us/live/webhook`
  let made = 0
  const shop: Shop = {
    ...dollars,
    double,
    open: (more = {}) =>
      must(
        live('POST', '/payments', {
          reference: `usd-card-${++made}`,
          amount: 50_00,
          currency: 'usd',
          methods: ['card'],
          email: 'bisi@example.com',
          redirect_url: 'https://shop.example/thanks',
          ...more,
        }),
      ),
    payerOf: ({ checkout_url }) =>
      newPayer({ checkout_url: `${server.url}${new URL(checkout_url).pathname}` }),
    async leave(payer) {
      await payer.open('?method=card')
      return (await payer.send('leave')).location
    },
    async wayOf(payer) {
      const answer = await fetch(`${payer.url}/leave`, { redirect: 'manual' })
      if (answer.status === 303) return null
      const html = await answer.text()
      return /http-equiv="refresh" content="0;url=([^"]+)"/.exec(html)?.[1] ?? assert.fail(html)
    },
    async begin(more = {}) {
      const payment = await shop.open(more)
      const payer = shop.payerOf(payment)
      assert.match(await shop.leave(payer), /\/leave$/)
      const url = (await shop.wayOf(payer)) as string
      const [session] = (await shop.sessionsOf(payment)).slice(-1)
      assert.ok(session !== undefined)
      assert.equal(url, double.pageOf(session))
      return { payment, payer, reference: session.reference, url }
    },
    read: ({ id }) => must(live('GET', `/payments/${id}`)),
    attemptsOf: ({ id }) =>
      server.app.db.query<Json>(
        'select * from payment_attempts where payment_id = $1 order by created_at, id',
        [id],
      ),
    async sessionsOf(payment) {
      const ids = (await shop.attemptsOf(payment)).map(({ id }) => id)
      return double.sessions.filter(({ reference }) =>
        ids.some((id) => reference.startsWith(`tr-${id}`)),
      )
    },
    async back(payer, query = '?session_id=x') {
      const answer = await fetch(`${payer.url}/back${query}`, { redirect: 'manual' })
      assert.equal(answer.status, 303)
      return payer.open('?method=card')
    },
    async incidentsOf(payment) {
      const subjects = (await shop.attemptsOf(payment)).map(({ id }) => id)
      const all = await listIncidents(server.app.db, {})
      return all.filter(({ subject }) => subjects.includes(subject)).map(({ kind }) => kind)
    },
    async stands(payment) {
      const { status, amount_received: received } = await shop.read(payment)
      const attempts = (await shop.attemptsOf(payment)).map((one) => one.status).join(' ')
      return { status, received, attempts, events: await shop.eventsOf(payment.id) }
    },
    async assertSound() {
      assert.deepEqual(double.violations, [])
    },
    async stop() {
      await server.stop()
      await double.stop()
    },
  }
  return shop
}
