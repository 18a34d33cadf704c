import { rowsOf, sql, sqlOfAll, sqlOfMany } from '../../db/db.ts'
import {
  bigint,
  boolean,
  columnsOf,
  defaulted,
  integer,
  json,
  nullable,
  type RowOf,
  table,
  text,
  texts,
  time,
} from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import type { CryptoCurrency, WalletCurrency } from '../../lib/money.ts'
import type { feeBearers, mismatchRules, PaymentMethod, variances } from './schema.ts'
import type { AttemptStatus, PaymentStatus } from './states.ts'

export const payments = table('payments', {
  id: text<Id>(),
  reference: text(),
  amount: bigint(),
  currency: text<WalletCurrency>(),
  customer_id: nullable(text<Id>()),
  email: nullable(text()),
  description: nullable(text()),
  methods: texts<PaymentMethod>(),
  redirect_url: nullable(text()),
  cancel_url: nullable(text()),
  expires_at: time(),
  fee_bearer: text<(typeof feeBearers)[number]>(),
  on_mismatch: text<(typeof mismatchRules)[number]>(),
  slug: text(),
  status: text<PaymentStatus>(),
  method: defaulted(nullable(text<PaymentMethod>())),
  amount_received: defaulted(bigint()),
  amount_counted: defaulted(bigint()),
  variance: defaulted(nullable(text<(typeof variances)[number]>())),
  transaction_id: defaulted(nullable(text<Id>())),
  fee: defaulted(bigint()),
  amount_refunded: defaulted(bigint()),
  amount_refunding: defaulted(bigint()),
  amount_confirming: defaulted(bigint()),
  attempts: defaulted(integer()),
  failure_reason: defaulted(nullable(text())),
  paid_at: defaulted(nullable(time())),
  collection_id: nullable(text<Id>()),
  invoice_id: nullable(text<Id>()),
  begun: defaulted(boolean()),
  metadata: json<Record<string, unknown>>(),
  created_at: time(),
  updated_at: time(),
})
export type PaymentRow = RowOf<typeof payments>
export const columns = columnsOf(payments)

export const insertLink = sql(
  'payments.insert_link',
  'insert into pay_links (business_id, livemode, slug, kind, subject) values ($1, $2, $3, $4, $5)',
)

export const selectById = sql<PaymentRow>(
  'payments.select_by_id',
  `select ${columns} from payments where business_id = $1 and livemode = $2 and id = $3`,
)

export const selectByReference = sql<PaymentRow>(
  'payments.select_by_reference',
  `select ${columns} from payments where business_id = $1 and livemode = $2 and reference = $3`,
)

export const lockById = sql<PaymentRow>(
  'payments.lock_by_id',
  `select ${columns} from payments where business_id = $1 and livemode = $2 and id = $3 for no key update`,
)

/** `id` is made with the form: the same form sent twice is one attempt. */
export const attempts = table('payment_attempts', {
  id: text<Id>(),
  payment_id: text<Id>(),
  status: text<AttemptStatus>(),
  rail: text(),
  amount: bigint(),
  brand: text(),
  last4: text(),
  failure_reason: defaulted(nullable(text())),
  provider_reference: defaulted(nullable(text())),
  transaction_id: defaulted(nullable(text<Id>())),
  created_at: time(),
  updated_at: time(),
})
export type CardAttemptRow = RowOf<typeof attempts>
const attemptColumns = columnsOf(attempts)

export const lockAttempt = sql<CardAttemptRow>(
  'payments.lock_attempt',
  `select ${attemptColumns} from payment_attempts
    where business_id = $1 and livemode = $2 and id = $3 for no key update`,
)

export const selectAttempt = sql<CardAttemptRow>(
  'payments.select_attempt',
  `select ${attemptColumns} from payment_attempts where business_id = $1 and livemode = $2 and id = $3`,
)

export const countAttemptsSince = sql<{ count: bigint }>(
  'payments.count_attempts_since',
  `select count(*) as count from payment_attempts
    where business_id = $1 and livemode = $2 and payment_id = $3 and created_at > $4`,
)

/** The attempt that is active, if any. */
export const selectActiveAttempt = sql<CardAttemptRow>(
  'payments.select_active_attempt',
  `select ${attemptColumns} from payment_attempts
    where business_id = $1 and livemode = $2 and payment_id = $3 and status in ('processing', 'challenge')`,
)

export const selectLatestAttempt = sql<CardAttemptRow>(
  'payments.select_latest_attempt',
  `select ${attemptColumns} from payment_attempts
    where business_id = $1 and livemode = $2 and payment_id = $3 order by created_at desc, id desc limit 1`,
)

/** Nobody will answer these any more. */
export const giveUpChallenges = sql<{ id: Id }>(
  'payments.give_up_challenges',
  `update payment_attempts set status = 'failed', failure_reason = 'not_completed', updated_at = $4
    where business_id = $1 and livemode = $2 and payment_id = $3 and status = 'challenge'
   returning id`,
)

/** `created_at` is the time of the rate. */
export const quotes = table('payment_crypto_quotes', {
  payment_id: text<Id>(),
  currency: text<CryptoCurrency>(),
  network: text(),
  address: text(),
  amount: bigint(),
  due: bigint(),
  rate: text(),
  created_at: time(),
})
export type CryptoQuoteRow = RowOf<typeof quotes>

/** What is due, or the rate, may have changed since the token was chosen before. */
export const replaceQuote = `(business_id, livemode, payment_id, currency)
  do update set network = excluded.network, address = excluded.address, amount = excluded.amount, due = excluded.due,
                rate = excluded.rate, created_at = excluded.created_at`

export const selectCryptoQuotes = sql<CryptoQuoteRow>(
  'payments.select_crypto_quotes',
  `select ${columnsOf(quotes)} from payment_crypto_quotes
    where business_id = $1 and livemode = $2 and payment_id = $3 order by created_at desc`,
)

/** A text that changes whenever anything a payer sees of a payment has changed. */
export const selectVersions = sqlOfMany<{ id: Id; version: string }>(
  'payments.select_versions',
  `select p.id,
          concat_ws('.', p.status, p.amount_received, p.amount_counted, p.amount_refunding, p.amount_refunded,
                    p.amount_confirming, p.attempts,
                    p.begun, (select a.status from payment_attempts a
                               where a.business_id = p.business_id and a.livemode = p.livemode and a.payment_id = p.id
                               order by a.created_at desc, a.id desc limit 1)) as version
     from payments p
     join ${rowsOf('business_id text, livemode boolean, id text')} as key
          using (business_id, livemode, id)`,
)

export type LinkRow = { business_id: Id; livemode: boolean; kind: 'payment' | 'collection'; subject: Id }

/** The one statement that starts from a slug: whose data everything after it is about follows from it. */
export const selectLink = sqlOfAll<LinkRow>(
  'payments.select_link',
  'select business_id, livemode, kind, subject from pay_links where slug = $1',
)
