import { rowsOf, sql, sqlOfAll, sqlOfMany } from '../../db/db.ts'
import { joinMoved } from '../../db/moves/moved.ts'
import * as t from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import type { CryptoCurrency, WalletCurrency } from '../../lib/money.ts'
import { undealt } from '../../platform/team/team.ts'
import type { feeBearers, mismatchRules, PaymentMethod, variances } from './schema.ts'
import type { AttemptStatus, PaymentStatus } from './states.ts'

/** Columns that change during a payment's life, beside its status. */
const progress = {
  method: t.defaulted(t.nullable(t.text<PaymentMethod>())),
  amount_received: t.defaulted(t.bigint()),
  amount_counted: t.defaulted(t.bigint()),
  variance: t.defaulted(t.nullable(t.text<(typeof variances)[number]>())),
  transaction_id: t.defaulted(t.nullable(t.text<Id>())),
  fee: t.defaulted(t.bigint()),
  amount_refunded: t.defaulted(t.bigint()),
  amount_refunding: t.defaulted(t.bigint()),
  amount_confirming: t.defaulted(t.bigint()),
  attempts: t.defaulted(t.integer()),
  failure_reason: t.defaulted(t.nullable(t.text())),
  paid_at: t.defaulted(t.nullable(t.time())),
  ended_at: t.defaulted(t.nullable(t.time())),
  begun: t.defaulted(t.boolean()),
  payer_email: t.defaulted(t.nullable(t.text())),
  language: t.defaulted(t.nullable(t.text())),
  mismatch_by: t.defaulted(t.nullable(t.text<'rail'>())),
}

export const payments = t.table('payments', {
  id: t.text<Id>(),
  reference: t.text(),
  amount: t.bigint(),
  currency: t.text<WalletCurrency>(),
  customer_id: t.nullable(t.text<Id>()),
  email: t.nullable(t.text()),
  description: t.nullable(t.text()),
  methods: t.texts<PaymentMethod>(),
  redirect_url: t.nullable(t.text()),
  cancel_url: t.nullable(t.text()),
  expires_at: t.time(),
  fee_bearer: t.text<(typeof feeBearers)[number]>(),
  on_mismatch: t.text<(typeof mismatchRules)[number]>(),
  slug: t.text(),
  status: t.text<PaymentStatus>(),
  ...progress,
  collection_id: t.nullable(t.text<Id>()),
  invoice_id: t.nullable(t.text<Id>()),
  metadata: t.json<Record<string, unknown>>(),
  created_at: t.time(),
  updated_at: t.time(),
})
export type PaymentRow = t.RowOf<typeof payments>
export type PaymentChanges = Partial<Pick<PaymentRow, keyof typeof progress>>
export const columns = t.columnsOf(payments)

export const insertLink = sql(
  'payments.insert_link',
  'insert into pay_links (business_id, livemode, slug, kind, subject) values ($1, $2, $3, $4, $5)',
)

export const selectById = t.byId(payments)

export const selectByReference = sql<PaymentRow>(
  'payments.select_by_reference',
  `select ${columns} from payments where business_id = $1 and livemode = $2 and reference = $3`,
)

export const lockById = t.byId(payments, t.locked)

export const keepLanguage = sql(
  'payments.keep_language',
  `update payments set language = $4 where business_id = $1 and livemode = $2 and id = $3 and status = 'pending'`,
)

/**
 * `id` comes with the payer's form: the same form sent twice is one attempt. `starts` is null when
 * the card is typed on our page.
 */
