/**
 * Erases and exports a customer's personal data. Erasure empties the customer's row and copies in
 * mutable rows, and destroys the key of copies in immutable rows. Money records stay.
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
    /** The personal data of each module. */
    personal: readonly PersonalPart[]
  }
}

type Erasure = Static<typeof CustomerErasure>

/** Empties data written meanwhile. Queued jobs store this name. */
const forgetTask = 'customers.forget'

/** A transaction that read the customer before the erasure has ended by then. */
const settledMs = 10 * 60_000

/**
 * Erases a customer's personal data for good. Money records keep amounts, times and ids; the
 * customer is not found. Idempotent.
 * @throws {Refusal} `not_found`; `customer_in_use` (409) while an open record needs the customer
 */
export async function erase(work: Work, customerId: string): Promise<Erasure> {
  const { now, livemode } = work.scope
  // A transaction that creates a record for the customer locks the row: this one sees what was
  // created before, and nothing is created after.
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
    // A shorter value could occur in any text by chance.
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
 * Empties data written for a customer since its erasure: later money to one of its accounts names
 * its sender.
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
    // Again: the answers of endpoints are found by the rewritten events.
    await ctx.write((work) => forgetAgain(work, id))
  },
}

const erasedAtOnce = 100

/** The periodic task that empties data written since customers were erased. */
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
 * The periodic task that erases customers deleted `DELETED_CUSTOMERS_KEEP` ago. Customers that an
 * open record needs wait for its end.
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

/** The most exported records per kind. */
const mostRecords = 5_000

/**
 * Returns a customer's stored data, also after deletion: the row, and the newest 5,000 records of
 * each kind as stored.
 * @throws {Refusal} `not_found`, also for an erased customer
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
