/**
 * What the provider of live cards has charged, refunded and had taken back, by its own books,
 * against what is booked of it.
 */
import { learn } from './charged.ts'
import type { Database } from './database.ts'
import { type CardPages, idIn } from './doubles/placed.ts'
import { expectDispute, type Model, touched } from './model.ts'
import { type Asking, ask, type Json } from './requests.ts'
import type { Tally } from './tally.ts'
import type { Shop, World } from './world.ts'

type Judging = {
  model: Model
  asking: Asking
  pages: CardPages[]
  database: Database
  tally: Tally
}

const listed = (amounts: bigint[]): string =>
  amounts
    .sort((a, b) => Number(a - b))
    .join(', ')
    .concat(amounts.length === 0 ? 'nothing' : '')

/** Which payment each attempt at the provider is of. */
async function attemptsOf({ database, model }: Judging): Promise<Map<string, string>> {
  const rows = await database.ask<{ id: string; payment_id: string }>(
    'select id, payment_id from payment_attempts where business_id = $1 and livemode',
    [model.id],
  )
  return new Map(rows.map(({ id, payment_id }) => [id, payment_id]))
}

/**
 * Each charge is booked once, and of its amount; what was charged ends its payment, and nothing
 * else does but time.
 */
async function judgeCharges(judging: Judging, attempts: Map<string, string>): Promise<void> {
  const { model, pages, database, tally } = judging
  const charged = new Map<string, bigint[]>()
  const paid = pages.flatMap(({ charges }) => charges())
  for (const { reference, amount } of paid) {
    const payment = attempts.get(idIn(reference))
    if (payment === undefined)
      tally.finding('charged', `the provider took ${reference}, which is no attempt of ours`)
    else charged.set(payment, [...(charged.get(payment) ?? []), BigInt(amount)])
  }
  const rows = await database.ask<{ payment: string; amount: string }>(
    `select related->>'payment' as payment, amount from transactions
      where business_id = $1 and livemode and type = 'payment' and status = 'completed'`,
    [model.id],
  )
  const booked = Map.groupBy(rows, ({ payment }) => payment)
  for (const [id, { kind, seen }] of model.records) {
    if (kind !== 'payment') continue
    const took = charged.get(id) ?? []
    const has = (booked.get(id) ?? []).map(({ amount }) => BigInt(amount))
    if (listed(took) !== listed(has))
      tally.finding(
        'charged',
        `payment ${id}: the provider took ${listed(took)}, and ${listed(has)} is booked`,
      )
    // Of what comes once it has expired no event tells.
    if (took.length > 0 && seen?.status !== 'completed')
      touched(model, id).ends = new Set(['completed', 'expired'])
    booked.delete(id)
  }
  for (const id of booked.keys()) tally.finding('charged', `payment ${id} is booked, and nobody's`)
  tally.check('charges at providers', paid.length)
}

/**
 * Each refund there is one of ours, of its amount and its payment; what we say is refunded was
 * refunded once, and nothing else.
 */
async function judgeRefunds(
  { model, pages, database, tally }: Judging,
  attempts: Map<string, string>,
): Promise<void> {
  const rows = await database.ask<{ id: string; status: string }>(
    'select id, status from refunds where business_id = $1 and livemode',
    [model.id],
  )
  const statuses = new Map(rows.map(({ id, status }) => [id, status]))
  const all = pages.flatMap(({ refunds }) => refunds())
  const there = Map.groupBy(all, ({ reference }) => idIn(reference))
  for (const [id, { kind, fields }] of model.records) {
    if (kind !== 'refund') continue
    const status = statuses.get(id)
    const of = there.get(id) ?? []
    const said = of.map(({ status, amount }) => `${amount} ${status}`).join(', ') || 'nothing'
    const wrong = (what: string): void =>
      tally.finding('refunded', `refund ${id} of ${fields.amount} is ${status}, and ${what}`)
    const done = of.filter(({ status }) => status === 'made')
    const live = of.filter(({ status }) => status !== 'failed')
    if (done.length !== (status === 'completed' ? 1 : 0) || live.length > 1)
      wrong(`the provider has ${said}`)
    if (of.some(({ amount }) => amount !== fields.amount)) wrong(`the provider has ${said}`)
    if (of.some((one) => attempts.get(idIn(one.of)) !== fields.payment))
      wrong('the provider has it of another payment')
    there.delete(id)
  }
  for (const id of there.keys())
    tally.finding('refunded', `the provider has refunded ${id}, which is no refund`)
  tally.check('refunds at providers', all.length)
}

/**
 * Each dispute there is one of ours, in its state, and none is ours that is not there. The model
 * learns of them from who has them.
 */
async function judgeDisputes(
  { model, asking, pages, tally }: Judging,
  attempts: Map<string, string>,
): Promise<void> {
  const all = pages.flatMap(({ disputes }) => disputes())
  const there = new Map(all.map((one) => [one.id, one]))
  for (let after = ''; ; ) {
    const { data } = await ask(asking, 'GET', `/disputes?limit=100${after}`)
    for (const record of data.docs as Json[]) {
      const one = there.get(record.provider_reference)
      if (one === undefined) {
        tally.finding('disputed', `dispute ${record.id} is none of the provider's`)
        continue
      }
      if (!model.records.has(record.id)) expectDispute(model, record)
      const [amount, payment] = [one.amount, attempts.get(idIn(one.of))]
      const expected = touched(model, record.id)
      Object.assign(expected.fields, { amount, payment })
      expected.ends = new Set([one.outcome ?? 'open'])
      there.delete(record.provider_reference)
    }
    if (!data.hasNextPage) break
    after = `&after=${data.docs.at(-1).id}`
  }
  for (const { id, amount } of there.values())
    tally.finding('disputed', `the provider has a dispute ${id} of ${amount}, which is not here`)
  tally.check('disputes at providers', all.length)
}

/** Before records are looked at: some of them are learned of here. */
export async function judgeLiveCards(
  world: World,
  { model, asking }: Shop,
  tally: Tally,
): Promise<void> {
  const { database, doubles } = world
  const judging = { model, asking, database, tally, pages: Object.values(doubles.pages) }
  await learn(database, model, asking)
  const attempts = await attemptsOf(judging)
  await judgeCharges(judging, attempts)
  await judgeRefunds(judging, attempts)
  await judgeDisputes(judging, attempts)
}
