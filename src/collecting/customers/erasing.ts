/**
 * Erasure and export of what is kept of a customer as a person. The customer's row and its copies
 * in rows that change are emptied, and its key is destroyed, under which copies stand in rows that
 * never change; what is money stays.
 */

import { recordChange } from '../../books/audit/audit.ts'
import type { App } from '../../core/app.ts'
import { inside, type View, type Work } from '../../core/inside.ts'
import type { Task } from '../../core/module.ts'
import type { Ctx } from '../../core/outside.ts'
import type { Known, PersonalPart } from '../../core/personal.ts'
import { transaction } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import { emailSpellings } from '../../lib/email.ts'
import { Refusal } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import type { PeriodicTask } from '../../lib/periodic.ts'
import type { Static } from '../../lib/schema.ts'
import { destroyKey, rewriteEvents } from '../../platform/customer-keys/customer-keys.ts'
import { emit } from '../../platform/events/events.ts'
import { enqueue, schedule } from '../../platform/jobs/timers.ts'
import { erasureEvents } from './events.ts'
import { refuse } from './refusals.ts'
import type { CustomerData, CustomerErasure } from './schema.ts'
import * as statements from './sql.ts'

declare module '../../core/app.ts' {
  interface Strategies {
    /** What modules keep of customers as people. */
    personal: readonly PersonalPart[]
  }
}

type Erasure = Static<typeof CustomerErasure>

/** Empties again what was written meanwhile; the name is stored with jobs that wait. */
const forgetTask = 'customers.forget'

/** No transaction that had read the customer before it was erased writes later than this. */
const settledMs = 10 * 60_000

/**
 * Erases what is kept of a customer as a person, for good. The records of its money stay, with
 * amounts, times and ids; it reads as not found. Again, it changes nothing.
 * @throws {Refusal} `not_found`; `customer_in_use` (409) while something is open that needs the
 * customer
 */
export async function erase(work: Work, customerId: string): Promise<Erasure> {
  const { now, livemode } = work.scope
  // Whoever makes something for the customer holds the row: what was made until now is seen below,
  // and nothing is made after it.
  const row = await work.row(statements.lockWhole, [customerId])
  if (!row) refuse('not_found', `There is no customer '${customerId}'.`)
  if (row.erased_at !== null) return { id: row.id, livemode, erased_at: row.erased_at }
  await refuseNeeded(work, row.id)
  const known = await knownOf(work, row)
  await forget(work, known)
  await work.rows(statements.emptyCustomer, [row.id, now])
  await work.rows(statements.deleteWords, [row.id])
  await destroyKey(work, row.id, known.payments)
  await enqueue(work, [{ task: forgetTask, subject: row.id, payload: { customer_id: row.id } }])
  await schedule(work, {
    task: forgetTask,
    subject: row.id,
    dueAt: later(now, settledMs),
    payload: { customer_id: row.id },
  })
  await recordChange(work, {
    action: 'customer.erased',
    subject: row.id,
    before: null,
    after: { erased_at: now },
  })
  const record = { id: row.id, livemode, erased_at: now }
  await emit(work, erasureEvents, 'customer.erased', {
    ...record,
    metadata: {},
    created_at: row.created_at,
    updated_at: now,
  })
  return record
}

/** @throws {Refusal} `customer_in_use` */
async function refuseNeeded(work: Work, id: Id): Promise<void> {
  for (const part of work.strategies.personal) {
    const needed = await part.needs?.(work, id)
    if (needed) refuse('customer_in_use', `${needed} Then erase the customer.`)
  }
  const [pending] = (await work.rows(statements.selectDocuments, [id])).filter(
    ({ status }) => status === 'pending',
  )
  if (pending)
    refuse(
      'customer_in_use',
      `The ${pending.id_type} of the customer is being verified: wait for its end. Then erase the customer.`,
    )
}

async function knownOf(work: Work, row: statements.WholeRow): Promise<Known> {
  const { name, first_name, last_name, phone, reference, address } = row
  const texts = [name, first_name, last_name, phone, reference, address?.line1]
  return {
    id: row.id,
    emails: await emailsOf(work, row.id, row.email),
    payments: [],
    // Of less, any text could have it in it.
    values: texts.filter((text): text is string => typeof text === 'string' && text.length >= 3),
  }
}

async function emailsOf(view: View, id: Id, own: string): Promise<string[]> {
  const found = new Set<string>()
  const add = (email: string): void => {
    if (email !== '') for (const spelling of [email, ...emailSpellings(email)]) found.add(spelling)
  }
  add(own)
  for (const part of view.strategies.personal)
    for (const email of (await part.emails?.(view, id)) ?? []) add(email)
  return [...found]
}

