/**
 * The hosted checkout: what a payer sees of a payment or a collection, and what their forms do. A form is answered by a redirect to
 * the page, which always shows how things stand: to reload it, or to go back, does nothing.
 */
import { createHash } from 'node:crypto'
import { renderSVG } from 'uqr'
import { businessName } from '../businesses/businesses.ts'
import { type CollectionRow, find as findCollection, stateOf, use } from '../collections/collections.ts'
import type { App, Ctx } from '../context.ts'
import { findNetwork } from '../crypto/tokens.ts'
import { Refusal, refuse } from '../lib/errors.ts'
import type { Id } from '../lib/ids.ts'
import { type CryptoCurrency, formatMoney, readMoney, showMoney, type WalletCurrency } from '../lib/money.ts'
import type { PageAnswer, PageRequest, PageRoute, Pages } from '../lib/route.ts'
import { withParams } from '../lib/urls.ts'
import {
  type AttemptRow,
  answerChallenge,
  type CryptoQuoteRow,
  chargeCard,
  chooseToken,
  cryptoQuotes,
  dueOf,
  find,
  follow,
  isCurrent,
  isOpen,
  latestAttempt,
  maxAttempts,
  openTransfer,
  type PaymentMethod,
  type PaymentRow,
  tokensOf,
  versionsOf,
  wholeOf,
} from '../payments/payments.ts'
import { accountOfPayment } from '../virtual-accounts/virtual-accounts.ts'
import { attemptOf, cookieName, formToken, payerOf, readCard } from './forms.ts'
import { type Outcome, outcomes, simulate } from './simulate.ts'
import { collectionPage } from './view/collection.ts'
import { messagePage } from './view/message.ts'
import type { CollectionPage, MessageKind, Money, PaymentPage } from './view/model.ts'
import { paymentPage } from './view/payment.ts'
import { script } from './view/script.ts'
import { styles } from './view/styles.ts'
import { makeWatch } from './watch.ts'

const money = (amount: bigint, currency: WalletCurrency): Money => ({
  amount,
  currency,
  formatted: showMoney(amount, currency),
})

const pathOf = (slug: string): string => `/pay/${slug}`

/** A page found by its slug. @throws {Refusal} `not_found` */
async function open(app: App, slug: string): Promise<NonNullable<Awaited<ReturnType<typeof follow>>>> {
  return (await follow(app, slug)) ?? refuse('not_found', 'There is no such page.')
}

/** What a payer sees of a payment now. */
async function modelOf(ctx: Ctx, payment: PaymentRow, request: PageRequest, token: string): Promise<PaymentPage> {
  const { scope } = ctx
  const { id, currency } = payment
  const [business, attempt, account, versions] = await Promise.all([
    businessName(ctx),
    latestAttempt(ctx, id),
    accountOfPayment(ctx, id),
    versionsOf(ctx, [{ businessId: scope.businessId, livemode: scope.livemode, id }]),
  ])
  const method = methodOf(payment, attempt, request.query.method)
  const priced = method ?? (payment.methods[0] as PaymentMethod)
  const due = dueOf(ctx, payment, priced)
  const whole = wholeOf(ctx, payment, priced)
  const pending = payment.status === 'pending'
  const back = (url: string | null): string | null =>
    url === null ? null : withParams(url, { reference: payment.reference, status: payment.status })
  return {
    language: 'en',
    path: pathOf(payment.slug),
    livemode: payment.livemode,
    business,
    description: payment.description,
    reference: payment.reference,
    lines: [],
    document: null,
    price: money(payment.amount, currency),
    fee: method && whole > payment.amount ? money(whole - payment.amount, currency) : null,
    due: money(due, currency),
    received: receivedOf(payment),
    surplus: surplusOf(ctx, payment),
    status: payment.status,
    // What came late and went back at once is nothing the payer has to ask about.
    late: payment.variance === 'late' && payment.amount_received === payment.amount_counted,
    expiresAt: payment.expires_at.toISOString(),
    secondsLeft: Math.max(0, Math.ceil((payment.expires_at.getTime() - scope.now.getTime()) / 1000)),
    paidAt: payment.paid_at?.toISOString() ?? null,
    methods: payment.methods,
    method,
    token,
    version: versions.get(id) ?? '',
    card: cardOf(payment, attempt, request.query.wrong),
    transfer: account && {
      amount: money(due, currency),
      accountNumber: account.account_number,
      accountName: account.account_name,
      bankName: account.bank_name,
      routingNumber: account.routing_number,
      returned: payment.amount_received > payment.amount_counted,
    },
    crypto: {
      choices: tokensOf(ctx).map((one) => ({
        id: `${one.currency}.${one.network}`,
        token: one.currency.toUpperCase(),
        network: one.name,
        testnet: one.network.endsWith('-sepolia'),
      })),
      chosen: pending && method === 'crypto' ? await chosenToken(ctx, payment, due) : null,
    },
    returnUrl: pending ? null : back(payment.redirect_url),
    cancelUrl: pending ? back(payment.cancel_url) : null,
  }
}

