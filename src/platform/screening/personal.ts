import type { PersonalPart } from '../../core/personal.ts'
import { sql } from '../../db/db.ts'

/** By whom or what a payer was found, of deposits that are not held any more. What the rules of limits say of is nobody's. */
const emptied = (where: string): string => `
  update screening_reviews r
     set note = null,
         hits = (select jsonb_agg(case hit ->> 'matched' when 'limit' then hit else hit || '{"value": "erased"}' end)
                   from jsonb_array_elements(r.hits) hit)
    from transactions t
   where r.business_id = $1 and r.livemode = $2 and r.kind = 'deposit'
     and t.business_id = r.business_id and t.livemode = r.livemode and t.id = r.subject and t.status <> 'pending' and ${where}
     and (r.note is not null or r.hits @? '$[*] ? (@.matched != "limit" && @.value != "erased")')`

const eraseOfCustomer = sql('screening.erase_of_customer', emptied('t.customer_id = $3'))
const eraseOfPayments = sql(
  'screening.erase_of_payments',
  emptied(`t.customer_id is null and t.related ->> 'payment' = any ($3::text[])`),
)

/** What lists had of who paid. */
export const personalReviews: PersonalPart = {
  name: 'screening_reviews',
  async erase(work, { id, payments }) {
    await work.rows(eraseOfCustomer, [id])
    if (payments.length > 0) await work.rows(eraseOfPayments, [payments])
  },
  async erasePayers(work, payments) {
    await work.rows(eraseOfPayments, [payments])
  },
}
