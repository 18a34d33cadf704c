import type { App } from '../../core/app.ts'
import { inside } from '../../core/inside.ts'
import { type PersonalPart, recordsOf } from '../../core/personal.ts'
import { sql, sqlOfAll, transaction } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import type { Id } from '../../lib/ids.ts'
import type { PeriodicTask } from '../../lib/periodic.ts'

const own = recordsOf({
  table: 'payments',
  hidden: ['slug', 'amount_counted', 'amount_refunding', 'begun'],
  needs: {
    where: `status = 'pending'`,
    says: (id) =>
      `Payment '${id}' is pending: cancel it (POST /payments/${id}/cancel), or wait for its end.`,
  },
  emails: 'email, payer_email',
  empties: {
    set: 'email = null, payer_email = null',
    where: 'email is not null or payer_email is not null',
  },
})

/** Erases payers of payments without a customer by the customer's email addresses. */
const eraseUnnamed = sql<{ id: Id }>(
  'payments.erase_unnamed',
  `update payments set email = null, payer_email = null
    where business_id = $1 and livemode = $2 and lower(email) = any (select lower(unnest($3::text[])))
      and email is not null and customer_id is null and status <> 'pending'
   returning id`,
)

/** Payers' personal data in payments. */
export const personalPayments: PersonalPart = {
  ...own,
  async erase(work, known) {
    await own.erase?.(work, known)
    if (known.emails.length === 0) return
    const unnamed = await work.rows(eraseUnnamed, [known.emails])
    known.payments.push(...unnamed.map(({ id }) => id))
  },
}

const forgottenAtOnce = 500

type OldPayment = { business_id: Id; livemode: boolean; id: Id }

/** The oldest payments, of any business, that name a payer. */
const selectOldPayers = sqlOfAll<OldPayment>(
  'payments.select_old_payers',
  `select business_id, livemode, id from payments
    where customer_id is null and (email is not null or payer_email is not null) and status <> 'pending' and created_at < $1
    order by created_at limit $2`,
)

/**
 * Payments whose transactions still name a payer: the money came late, was held for review, or came
 * without an email address.
 */
const selectOldSources = sqlOfAll<OldPayment>(
  'payments.select_old_sources',
  `select t.business_id, t.livemode, p.id
     from transactions t
     join payments p on p.business_id = t.business_id and p.livemode = t.livemode and p.id = t.related ->> 'payment'
    where t.type = 'payment' and t.customer_id is null and t.source is not null and t.status <> 'pending' and t.created_at < $1
      and p.customer_id is null and p.status <> 'pending'
    order by t.created_at limit $2`,
)

/** Skips payments that another process has locked. */
const emptyPayers = sql<{ id: Id }>(
  'payments.empty_payers',
  `with free as (
     select id from payments
      where business_id = $1 and livemode = $2 and id = any ($3::text[]) and customer_id is null and status <> 'pending'
      order by id for update skip locked
   )
   update payments p set email = null, payer_email = null from free
    where p.business_id = $1 and p.livemode = $2 and p.id = free.id
   returning p.id`,
)

/**
 * Returns the periodic task that erases payers from payments without a customer, and from their
 * dependent records, after `PAYERS_KEEP`.
 */
export const forgetPayersTask = (app: App): PeriodicTask => ({
  name: 'forget payers',
  everyMs: 3_600_000,
  async run() {
    const { config, clock } = app
    if (config.PAYERS_KEEP === 0) return
    const before = later(clock.now(), -config.PAYERS_KEEP)
    for (const statement of [selectOldPayers, selectOldSources])
      while ((await forgetSome(app, statement, before)) === forgottenAtOnce);
  },
})

async function forgetSome(
  app: App,
  statement: typeof selectOldPayers,
  before: Date,
): Promise<number> {
  const { clock, db, strategies } = app
  await app.prices.upTo(clock.now())
  return transaction(db, async (tx) => {
    const found = await tx.rows(statement, [before, forgottenAtOnce])
    let count = 0
    for (const own of Map.groupBy(found, (one) => `${one.business_id} ${one.livemode}`).values()) {
      const [{ business_id: businessId, livemode }] = own as [(typeof own)[number]]
      const work = inside(app, tx, { businessId, livemode, now: clock.now() })
      const asked = [...new Set(own.map(({ id }) => id))]
      for (const part of strategies.personal) await part.holdPayers?.(work, asked)
      const ids = (await work.rows(emptyPayers, [asked])).map(({ id }) => id)
      for (const part of strategies.personal) await part.erasePayers?.(work, ids)
      count += ids.length
    }
    // Payments that another process has locked are left for a later run.
    return count < new Set(found.map(({ id }) => id)).size ? 0 : found.length
  })
}