/** The way the payer has chosen; a card that is being charged is the one that matters. */
function methodOf(payment: PaymentRow, attempt: AttemptRow | null, asked: string | undefined): PaymentMethod | null {
  if (payment.status !== 'pending') return payment.method
  if (attempt && (attempt.status === 'processing' || attempt.status === 'challenge')) return 'card'
  const named = payment.methods.find((method) => method === asked)
  return named ?? (payment.methods.length === 1 ? (payment.methods[0] as PaymentMethod) : null)
}

function receivedOf(payment: PaymentRow): Money | null {
  return payment.amount_counted > 0n ? money(payment.amount_counted, payment.currency) : null
}

/** What came beyond the price of a payment that is completed, and was kept. */
function surplusOf(ctx: Ctx, { status, variance, method, fee_bearer, ...payment }: PaymentRow): Money | null {
  if (status !== 'completed' || variance !== 'overpaid' || method === null) return null
  const { amount, amount_counted: counted, currency } = payment
  const whole = fee_bearer === 'customer' ? ctx.pricing.grossOf(method, currency, amount) : amount
  return counted > whole ? money(counted - whole, currency) : null
}

function cardOf(payment: PaymentRow, attempt: AttemptRow | null, wrong: string | undefined): PaymentPage['card'] {
  const fields = (wrong ?? '').split('.').filter((field) => ['number', 'expiry', 'cvc'].includes(field))
  const untried = payment.attempts < maxAttempts ? 'form' : 'closed'
  const state = attempt?.status === 'processing' || attempt?.status === 'challenge' ? attempt.status : untried
  const declined = attempt?.status === 'failed' ? attempt.failure_reason : null
  if (declined === 'incorrect_cvc' && fields.length === 0) fields.push('cvc')
  return {
    state,
    failure: wrong !== undefined && fields.length > 0 ? `invalid_${fields[0]}` : declined,
    fields,
    last4: attempt?.last4 ?? null,
    brand: attempt?.brand ?? null,
  }
}

async function chosenToken(ctx: Ctx, payment: PaymentRow, due: bigint): Promise<PaymentPage['crypto']['chosen']> {
  let quote: CryptoQuoteRow | undefined = (await cryptoQuotes(ctx, payment.id))[0]
  if (!quote) return null
  // A part was paid since, or the rate is old. If the payment ends just now, the next look at the page says so.
  if (!isCurrent(ctx, quote, due) && isOpen(ctx, payment))
    quote = await chooseToken(ctx, payment.id, quote.currency, quote.network).catch((error) => {
      if (error instanceof Refusal) return quote as CryptoQuoteRow
      throw error
    })
  const { currency, network, address, amount } = quote
  return {
    id: `${currency}.${network}`,
    token: currency.toUpperCase(),
    network: findNetwork(currency, network, payment.livemode)?.network.name ?? network,
    address,
    amount: formatMoney(amount, currency).split(' ')[0]?.replaceAll(',', '') ?? '',
    qr: renderSVG(address, { border: 2 }),
  }
}

