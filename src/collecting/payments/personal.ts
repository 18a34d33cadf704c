import { type PersonalPart, recordsOf } from '../../core/personal.ts'
import { sql } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'

const own = recordsOf({
  table: 'payments',
  hidden: ['slug', 'amount_counted', 'amount_refunding', 'begun'],
  needs: {
    where: `status = 'pending'`,
    says: (id) => `Payment '${id}' is pending: cancel it (POST /payments/${id}/cancel), or wait for its end.`,
  },
  emails: 'email, payer_email',
  empties: { set: 'email = null, payer_email = null', where: 'email is not null or payer_email is not null' },
})

/** Payments of nobody, whose payer has given an e-mail address that the customer has. */
const eraseUnnamed = sql<{ id: Id }>(
  'payments.erase_unnamed',
  `update payments set email = null, payer_email = null
    where business_id = $1 and livemode = $2 and lower(email) = any (select lower(unnest($3::text[])))
      and email is not null and customer_id is null and status <> 'pending'
   returning id`,
)

/** What payments say of who pays. */
export const personalPayments: PersonalPart = {
  ...own,
  async erase(work, known) {
    await own.erase?.(work, known)
    if (known.emails.length === 0) return
    const unnamed = await work.rows(eraseUnnamed, [known.emails])
    known.payments.push(...unnamed.map(({ id }) => id))
  },
}