export const attempts = t.table('payment_attempts', {
  id: t.text<Id>(),
  payment_id: t.text<Id>(),
  status: t.text<AttemptStatus>(),
  rail: t.text(),
  amount: t.bigint(),
  brand: t.nullable(t.text()),
  last4: t.nullable(t.text()),
  starts: t.defaulted(t.nullable(t.integer())),
  url: t.defaulted(t.nullable(t.text())),
  ends_at: t.defaulted(t.nullable(t.time())),
  channel: t.defaulted(t.nullable(t.text())),
  confirming: t.defaulted(t.boolean()),
  asked_at: t.defaulted(t.nullable(t.time())),
  failure_reason: t.defaulted(t.nullable(t.text())),
  provider_reference: t.defaulted(t.nullable(t.text())),
  transaction_id: t.defaulted(t.nullable(t.text<Id>())),
  created_at: t.time(),
  updated_at: t.time(),
})
export type CardAttemptRow = t.RowOf<typeof attempts>
const attemptColumns = t.columnsOf(attempts)

export const lockAttempt = t.byId(attempts, t.locked)
export const selectAttempt = t.byId(attempts)

export const countOpen = sql<{ count: bigint }>(
  'payments.count_open',
  `select count(*) as count from payments where business_id = $1 and livemode = $2 and status = 'pending'`,
)

export const countAttemptsSince = sql<{ count: bigint }>(
  'payments.count_attempts_since',
  `select count(*) as count from payment_attempts
    where business_id = $1 and livemode = $2 and payment_id = $3 and created_at > $4`,
)

export const selectActiveAttempt = sql<CardAttemptRow>(
  'payments.select_active_attempt',
  `select ${attemptColumns} from payment_attempts
    where business_id = $1 and livemode = $2 and payment_id = $3 and status in ('processing', 'challenge', 'away')`,
)

export const selectLatestAttempt = sql<CardAttemptRow>(
  'payments.select_latest_attempt',
  `select ${attemptColumns} from payment_attempts
    where business_id = $1 and livemode = $2 and payment_id = $3
    order by (status = 'succeeded') desc, created_at desc, id desc limit 1`,
)

export const selectAttemptIds = sql<{ id: Id }>(
  'payments.select_attempt_ids',
  `select id from payment_attempts
    where business_id = $1 and livemode = $2 and payment_id = $3 order by created_at desc, id desc limit $4`,
)

/** Claims the query that a returning payer causes: at most one in an interval. */
export const claimQuery = sql<{ id: Id }>(
  'payments.claim_ask',
  `update payment_attempts set asked_at = $4
    where business_id = $1 and livemode = $2 and payment_id = $3 and status = 'away' and (asked_at is null or asked_at <= $5)
   returning id`,
)

/** Fails challenges of a payment that has ended: its page shows them no more. */
export const giveUpChallenges = sql<{ id: Id }>(
  'payments.give_up_challenges',
  `update payment_attempts set status = 'failed', failure_reason = 'not_completed', updated_at = $4
    where business_id = $1 and livemode = $2 and payment_id = $3 and status = 'challenge'
   returning id`,
)

/** `created_at` is the time of the rate. */
export const quotes = t.table('payment_crypto_quotes', {
  payment_id: t.text<Id>(),
  currency: t.text<CryptoCurrency>(),
  network: t.text(),
  address: t.text(),
  amount: t.bigint(),
  due: t.bigint(),
  rate: t.text(),
  created_at: t.time(),
})
export type CryptoQuoteRow = t.RowOf<typeof quotes>

/** Replaces an earlier quote in the same token, whose amount or rate may have changed. */
export const replaceQuote = `(business_id, livemode, payment_id, currency)
  do update set network = excluded.network, address = excluded.address, amount = excluded.amount, due = excluded.due,
                rate = excluded.rate, created_at = excluded.created_at`

export const selectCryptoQuotes = sql<CryptoQuoteRow>(
  'payments.select_crypto_quotes',
  `select ${t.columnsOf(quotes)} from payment_crypto_quotes
    where business_id = $1 and livemode = $2 and payment_id = $3 order by created_at desc`,
)

