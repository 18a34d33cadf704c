/**
 * The hosted checkout: what a payer sees of a payment or a collection, and what their forms do. A
 * form is answered by a redirect to the page, which always shows how things stand: to reload it, or
 * to go back, does nothing.
 */
import { createHash } from 'node:crypto'
import { getBusiness, logoAt } from '../../books/profiles/profiles.ts'
import * as collections from '../../collecting/collections/collections.ts'
import * as payments from '../../collecting/payments/payments.ts'
import type { App } from '../../core/app.ts'
import type { Ctx } from '../../core/outside.ts'
import type { PageAnswer, PageRequest, PageRoute, Pages } from '../../core/route.ts'
import { TestDataEmptied } from '../../core/test-data.ts'
import { isUnavailable } from '../../db/db.ts'
import { withDeadline } from '../../lib/deadline.ts'
import { Refusal, refuse } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import type { CryptoCurrency } from '../../lib/money.ts'
import { readMoney } from '../../lib/typed-money.ts'
import { asksForEmail, leavesForCards, takesCardNumbers } from '../../rails/accounts/choice.ts'
import { pdfOfPayment } from '../../selling/invoices/invoices.ts'
import { attemptOf, cookieName, formToken, payerOf, readCard, readEmail } from './forms.ts'
import { choiceKept, languageOf } from './languages.ts'
import { brandOf, collectionModel, modelOf, pathOf, type WrongCard } from './models.ts'
import { receiptFile } from './receipt-pdf.ts'
import { outcomes, prepareSimulation, type SimulatedOutcome, simulate } from './simulate.ts'
import { admitTry, countOutcome } from './velocity.ts'
import { brandStyle } from './view/brand.ts'
import { collectionPage } from './view/collection.ts'
import { leavePage } from './view/leave.ts'
import { messagePage } from './view/message.ts'
import type { Brand, MessageKind } from './view/model.ts'
import { paymentPage } from './view/payment.ts'
import { script } from './view/script.ts'
import { stringsFor } from './view/strings.ts'
import { styles } from './view/styles.ts'
import { makeWatch } from './watch.ts'

export { attachReceipt, writeReceipt } from './receipts.ts'

/** What the page of a slug is about. @throws {Refusal} `not_found` */
async function findPage(
  app: App,
  slug: string,
): Promise<NonNullable<Awaited<ReturnType<typeof payments.resolveLink>>>> {
  return (await payments.resolveLink(app, slug)) ?? refuse('not_found', 'There is no such page.')
}

/** The page behind a slug as it stands. */
async function show(
  app: App,
  request: PageRequest,
  typed: { error: string | null; amount: string; email: string } = {
    error: null,
    amount: '',
    email: '',
  },
  wrongCard: WrongCard | null = null,
): Promise<PageAnswer> {
  const slug = request.params.slug ?? ''
  const { ctx, kind, subject } = await findPage(app, slug)
  const { payer, fresh } = payerOf(request)
  const token = formToken(app, slug, payer, ctx.scope.now)
  const page =
    kind === 'payment'
      ? await modelOf(ctx, subject, request, token, wrongCard)
      : await collectionModel(ctx, await collections.find(ctx, subject), request, token, typed)
  return {
    html: 'reference' in page ? paymentPage(page) : collectionPage(page),
    policy: policyOf(page.brand),
    status: typed.error === null && wrongCard === null ? 200 : 400,
    cookies: [...(fresh ? [{ name: cookieName, value: payer }] : []), ...choiceKept(request)],
  }
}

/** Refusals after which the page itself says how the payment stands. */
const shownByThePage = [
  'payment_not_pending',
  'payment_of_invoice',
  'payment_processing',
  'method_not_available',
  'unsupported_chain',
]

/** Why a bank gives a payment no account: the page says that it does not. */
const noAccount = [
  'rail_not_configured',
  'not_enabled',
  'limit_reached',
  'account_rejected',
  'customer_incomplete',
  'kyc_required',
  'validation_failed',
]

type Posted = {
  app: App
  ctx: Ctx
  payment: payments.PaymentRow
  attempt: Id
  request: PageRequest
}

/**
 * A form of a payment's page. `act` gives what to append to the page's address, or a page; null: who
 * pays has tried too often.
 * @param isOn whether the page has such a form: elsewhere there is nothing to post to
 */