/** Empties the copies. */
async function forget(work: Work, known: Known): Promise<void> {
  for (const part of work.strategies.personal) await part.hold?.(work, known)
  for (const part of work.strategies.personal) await part.erase?.(work, known)
  await work.rows(statements.deleteDocuments, [known.id])
  await work.rows(statements.emptyAtProviders, [known.id])
}

/**
 * Empties what was written for a customer since it was erased: money that came to an account of its
 * tells who sent it.
 */
async function forgetAgain(work: Work, id: Id): Promise<void> {
  const known = { id, emails: await emailsOf(work, id, ''), values: [], payments: [] }
  await forget(work, known)
  await destroyKey(work, id, known.payments)
}

export const erasureTasks: Record<string, Task> = {
  async [forgetTask](ctx, payload) {
    const id = payload.customer_id as Id
    await ctx.write((work) => forgetAgain(work, id))
    await rewriteEvents(ctx, id)
    // What endpoints answered to those events is found by them.
    await ctx.write((work) => forgetAgain(work, id))
  },
}

const erasedAtOnce = 100

/** The periodic task that empties what has come for customers since they were erased. */
export const forgetErasedTask = (app: App): PeriodicTask => ({
  name: 'forget erased customers',
  everyMs: 6 * 3_600_000,
  async run() {
    let last: statements.ErasedRow = { business_id: '' as Id, livemode: false, id: '' as Id }
    for (;;) {
      const erased = await app.db.rows(statements.selectErased, [
        last.business_id,
        last.livemode,
        last.id,
        erasedAtOnce,
      ])
      for (const { business_id: businessId, livemode, id } of erased) {
        await app.prices.upTo(app.clock.now())
        await transaction(app.db, (tx) =>
          forgetAgain(inside(app, tx, { businessId, livemode, now: app.clock.now() }), id),
        )
      }
      if (erased.length < erasedAtOnce) return
      last = erased.at(-1) as statements.ErasedRow
    }
  },
})

/**
 * The periodic task that erases customers who were deleted `DELETED_CUSTOMERS_KEEP` ago. Those that
 * something open needs wait for its end.
 */
export const forgetDeletedTask = (app: App): PeriodicTask => ({
  name: 'erase deleted customers',
  everyMs: 3_600_000,
  async run() {
    const { config, clock, db } = app
    if (config.DELETED_CUSTOMERS_KEEP === 0) return
    const before = later(clock.now(), -config.DELETED_CUSTOMERS_KEEP)
    let last = { deleted_at: new Date(0), id: '' as Id }
    for (;;) {
      const deleted = await db.rows(statements.selectDeleted, [
        last.deleted_at,
        last.id,
        before,
        erasedAtOnce,
      ])
      for (const { business_id: businessId, livemode, id } of deleted) {
        await app.prices.upTo(clock.now())
        const scope = { businessId, livemode, now: clock.now() }
        await transaction(db, (tx) => erase(inside(app, tx, scope), id)).catch((error: unknown) => {
          if (!(error instanceof Refusal)) throw error
        })
      }
      if (deleted.length < erasedAtOnce) return
      last = deleted.at(-1) as (typeof deleted)[number]
    }
  },
})

/** So many records of a kind are exported. */
const mostRecords = 5_000

/**
 * What is kept of a customer, a deleted one too: the row, and the newest 5,000 records of each kind
 * as they are kept.
 * @throws {Refusal} `not_found`, also of one that is erased
 */
export async function exportData(
  ctx: Ctx,
  customerId: string,
): Promise<Static<typeof CustomerData>> {
  const row = await ctx.row(statements.selectWithDeleted, [customerId])
  if (!row || row.erased_at !== null) refuse('not_found', `There is no customer '${customerId}'.`)
  const { deleted_at, erased_at: _erased, ...customer } = row
  const records: Record<string, Record<string, unknown>[]> = {}
  const cut: string[] = []
  const emails = await emailsOf(ctx, row.id, row.email)
  for (const part of ctx.strategies.personal) {
    if (!part.records) continue
    const found = await part.records(ctx, { id: row.id, emails }, mostRecords)
    if (found.length > mostRecords) cut.push(part.name)
    records[part.name] = found.slice(0, mostRecords)
  }
  return {
    exported_at: ctx.scope.now,
    customer: { ...customer, deleted_at },
    identity_documents: await ctx.rows(statements.selectDocuments, [row.id]),
    records,
    cut,
  }
}
