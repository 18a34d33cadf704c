/**
 * What the sandbox's card scheme, whose books are not ours, has charged; what came besides; and
 * what must have gone back of it.
 */
import type { Database } from './database.ts'
import { expectRefund, type Model, touched } from './model.ts'
import { expectStarted } from './payers.ts'
import { type Asking, ask, type Json } from './requests.ts'
import type { Tally } from './tally.ts'

type Payment = {
  id: string
  status: string
  on_mismatch: string
  /**
   * What it may keep where it is to send back the rest, and what it keeps of that: without the fee,
   * where that came on top.
   */
  may_keep: string
  keeps: string
  received: string
  counted: string
  charges: string
  charged: string
  by_card: string
  transfers: string
  sent_back: string
}

const payments = `
  with charged as (
    select a.payment_id as id, count(*) as charges, sum(a.amount) as charged
      from sandbox_charges c join payment_attempts a on a.business_id = c.business_id and not a.livemode and a.id = c.id
     where c.business_id = $1 and c.state = 'charged' and c.outcome = 'succeeded' group by 1),
  came as (
    select related->>'payment' as id, sum(amount) filter (where method = 'card') as by_card,
           count(*) filter (where method = 'bank_transfer') as transfers
      from transactions where business_id = $1 and not livemode and type = 'payment' and status = 'completed' group by 1),
  back as (
    select payment_id as id, sum(amount) as sent_back from refunds where business_id = $1 and not livemode and automatic group by 1)
  select p.id, p.status, p.on_mismatch,
         case when p.status = 'completed' then p.amount else 0 end as may_keep,
         p.amount_counted - case when p.fee_bearer = 'customer' then p.fee else 0 end as keeps, p.amount_received as received, p.amount_counted as counted,
         coalesce(charges, 0) as charges, coalesce(charged, 0) as charged, coalesce(by_card, 0) as by_card,
         coalesce(transfers, 0) as transfers, coalesce(sent_back, 0) as sent_back
    from payments p left join charged using (id) left join came using (id) left join back using (id)
   where p.business_id = $1 and not p.livemode`

/**
 * What nobody was answered: payments that were started by a link, and what payments sent back by
 * themselves.
 */
export async function learn(database: Database, model: Model, asking: Asking): Promise<void> {
  const get = (path: string): Promise<{ data: Json }> => ask(asking, 'GET', path)
  for (const id of model.links) await expectStarted(model, get, id)
  model.links.clear()
  const automatic = await database.ask<{ id: string }>(
    'select id from refunds where business_id = $1 and livemode = $2 and automatic',
    [model.id, model.livemode],
  )
  for (const { id } of automatic) {
    if (model.records.has(id)) continue
    expectRefund(model, (await get(`/refunds/${id}`)).data)
    touched(model, id).ends.add('failed')
  }
}

/** Before records are looked at: some of them are learned of here. */
export async function judgeCharges(
  database: Database,
  model: Model,
  asking: Asking,
  tally: Tally,
): Promise<void> {
  if (model.livemode) return
  await learn(database, model, asking)
  const found = await database.ask<Payment>(payments, [model.id])
  for (const one of found) {
    const wrong = (what: string): void =>
      tally.finding('charged', `${model.name}: payment ${one.id} (${one.status}) ${what}`)
    const {
      charges,
      charged,
      by_card,
      received,
      counted,
      sent_back,
      transfers,
      on_mismatch,
      keeps,
      may_keep,
    } = one
    if (Number(charges) > 1) wrong(`was charged by ${charges} cards`)
    if (BigInt(charged) !== BigInt(by_card))
      wrong(`was charged ${charged} by card, and ${by_card} of it is booked`)
    if (BigInt(received) - BigInt(counted) !== BigInt(sent_back))
      wrong(`received ${received}, of which ${counted} count, and sent ${sent_back} back`)
    if (on_mismatch === 'reverse' && BigInt(keeps) !== BigInt(may_keep))
      wrong(`keeps ${keeps}, and was to keep ${may_keep} and send back the rest`)
    const sent = model.sent.get(one.id)
    if (sent && (Number(transfers) < sent.surely || Number(transfers) > sent.surely + sent.perhaps))
      wrong(
        `was sent ${sent.surely} transfers, and perhaps ${sent.perhaps} more, and has ${transfers}`,
      )
  }
  const strange = await database.ask<{ id: string }>(
    `select c.id from sandbox_charges c
      where c.business_id = $1 and c.outcome <> 'not_taken'
        and not exists (select from payment_attempts a where a.business_id = c.business_id and not a.livemode and a.id = c.id)`,
    [model.id],
  )
  for (const { id } of strange)
    tally.finding('charged', `${model.name}: the scheme has ${id}, which is no try of ours`)
  tally.check('payments at the card scheme', found.length)
}