function form(
  name: string,
  act: (posted: Posted) => Promise<string | PageAnswer | null>,
  isOn: (ctx: Ctx, payment: payments.PaymentRow) => boolean = () => true,
): PageRoute<App> {
  return {
    method: 'POST',
    path: `/pay/{slug}/${name}`,
    counted: name === 'card' ? 'by address' : 'by page',
    async handler(app, request) {
      const slug = request.params.slug ?? ''
      const { ctx, kind, subject } = await findPage(app, slug)
      if (kind !== 'payment') return refuse('not_found', 'There is no such page.')
      const payment = await payments.find(ctx, subject)
      if (!isOn(ctx, payment)) return refuse('not_found', 'There is no such page.')
      const attempt = attemptOf(app, slug, request)
      if (attempt === null) return message('out_of_date', request, pathOf(slug), 400)
      const { locale } = await getBusiness(ctx)
      await payments.keepPayerLanguage(ctx, payment, languageOf(request, locale))
      try {
        const then = await act({ app, ctx, payment, attempt, request })
        if (then === null) return message('too_many_tries', request, pathOf(slug), 429)
        return typeof then === 'string' ? { redirect: `${pathOf(slug)}${then}` } : then
      } catch (error) {
        const code = error instanceof Refusal ? error.code : null
        // The section of the card says why, and the other methods stand above it.
        if (code === 'too_many_attempts') return { redirect: `${pathOf(slug)}?method=card` }
        if (code === 'collection_full' || code === 'collection_canceled') {
          const collection = await collections.find(ctx, payment.collection_id as Id)
          return { redirect: pathOf(collection.slug) }
        }
        if (code !== null && shownByThePage.includes(code)) return { redirect: pathOf(slug) }
        throw error
      }
    },
  }
}

function message(
  kind: MessageKind,
  request: PageRequest,
  retry: string | null,
  status: 400 | 403 | 404 | 429 | 500,
): PageAnswer {
  return { html: messagePage({ language: languageOf(request), kind, retry }), status }
}

/**
 * Keeps the payer's address where the method needs one and there is none. @returns false when the
 * form gives none
 */
async function learnEmail(
  ctx: Ctx,
  payment: payments.PaymentRow,
  method: 'card' | 'bank_transfer',
  { form }: PageRequest,
): Promise<boolean> {
  if (payments.hasEmail(payment) || !asksForEmail(ctx, method, payment.currency)) return true
  const email = readEmail(form)
  if (email === null || email === 'wrong') return false
  await payments.keepPayerEmail(ctx, payment.id, email)
  return true
}

/**
 * Answers a card that was typed wrong with the page itself: a redirect would have to keep the expiry
 * date in between, or put it into an address.
 */
async function showWrongCard(
  app: App,
  { status }: payments.PaymentRow,
  request: PageRequest,
  wrongCard: WrongCard,
): Promise<string | PageAnswer> {
  if (status !== 'pending') return '?method=card'
  const query = { ...request.query, method: 'card' }
  return show(app, { ...request, query }, undefined, wrongCard)
}

const formRoutes: PageRoute<App>[] = [
  form(
    'card',
    async ({ app, ctx, payment, attempt, request }) => {
      const read = readCard(request.form, ctx.scope.now)
      if ('faults' in read) return showWrongCard(app, payment, request, read)
      // Before anything is kept of it: on a test page it may be a payer's own.
      if (!payments.takesCard(ctx, read.card)) return '?method=card&wrong=card'
      if (!(await admitTry(ctx, request))) return null
      await payments.chargeCard(ctx, payment.id, attempt, read.card)
      await countOutcome(ctx, request, payment.id)
      return '?method=card'
    },
    (ctx, { currency }) => takesCardNumbers(ctx, currency),
  ),
  form(
    'leave',
    async ({ ctx, payment, attempt, request }) => {
      if (!(await learnEmail(ctx, payment, 'card', request))) return '?method=card&wrong=email'
      if (!(await admitTry(ctx, request))) return null
      await payments.startRedirect(ctx, payment.id, attempt)
      return (await awayTo(ctx, payment.id)) === null ? '?method=card' : '/leave'
    },
    (ctx, { currency, methods }) => methods.includes('card') && leavesForCards(ctx, currency),
  ),
  form(
    'challenge',
    async ({ ctx, payment, request }) => {
      await payments.answerChallenge(ctx, payment.id, request.form.answer === 'approve')
      return '?method=card'
    },
    (_ctx, { livemode }) => !livemode,
  ),
  form('transfer', async ({ ctx, payment, request }) => {
    if (!(await learnEmail(ctx, payment, 'bank_transfer', request)))
      return '?method=bank_transfer&wrong=email'
    try {
      await payments.openTransfer(ctx, payment.id)
    } catch (error) {
      if (!(error instanceof Refusal) || !noAccount.includes(error.code)) throw error
      return '?method=bank_transfer&wrong=transfer'
    }
    return '?method=bank_transfer'
  }),
  form('crypto', async ({ ctx, payment, request }) => {
    const [currency = '', network = ''] = (request.form.choice ?? '').split('.')
    await payments.chooseToken(ctx, payment.id, currency as CryptoCurrency, network)
    return '?method=crypto'
  }),
  form(
    'simulate',
    async ({ ctx, payment, request }) => {
      const outcome =
        outcomes.find((one) => one === request.form.outcome) ??
        ('completed' satisfies SimulatedOutcome)
      const method = payment.methods.find((one) => one === request.form.method) ?? null
      const simulation = await prepareSimulation(ctx, payment.id, outcome, method)
      await ctx.write((work) => simulate(work, simulation))
      return method ? `?method=${method}` : ''
    },
    (_ctx, { livemode }) => !livemode,
  ),
]

