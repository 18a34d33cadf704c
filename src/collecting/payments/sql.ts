import { rowsOf, sql } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import type { CryptoCurrency, WalletCurrency } from '../../lib/money.ts'
import type { feeBearers, mismatchRules, PaymentMethod, variances } from './schema.ts'
import type { AttemptStatus, PaymentStatus } from './states.ts'

export type PaymentRow = {
  id: Id
  livemode: boolean
  reference: string
  amount: bigint
  currency: WalletCurrency
  customer_id: Id | null
  email: string | null
  description: string | null
  methods: PaymentMethod[]
  redirect_url: string | null
  cancel_url: string | null
  expires_at: Date
  fee_bearer: (typeof feeBearers)[number]
  on_mismatch: (typeof mismatchRules)[number]
  slug: string
  status: PaymentStatus
  method: PaymentMethod | null
  amount_received: bigint
  amount_counted: bigint
  variance: (typeof variances)[number] | null
  transaction_id: Id | null
  fee: bigint
  amount_refunded: bigint
  amount_refunding: bigint
  amount_confirming: bigint
  attempts: number
  failure_reason: string | null
  paid_at: Date | null
  collection_id: Id | null
  invoice_id: Id | null
  begun: boolean
  metadata: Record<string, unknown>
  created_at: Date
  updated_at: Date
}

export const columns = `id, livemode, reference, amount, currency, customer_id, email, description, methods, redirect_url,
  cancel_url, expires_at, fee_bearer, on_mismatch, slug, status, method, amount_received, amount_counted, variance,
  transaction_id, fee, amount_refunded, amount_refunding, amount_confirming, attempts, failure_reason, paid_at,
  collection_id, invoice_id, begun, metadata, created_at, updated_at`

export const insertPayment = sql<PaymentRow>(
  'payments.insert',
  `insert into payments (business_id, livemode, id, reference, amount, currency, customer_id, email, description, methods,
                         redirect_url, cancel_url, expires_at, fee_bearer, on_mismatch, slug, status, collection_id,
                         invoice_id, metadata, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, 'pending', $17, $18, $19, $20, $20)
   on conflict (business_id, livemode, reference) do nothing
   returning ${columns}`,
)

export const insertLink = sql(
  'payments.insert_link',
  'insert into pay_links (slug, business_id, livemode, kind, subject) values ($1, $2, $3, $4, $5)',
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

/** Everything about a payment that can change. The caller has locked the row. */
export const updatePayment = sql<PaymentRow>(
  'payments.update',
  `update payments
      set status = $4, method = $5, amount_received = $6, amount_counted = $7, variance = $8, transaction_id = $9, fee = $10,
          amount_refunded = $11, amount_refunding = $12, attempts = $13, failure_reason = $14, paid_at = $15, begun = $16,
          amount_confirming = $17, updated_at = $18
    where business_id = $1 and livemode = $2 and id = $3
   returning ${columns}`,
)

export type AttemptRow = {
  id: Id
  payment_id: Id
  status: AttemptStatus
  rail: string
  amount: bigint
  brand: string
  last4: string
  failure_reason: string | null
  transaction_id: Id | null
  created_at: Date
  updated_at: Date
}

const attemptColumns = `id, payment_id, status, rail, amount, brand, last4, failure_reason, transaction_id, created_at,
  updated_at`

export const insertAttempt = sql<AttemptRow>(
  'payments.insert_attempt',
  `insert into payment_attempts (business_id, livemode, id, payment_id, status, rail, amount, brand, last4, created_at,
                                 updated_at)
   values ($1, $2, $3, $4, 'processing', $5, $6, $7, $8, $9, $9)
   on conflict do nothing
   returning ${attemptColumns}`,
)

export const lockAttempt = sql<AttemptRow>(
  'payments.lock_attempt',
  `select ${attemptColumns} from payment_attempts
    where business_id = $1 and livemode = $2 and id = $3 for no key update`,
)

export const selectAttempt = sql<AttemptRow>(
  'payments.select_attempt',
  `select ${attemptColumns} from payment_attempts where business_id = $1 and livemode = $2 and id = $3`,
)

export const countTriesSince = sql<{ count: bigint }>(
  'payments.count_tries_since',
  `select count(*) as count from payment_attempts
    where business_id = $1 and livemode = $2 and payment_id = $3 and created_at > $4`,
)

/** The try that is open, if any. */
export const selectOpenAttempt = sql<AttemptRow>(
  'payments.select_open_attempt',
  `select ${attemptColumns} from payment_attempts
    where business_id = $1 and livemode = $2 and payment_id = $3 and status in ('processing', 'challenge')`,
)

export const selectLatestAttempt = sql<AttemptRow>(
  'payments.select_latest_attempt',
  `select ${attemptColumns} from payment_attempts
    where business_id = $1 and livemode = $2 and payment_id = $3 order by created_at desc, id desc limit 1`,
)

export const updateAttempt = sql<AttemptRow>(
  'payments.update_attempt',
  `update payment_attempts
      set status = $4, failure_reason = $5, provider_reference = coalesce($6, provider_reference),
          transaction_id = coalesce($7, transaction_id), updated_at = $8
    where business_id = $1 and livemode = $2 and id = $3
   returning ${attemptColumns}`,
)

/** Nobody will answer these any more. */
export const giveUpChallenges = sql<{ id: Id }>(
  'payments.give_up_challenges',
  `update payment_attempts set status = 'failed', failure_reason = 'not_completed', updated_at = $4
    where business_id = $1 and livemode = $2 and payment_id = $3 and status = 'challenge'
   returning id`,
)

export type CryptoQuoteRow = {
  payment_id: Id
  currency: CryptoCurrency
  network: string
  address: string
  amount: bigint
  due: bigint
  rate: string
  created_at: Date
}

const quoteColumns = 'payment_id, currency, network, address, amount, due, rate, created_at'

/** What is due, or the rate, may have changed since the token was chosen before. `created_at` is the time of the rate. */
export const upsertCryptoQuote = sql<CryptoQuoteRow>(
  'payments.upsert_crypto_quote',
  `insert into payment_crypto_quotes as known (business_id, livemode, payment_id, currency, network, address, amount, due,
                                               rate, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   on conflict (business_id, livemode, payment_id, currency)
     do update set network = excluded.network, address = excluded.address, amount = excluded.amount, due = excluded.due, rate = excluded.rate,
                   created_at = excluded.created_at
   returning ${quoteColumns}`,
)

export const selectCryptoQuotes = sql<CryptoQuoteRow>(
  'payments.select_crypto_quotes',
  `select ${quoteColumns} from payment_crypto_quotes
    where business_id = $1 and livemode = $2 and payment_id = $3 order by created_at desc`,
)

/** A text that changes whenever anything a payer sees of a payment has changed. */
export const selectVersions = sql<{ id: Id; version: string }>(
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

/** The one statement that starts from a slug: it tells whose data everything after it is about. */
export const selectLink = sql<LinkRow>(
  'payments.select_link',
  'select business_id, livemode, kind, subject from pay_links where slug = $1',
)
