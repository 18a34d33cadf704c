import type { Work } from '../../core/inside.ts'
import type { PersonalPart } from '../../core/personal.ts'
import { sql } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'

/** The hits without names and values; hits of limit rules have no personal data. */
const hitsWithout = `(select jsonb_agg(case hit ->> 'matched' when 'limit' then hit else hit || '{"value": "erased"}' end)
                       from jsonb_array_elements(r.hits) hit)`
const hasSomething = `(r.note is not null or r.hits @? '$[*] ? (@.matched != "limit" && @.value != "erased")')`

/** Erases payers' data from reviews of deposits that are no longer held. */
const emptied = (where: string): string => `
  update screening_reviews r
     set note = null, hits = ${hitsWithout}
    from transactions t
   where r.business_id = $1 and r.livemode = $2 and r.kind = 'deposit'
     and t.business_id = r.business_id and t.livemode = r.livemode and t.id = r.subject and t.status <> 'pending' and ${where}
     and ${hasSomething}`

const eraseOfCustomer = sql('screening.erase_of_customer', emptied('t.customer_id = $3'))
const eraseOfPayments = sql(
  'screening.erase_of_payments',
  emptied(`t.customer_id is null and t.related ->> 'payment' = any ($3::text[])`),
)

/** The same for ended refunds to an account or an address, and for payouts of refunds elsewhere. */
const emptiedOfRefunds = (where: string): string => `
  update screening_reviews r set note = null, hits = ${hitsWithout}
    from refunds f
   where r.business_id = $1 and r.livemode = $2 and r.kind in ('refund', 'payout')
     and f.business_id = r.business_id and f.livemode = r.livemode and r.subject in (f.id, f.payout_id)
     and f.status <> 'initiated' and ${where} and ${hasSomething}`

const eraseRefundsOfCustomer = sql(
  'screening.erase_refunds_of_customer',
  emptiedOfRefunds('f.customer_id = $3'),
)
const eraseRefundsOfPayments = sql(
  'screening.erase_refunds_of_payments',
  emptiedOfRefunds('f.customer_id is null and f.payment_id = any ($3::text[])'),
)

/** Personal data in reviews of payers and of refund recipients. */
export const personalReviews: PersonalPart = {
  name: 'screening_reviews',
  async erase(work, { id, payments }) {
    for (const statement of [eraseOfCustomer, eraseRefundsOfCustomer])
      await work.rows(statement, [id])
    if (payments.length > 0) await erasePayers(work, payments)
  },
  erasePayers,
}

async function erasePayers(work: Work, payments: Id[]): Promise<void> {
  for (const statement of [eraseOfPayments, eraseRefundsOfPayments])
    await work.rows(statement, [payments])
}