/** Where the payer of a payment is to be sent, while it is away and its page lives. */
async function awayTo(ctx: Ctx, id: Id): Promise<URL | null> {
  const [payment, attempt] = await Promise.all([
    payments.find(ctx, id),
    payments.latestAttempt(ctx, id),
  ])
  return payment.status === 'pending' && attempt?.url && payments.hasOpenPage(ctx, attempt)
    ? new URL(attempt.url)
    : null
}

/**
 * How long a payer who is back waits for the provider's answer: then the page says that it waits,
 * and is told.
 */
const backMs = 4_000

/**
 * To the provider's page and back. The way there is a page of ours: a redirect of the form itself
 * would be one that the page's policy blocks. What the provider's page brings back in its query is
 * not read.
 */
const awayRoutes: PageRoute<App>[] = [
  {
    method: 'GET',
    path: '/pay/{slug}/leave',
    counted: 'no',
    async handler(app, request) {
      const { slug = '' } = request.params
      const { ctx, kind, subject } = await findPage(app, slug)
      const url = kind === 'payment' ? await awayTo(ctx, subject) : null
      if (url === null) return { redirect: pathOf(slug) }
      const business = await getBusiness(ctx)
      const language = languageOf(request, business.locale)
      const brand = brandOf(stringsFor(language), business)
      const { livemode } = ctx.scope
      return {
        html: leavePage({
          language,
          livemode,
          business: business.name,
          brand,
          url: url.href,
          host: url.host,
          path: pathOf(slug),
        }),
        policy: policyOf(brand),
      }
    },
  },
  {
    method: 'GET',
    path: '/pay/{slug}/back',
    counted: 'no',
    async handler(app, { params: { slug = '' } }) {
      const { ctx, kind, subject } = await findPage(app, slug)
      if (kind !== 'payment') return { redirect: pathOf(slug) }
      const asked = payments.queryAfterReturn(ctx, subject)
      asked.catch((error) =>
        app.log.error({ err: error }, 'a payer came back, and the provider could not be asked'),
      )
      await withDeadline(backMs, asked).catch(() => {})
      return { redirect: `${pathOf(slug)}?method=card` }
    },
  },
]

/** Whether the form has started a payment, perhaps of another amount. */
const isUsed = (error: unknown): boolean =>
  error instanceof Refusal && error.code === 'duplicate_reference'

const startRoute: PageRoute<App> = {
  method: 'POST',
  path: '/pay/{slug}/start',
  counted: 'by page',
  async handler(app, request) {
    const slug = request.params.slug ?? ''
    const { ctx, kind, subject } = await findPage(app, slug)
    if (kind !== 'collection') return refuse('not_found', 'There is no such page.')
    const attempt = attemptOf(app, slug, request)
    if (attempt === null) return message('out_of_date', request, pathOf(slug), 400)
    const row = await collections.find(ctx, subject)
    const typed = { amount: request.form.amount ?? '', email: (request.form.email ?? '').trim() }
    const email = readEmail(request.form)
    const { locale } = stringsFor(languageOf(request, (await getBusiness(ctx)).locale))
    const read = row.amount === null ? readMoney(typed.amount, locale, row.currency) : null
    const amount = read === null ? null : read.amount
    if (read !== null && amount === null)
      return show(app, request, { ...typed, error: 'amount_missing' })
    if (email === 'wrong') return show(app, request, { ...typed, error: 'invalid_email' })
    try {
      const use = () => ctx.write((work) => collections.use(work, row, amount, email, attempt))
      // Of two that come at once, the second finds the payment of the first.
      const payment = await use().catch((error) => (isUsed(error) ? use() : Promise.reject(error)))
      return { redirect: new URL(payment.checkout_url).pathname }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.code === 'collection_full' || error.code === 'collection_canceled')
        return { redirect: pathOf(slug) }
      if (isUsed(error)) return message('out_of_date', request, pathOf(slug), 400)
      if (error.code.startsWith('business_')) return message('not_found', request, null, 403)
      if (error.code === 'amount_too_small' || error.code === 'amount_too_large')
        return show(app, request, { ...typed, error: error.code })
      throw error
    }
  },
}