async function collectionModel(
  ctx: Ctx,
  row: CollectionRow,
  token: string,
  typed: { error: string | null; amount: string; email: string },
): Promise<CollectionPage> {
  const business = await businessName(ctx)
  const shown = (amount: bigint | null): Money | null => (amount === null ? null : money(amount, row.currency))
  return {
    language: 'en',
    path: pathOf(row.slug),
    livemode: row.livemode,
    business,
    name: row.name,
    description: row.description,
    state: stateOf(row),
    amount: shown(row.amount),
    currency: row.currency,
    min: shown(row.min_amount),
    max: shown(row.max_amount),
    error: typed.error,
    values: { amount: typed.amount, email: typed.email },
    token,
  }
}

/** The page behind a slug as it stands. */
async function show(
  app: App,
  request: PageRequest,
  typed: { error: string | null; amount: string; email: string } = { error: null, amount: '', email: '' },
): Promise<PageAnswer> {
  const slug = request.params.slug ?? ''
  const { ctx, kind, subject } = await open(app, slug)
  const { payer, fresh } = payerOf(request)
  const token = formToken(app, slug, payer, ctx.scope.now)
  const html =
    kind === 'payment'
      ? paymentPage(await modelOf(ctx, await find(ctx, subject), request, token))
      : collectionPage(await collectionModel(ctx, await findCollection(ctx, subject), token, typed))
  return {
    html,
    status: typed.error === null ? 200 : 400,
    ...(fresh ? { cookie: { name: cookieName, value: payer } } : {}),
  }
}

/** Refusals after which the page itself says how the payment stands. */
const shownByThePage = ['payment_not_pending', 'payment_processing', 'method_not_available', 'unsupported_chain']

type Posted = { ctx: Ctx; payment: PaymentRow; attempt: Id; request: PageRequest }

/** A form of a payment's page. `act` gives what to append to the page's address. */
function form(name: string, act: (posted: Posted) => Promise<string>): PageRoute<App> {
  return {
    method: 'POST',
    path: `/pay/{slug}/${name}`,
    counted: name === 'card' ? 'by address' : 'by page',
    async handler(app, request) {
      const slug = request.params.slug ?? ''
      const { ctx, kind, subject } = await open(app, slug)
      if (kind !== 'payment') return refuse('not_found', 'There is no such page.')
      const attempt = attemptOf(app, slug, request)
      if (attempt === null) return message('out_of_date', pathOf(slug), 400)
      const payment = await find(ctx, subject)
      try {
        return { redirect: `${pathOf(slug)}${await act({ ctx, payment, attempt, request })}` }
      } catch (error) {
        const code = error instanceof Refusal ? error.code : null
        // The section of the card says why, and the other ways to pay stand above it.
        if (code === 'too_many_attempts') return { redirect: `${pathOf(slug)}?method=card` }
        if (code === 'collection_full' || code === 'collection_canceled') {
          const collection = await findCollection(ctx, payment.collection_id as Id)
          return { redirect: pathOf(collection.slug) }
        }
        if (code !== null && shownByThePage.includes(code)) return { redirect: pathOf(slug) }
        throw error
      }
    },
  }
}

function message(kind: MessageKind, retry: string | null, status: 400 | 404 | 429 | 500): PageAnswer {
  return { html: messagePage({ language: 'en', kind, retry }), status }
}

