/**
 * Customers: who pays. Other rooms ask here who a customer is and whether an identity is verified.
 */
import { type Ctx, inTransaction, reader } from '../../core/context.ts'
import { isSqlError, type Tx } from '../../db/db.ts'
import { listPage, type PageOf } from '../../db/list.ts'
import { refuse, refuseInput } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'
import type { Static } from '../../lib/schema.ts'
import {
  type Customer,
  type CustomerIn,
  type CustomerQuery,
  type CustomerUpdate,
  type KycStatus,
  maxNameLength,
} from './schema.ts'
import * as statements from './sql.ts'
import { termsOf, wordsOf } from './words.ts'

/** A customer as other rooms know it. */
export type KnownCustomer = { id: Id; name: string; email: string; kyc: KycStatus }

/**
 * Creates a customer.
 * @throws {Refusal} `validation_failed` without a name and without the parts of one; `duplicate_reference` (409)
 */
export async function create(ctx: Ctx, input: Static<typeof CustomerIn>): Promise<Customer> {
  const { businessId, livemode, now } = ctx.scope
  const { first_name: first = null, last_name: last = null, reference = null } = input
  const name = input.name ?? joinName(first, last)
  const id = newId(now)
  return inTransaction(ctx, async (tx) => {
    const row = await tx.row(statements.insertCustomer, [
      businessId,
      livemode,
      id,
      reference,
      name,
      first,
      last,
      input.email,
      input.phone ?? null,
      input.type ?? 'individual',
      input.address ? toJson(input.address) : null,
      toJson(input.metadata ?? {}),
      now,
    ])
    if (!row) duplicateReference(reference)
    await tx.rows(statements.insertWords, [businessId, livemode, id, wordsOf(row)])
    return row
  })
}

/** The customers of the business and mode, newest first; deleted ones are left out. */
export function list(ctx: Ctx, query: Static<typeof CustomerQuery>): Promise<PageOf<Customer>> {
  const { businessId, livemode } = ctx.scope
  return listPage<statements.CustomerRow>(
    reader(ctx),
    {
      table: 'customers',
      columns: statements.columns,
      business: businessId,
      livemode,
      where: 'deleted_at is null',
      filters: [
        [statements.hasEmail, query.email],
        [statements.hasWords, query.search === undefined ? undefined : termsOf(query.search)],
      ],
    },
    query,
  )
}

/**
 * One customer.
 * @throws {Refusal} `not_found`
 */
export async function get(ctx: Ctx, id: string): Promise<Customer> {
  const { businessId, livemode } = ctx.scope
  return (await reader(ctx).row(statements.selectCustomer, [businessId, livemode, id])) ?? unknownCustomer(id)
}

/**
 * Changes the fields that are given. A changed part of the name makes the name anew of both, unless that is given too; without
 * any parts left it stays.
 * @throws {Refusal} `not_found`; `duplicate_reference` (409); `validation_failed` when one part is left to make the name of, or
 *   both make too long a one
 */
export async function update(ctx: Ctx, id: string, input: Static<typeof CustomerUpdate>): Promise<Customer> {
  const { businessId, livemode, now } = ctx.scope
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, ctx, id)
    const merged = { ...before, ...input }
    const { first_name: first, last_name: last } = merged
    const partsChange = first !== before.first_name || last !== before.last_name
    if (input.name === undefined && partsChange && (first !== null || last !== null))
      merged.name = joinName(first, last)
    let row: Customer | null
    try {
      row = await tx.row(statements.updateCustomer, [
        businessId,
        livemode,
        id,
        merged.reference,
        merged.name,
        merged.first_name,
        merged.last_name,
        merged.email,
        merged.phone,
        merged.type,
        merged.address ? toJson(merged.address) : null,
        toJson(merged.metadata),
        now,
      ])
    } catch (error) {
      if (!isSqlError(error, '23505', 'customers_reference')) throw error
      duplicateReference(merged.reference)
    }
    if (!row) throw new Error('the locked customer was not changed')
    if (row.name !== before.name || row.email !== before.email) {
      await tx.rows(statements.deleteWords, [businessId, livemode, id])
      await tx.rows(statements.insertWords, [businessId, livemode, id, wordsOf(row)])
    }
    return row
  })
}

/**
 * Deletes a customer: it reads as not found from now on, its reference is free, and its records stay.
 * @throws {Refusal} `not_found`
 */
export async function remove(ctx: Ctx, id: string): Promise<void> {
  const { businessId, livemode, now } = ctx.scope
  await inTransaction(ctx, async (tx) => {
    const row = await tx.row(statements.deleteCustomer, [businessId, livemode, id, now])
    if (!row) unknownCustomer(id)
    await tx.rows(statements.deleteWords, [businessId, livemode, id])
  })
}

/** The customer of that id, or null when there is none or it is deleted. */
export async function findCustomer(ctx: Ctx, id: string): Promise<KnownCustomer | null> {
  const { businessId, livemode } = ctx.scope
  const row = await reader(ctx).row(statements.selectCustomer, [businessId, livemode, id])
  return row && { id: row.id, name: row.name, email: row.email, kyc: row.kyc_status }
}

/** Whether a customer, not deleted, has a verified identity document of any of these types. */
export async function hasVerifiedIdentity(ctx: Ctx, customerId: string, types: readonly string[]): Promise<boolean> {
  const { businessId, livemode } = ctx.scope
  const row = await reader(ctx).row(statements.selectHasVerified, [businessId, livemode, customerId, types])
  return row?.found ?? false
}

/**
 * Reads a customer and holds it until the transaction ends: others who change it or its documents wait.
 * @throws {Refusal} `not_found`
 */
export async function lock(tx: Tx, { scope }: Ctx, id: string): Promise<Customer> {
  return (await tx.row(statements.lockCustomer, [scope.businessId, scope.livemode, id])) ?? unknownCustomer(id)
}

/** @throws {Refusal} `validation_failed` without one of the parts, and when they make too long a name */
function joinName(first: string | null, last: string | null): string {
  if (first === null || last === null)
    refuseInput([{ path: 'name', message: 'name is required, or first_name and last_name', location: 'body' }])
  const name = `${first} ${last}`
  if (name.length > maxNameLength)
    refuseInput([
      {
        path: 'last_name',
        message: `first_name and last_name together must be at most ${maxNameLength - 1} characters`,
        location: 'body',
      },
    ])
  return name
}

function duplicateReference(reference: string | null): never {
  refuse('duplicate_reference', `A customer with the reference '${reference}' exists already.`)
}

function unknownCustomer(id: string): never {
  refuse('not_found', `There is no customer '${id}'.`)
}