/** Selects a text that changes with everything that a payer sees of a payment. */
export const selectVersions = sqlOfMany<{ id: Id; version: string }>(
  'payments.select_versions',
  `select p.id,
          concat_ws('.', p.status, p.amount_received, p.amount_counted, p.amount_refunding, p.amount_refunded,
                    p.amount_confirming, p.attempts,
                    p.begun, (select concat_ws('.', a.status, a.confirming, a.failure_reason) from payment_attempts a
                               where a.business_id = p.business_id and a.livemode = p.livemode and a.payment_id = p.id
                               order by a.created_at desc, a.id desc limit 1),
                    (select concat_ws(' ', v.status, v.id, v.sent_back_at) from virtual_accounts v
                      where v.business_id = p.business_id and v.livemode = p.livemode and v.payment_id = p.id
                      order by v.created_at desc, v.id desc limit 1)) as version
     from payments p
     join ${rowsOf('business_id text, livemode boolean, id text')} as key
          using (business_id, livemode, id)`,
)

export type LinkRow = {
  business_id: Id
  livemode: boolean
  kind: 'payment' | 'collection'
  subject: Id
  /** The cell with the payment, where that is another database. */
  moved_to: string | null
}

/** Finds the business of a slug: the one statement that does not name its business. */
export const selectLink = sqlOfAll<LinkRow>(
  'payments.select_link',
  `select l.business_id, l.livemode, l.kind, l.subject, moved.letter as moved_to
     from pay_links l ${joinMoved('l.business_id')} where l.slug = $1`,
)

export const selectVaried = sql<PaymentRow>(
  'payments.select_varied',
  `select ${columns} from payments
    where business_id = $1 and livemode = $2 and variance <> 'exact' and ${undealt('payments')}
    order by created_at desc, id desc limit $3`,
)

export const selectCounted = sql<{ id: Id; amount_counted: bigint }>(
  'payments.select_counted',
  'select id, amount_counted from payments where business_id = $1 and livemode = $2 and id = any($3)',
)

/** Of the newest payments, those with a text in their reference, or a card that ends with it. */
export const selectByPart = sql<{ id: Id }>(
  'payments.select_by_part',
  `select id from (select id, reference from payments where business_id = $1 and livemode = $2 order by id desc limit $5) p
    where position(lower($3) in lower(reference)) > 0
    union
   select payment_id from (select payment_id, last4 from payment_attempts
                            where business_id = $1 and livemode = $2 order by id desc limit $5) a
    where last4 = $4
    limit $5`,
)

/** A try of a payment by a method, of the payments that have ended. */
export type TriedRow = {
  currency: WalletCurrency
  /** Null: by whatever method. */
  method: PaymentMethod | null
  ended: bigint
  paid: bigint
  /** Whether the period has more payments than were looked at. */
  cut: boolean
}

/**
 * Counts payments that ended, and how many of them were paid, by the methods that their payers
 * began: a card was typed, a bank account opened, a token quoted. It looks at the newest `$5`
 * payments from `$3` and before `$4`, so its cost has a limit.
 */
export const selectTried = sql<TriedRow>(
  'payments.select_tried',
  `with newest as materialized (
     select id, currency, status, method from payments
      where business_id = $1 and livemode = $2 and created_at >= $3 and created_at < $4
      order by created_at desc, id desc limit $5
   ), tried as (
     select newest.*, begun.by from newest cross join lateral (
       select 'card' as by where exists (select from payment_attempts a where a.business_id = $1 and a.livemode = $2 and a.payment_id = newest.id)
        union
       select 'bank_transfer' where exists (select from virtual_accounts v where v.business_id = $1 and v.livemode = $2 and v.payment_id = newest.id)
        union
       select 'crypto' where exists (select from payment_crypto_quotes q where q.business_id = $1 and q.livemode = $2 and q.payment_id = newest.id)
        union
       select newest.method where newest.method is not null) begun
      where newest.status not in ('pending', 'canceled')
   )
   select currency, by as method, count(distinct id) as ended,
          count(distinct id) filter (where status = 'completed' and method = by) as paid,
          (select count(*) from newest) >= $5 as cut
     from tried group by grouping sets ((currency, by), (currency)) order by 1, 2 nulls first`,
)