const sha256Of = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`
const ourStyle = sha256Of(styles)
const ourScript = sha256Of(script)

/**
 * Returns the policy of a page: its own styles and script, by their hashes. It allows pictures of
 * this server only with a logo, since browsers would otherwise request an icon that does not exist.
 */
function policyOf({ color, logo }: Pick<Brand, 'color' | 'logo'>): string {
  const brand = brandStyle(color)
  return [
    "default-src 'none'",
    `style-src ${ourStyle}${brand === null ? '' : ` ${sha256Of(brand)}`}`,
    `script-src ${ourScript}`,
    ...(logo === null ? [] : ["img-src 'self'"]),
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** The hosted pages of a process. */
export function checkoutPages(app: App): Pages<App> {
  return {
    root: '/pay',
    formLimit: 16 * 1024,
    contentSecurityPolicy: policyOf({ color: null, logo: null }),
    routes: [
      {
        method: 'GET',
        path: '/pay/{slug}',
        counted: 'no',
        handler: (_app, request) => show(app, request),
      },
      ...changeRoutes(app),
      logoRoute,
      invoiceRoute,
      receiptRoute,
      ...formRoutes,
      ...awayRoutes,
      startRoute,
    ],
    failed: failurePage,
  }
}

/** Routes that report a change of a payment to its page: a stream, and a version to poll. */
function changeRoutes(app: App): PageRoute<App>[] {
  const watch = makeWatch(app)
  const keyOf = async (slug = '') => {
    const { ctx, kind, subject } = await findPage(app, slug)
    if (kind !== 'payment') return refuse('not_found', 'There is no such page.')
    return { businessId: ctx.scope.businessId, livemode: ctx.scope.livemode, id: subject }
  }
  return [
    {
      method: 'GET',
      path: '/pay/{slug}/events',
      counted: 'by page',
      handler: async (_app, request) => {
        const { params, address, signal } = request
        const events = watch(await keyOf(params.slug), address, signal)
        // A page without a stream polls the status instead.
        return events ? { events } : message('too_many_tries', request, null, 429)
      },
    },
    {
      method: 'GET',
      path: '/pay/{slug}/status',
      counted: 'no',
      handler: async (_app, { params }) => {
        const key = await keyOf(params.slug)
        return { json: { version: (await payments.findVersions(app, [key])).get(key.id) ?? '' } }
      },
    },
  ]
}

const logoRoute: PageRoute<App> = {
  method: 'GET',
  path: '/logos/{slug}',
  counted: 'no',
  handler: async (app, { params }) => {
    const logo = await logoAt(app, params.slug ?? '')
    if (!logo) return refuse('not_found', 'There is no such picture.')
    return { asset: logo.content, contentType: logo.media_type }
  },
}

const invoiceRoute: PageRoute<App> = {
  method: 'GET',
  path: '/pay/{slug}/invoice.pdf',
  counted: 'by page',
  handler: async (app, { params }) => {
    const { ctx, kind, subject } = await findPage(app, params.slug ?? '')
    const pdf =
      kind === 'payment' ? await pdfOfPayment(ctx, await payments.find(ctx, subject)) : null
    if (!pdf) return refuse('not_found', 'There is no such page.')
    return { file: pdf.content, contentType: 'application/pdf', name: pdf.name }
  },
}

/** The receipt of a completed payment, in the language of its page. */
const receiptRoute: PageRoute<App> = {
  method: 'GET',
  path: '/pay/{slug}/receipt.pdf',
  counted: 'by page',
  handler: async (app, request) => {
    const { ctx, kind, subject } = await findPage(app, request.params.slug ?? '')
    const payment = kind === 'payment' ? await payments.find(ctx, subject) : null
    if (payment?.status !== 'completed') return refuse('not_found', 'There is no such page.')
    const { locale } = await getBusiness(ctx)
    const { name, content } = await receiptFile(ctx, payment, languageOf(request, locale))
    return { file: content, contentType: 'application/pdf', name }
  },
}

const failurePage: Pages<App>['failed'] = (error, request) => {
  const { slug = '' } = request.params
  const language = languageOf(request)
  const status =
    error instanceof Refusal ? error.status : ((error as { statusCode?: number }).statusCode ?? 500)
  const retry = slug === '' ? null : pathOf(slug)
  if (status === 404)
    return { html: messagePage({ language, kind: 'not_found', retry: null }), status }
  if (status === 429)
    return { html: messagePage({ language, kind: 'too_many_tries', retry }), status }
  const isTemporary = isUnavailable(error) || error instanceof TestDataEmptied
  const shown = status < 500 ? 400 : isTemporary ? 503 : 500
  return { html: messagePage({ language, kind: 'error', retry }), status: shown }
}
