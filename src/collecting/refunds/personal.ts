import type { Work } from '../../core/inside.ts'
import { type PersonalPart, recordsOf } from '../../core/personal.ts'
import { sql } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'

const personal = `array['account_name', 'account_number', 'resolved_account_name', 'holder_address', 'address']`

/** Personal data in refunds' destinations. Keys of sources stay where they name no person. */
export const personalRefunds = recordsOf({
  table: 'refunds',
  hidden: ['way', 'submissions'],
  needs: {
    where: `status = 'initiated'`,
    says: (id) => `Refund '${id}' is on its way: wait for its end.`,
  },
  emails: 'email',
  empties: {
    set: `email = null,
          destination = case when jsonb_exists(destination, 'sender') then jsonb_set(destination, '{sender}', '{}')
                             else destination - ${personal} end,
          way = case when way like 'bank %' or way like 'crypto %' then 'erased' else way end`,
    where: `status <> 'initiated' and (email is not null or jsonb_exists_any(destination, ${personal})
            or destination -> 'sender' <> '{}' or way like 'bank %' or way like 'crypto %')`,
    ofPayment: 'payment_id',
  },
})

const ofRefund = `o.business_id = r.business_id and o.livemode = r.livemode and o.id = r.payout_id`

const selectPayouts = sql<{ record: Record<string, unknown> }>(
  'refunds.select_payouts_of_customer',
  `select to_jsonb(o) - '{business_id,rail,submissions,account_key}'::text[] as record
     from refunds r join payouts o on ${ofRefund}
    where r.business_id = $1 and r.livemode = $2 and r.customer_id = $3 order by o.id desc limit $4`,
)

/** Also deletes warnings, which may quote the holder's name. */
const emptyPayouts = (where: string): string => `
  update payouts o set destination = o.destination - ${personal}, warnings = '[]'
    from refunds r
   where r.business_id = $1 and r.livemode = $2 and ${where} and r.status <> 'initiated' and ${ofRefund}
     and jsonb_exists_any(o.destination, ${personal})`

const erasePayoutsOfCustomer = sql(
  'refunds.erase_payouts_of_customer',
  emptyPayouts('r.customer_id = $3'),
)
const erasePayoutsOfPayments = sql(
  'refunds.erase_payouts_of_payments',
  emptyPayouts('r.customer_id is null and r.payment_id = any ($3::text[])'),
)

const holdPayouts = (where: string): string => `
  select from payouts o join refunds r on ${ofRefund}
   where r.business_id = $1 and r.livemode = $2 and ${where} and jsonb_exists_any(o.destination, ${personal})
   order by o.id for no key update of o`

const holdPayoutsOfCustomer = sql(
  'refunds.hold_payouts_of_customer',
  holdPayouts('r.customer_id = $3'),
)
const selectUnnamed = sql<{ id: Id }>(
  'refunds.select_unnamed',
  `select id from payments
    where business_id = $1 and livemode = $2 and lower(email) = any (select lower(unnest($3::text[]))) and customer_id is null`,
)
const holdPayoutsOfPayments = sql(
  'refunds.hold_payouts_of_payments',
  holdPayouts('r.customer_id is null and r.payment_id = any ($3::text[])'),
)

/** Personal data in payouts that pay refunds. No other payout belongs to a customer. */
export const personalPayouts: PersonalPart = {
  name: 'payouts',
  async records(view, { id }, most) {
    return (await view.rows(selectPayouts, [id, most + 1])).map(({ record }) => record)
  },
  async hold(work, { id, emails }) {
    await work.rows(holdPayoutsOfCustomer, [id])
    const unnamed = emails.length > 0 ? await work.rows(selectUnnamed, [emails]) : []
    await holdPayers(
      work,
      unnamed.map((payment) => payment.id),
    )
  },
  holdPayers,
  async erase(work, { id, payments }) {
    await work.rows(erasePayoutsOfCustomer, [id])
    if (payments.length > 0) await erasePayers(work, payments)
  },
  erasePayers,
}

async function holdPayers(work: Work, payments: Id[]): Promise<void> {
  if (payments.length > 0) await work.rows(holdPayoutsOfPayments, [payments])
}

async function erasePayers(work: Work, payments: Id[]): Promise<void> {
  await work.rows(erasePayoutsOfPayments, [payments])
}