const formRoutes: PageRoute<App>[] = [
  form('card', async ({ ctx, payment, attempt, request }) => {
    const read = readCard(request.form, ctx.scope.now)
    if ('problems' in read) return `?method=card&wrong=${read.problems.join('.')}`
    await chargeCard(ctx, payment.id, attempt, read.card)
    return '?method=card'
  }),
  form('challenge', async ({ ctx, payment, request }) => {
    await answerChallenge(ctx, payment.id, request.form.answer === 'approve')
    return '?method=card'
  }),
  form('transfer', async ({ ctx, payment }) => {
    await openTransfer(ctx, payment.id)
    return '?method=bank_transfer'
  }),
  form('crypto', async ({ ctx, payment, request }) => {
    const [currency = '', network = ''] = (request.form.choice ?? '').split('.')
    await chooseToken(ctx, payment.id, currency as CryptoCurrency, network)
    return '?method=crypto'
  }),
  form('simulate', async ({ ctx, payment, request }) => {
    if (payment.livemode) return refuse('not_found', 'There is no such page.')
    const outcome = outcomes.find((one) => one === request.form.outcome) ?? ('completed' satisfies Outcome)
    const method = payment.methods.find((one) => one === request.form.method) ?? null
    await simulate(ctx, payment.id, outcome, method)
    return method ? `?method=${method}` : ''
  }),
]

const startRoute: PageRoute<App> = {
  method: 'POST',
  path: '/pay/{slug}/start',
  counted: 'by address',
  async handler(app, request) {
    const slug = request.params.slug ?? ''
    const { ctx, kind, subject } = await open(app, slug)
    if (kind !== 'collection') return refuse('not_found', 'There is no such page.')
    if (attemptOf(app, slug, request) === null) return message('out_of_date', pathOf(slug), 400)
    const row = await findCollection(ctx, subject)
    const typed = { amount: request.form.amount ?? '', email: (request.form.email ?? '').trim() }
    const amount = row.amount === null ? readMoney(typed.amount) : null
    if (row.amount === null && amount === null) return show(app, request, { ...typed, error: 'amount_missing' })
    if (typed.email !== '' && !/^[^@\s]{1,64}@[^@\s]{1,189}$/.test(typed.email))
      return show(app, request, { ...typed, error: 'invalid_email' })
    try {
      const payment = await use(ctx, row, amount, typed.email || null)
      return { redirect: new URL(payment.checkout_url).pathname }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.code === 'collection_full' || error.code === 'collection_canceled') return { redirect: pathOf(slug) }
      if (error.code === 'amount_too_small' || error.code === 'amount_too_large')
        return show(app, request, { ...typed, error: error.code })
      throw error
    }
  },
}

const sha256Of = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** The hosted pages of a process. */
export function checkoutPages(app: App): Pages<App> {
  const watch = makeWatch(app)
  const paymentKey = async (slug: string) => {
    const { ctx, kind, subject } = await open(app, slug)
    if (kind !== 'payment') return refuse('not_found', 'There is no such page.')
    return { businessId: ctx.scope.businessId, livemode: ctx.scope.livemode, id: subject }
  }
  return {
    contentSecurityPolicy: [
      "default-src 'none'",
      `style-src ${sha256Of(styles)}`,
      `script-src ${sha256Of(script)}`,
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    routes: [
      { method: 'GET', path: '/pay/{slug}', counted: 'no', handler: (_app, request) => show(app, request) },
      {
        method: 'GET',
        path: '/pay/{slug}/events',
        counted: 'by page',
        handler: async (_app, { params, address, signal }) => {
          const key = await paymentKey(params.slug ?? '')
          const events = watch(key, address, signal)
          // Who is turned away asks for the status from time to time instead.
          return events ? { events } : message('too_many_tries', null, 429)
        },
      },
      {
        method: 'GET',
        path: '/pay/{slug}/status',
        counted: 'no',
        handler: async (_app, { params }) => {
          const key = await paymentKey(params.slug ?? '')
          return { json: { version: (await versionsOf(app, [key])).get(key.id) ?? '' } }
        },
      },
      ...formRoutes,
      startRoute,
    ],
    failed(error, slug) {
      const status = error instanceof Refusal ? error.status : ((error as { statusCode?: number }).statusCode ?? 500)
      const retry = slug === '' ? null : pathOf(slug)
      if (status === 404) return { html: messagePage({ language: 'en', kind: 'not_found', retry: null }), status }
      if (status === 429) return { html: messagePage({ language: 'en', kind: 'too_many_tries', retry }), status }
      return { html: messagePage({ language: 'en', kind: 'error', retry }), status: status < 500 ? 400 : 500 }
    },
  }
}
