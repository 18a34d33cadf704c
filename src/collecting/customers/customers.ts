/** Customers who pay, and whether their identity is verified. */

import { recordAct } from '../../books/audit/audit.ts'
import { rangeOf } from '../../books/profiles/profiles.ts'
import { insert, update as updateRow, type View, type Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { isSqlError } from '../../db/db.ts'
import { listPage, type Match, type PageOf } from '../../db/lists/list.ts'
import { matchEmail, matchesOfText, matchId, matchReference } from '../../db/lists/matches.ts'
import { maxSearchRows, refuseTooBroad } from '../../db/lists/search.ts'
import { emailSpellings, tidyEmail } from '../../lib/email.ts'
import { refuseInput } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import type { Static } from '../../lib/schema.ts'
import { makeKey } from '../../platform/customer-keys/customer-keys.ts'
import { refuse } from './refusals.ts'
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

export { forgetDeletedTask, forgetErasedTask } from './erasing.ts'
export { findIdentityRail } from './identity-rail.ts'
export { customerRefusals } from './refusals.ts'

/** A customer's fields for other modules. */
export type KnownCustomer = Pick<
  Customer,
  'name' | 'first_name' | 'last_name' | 'email' | 'phone'
> & {
  id: Id
  kyc: KycStatus
}

/**
 * Creates a customer.
 * @throws {Refusal} `validation_failed` without `name` and without both of its parts;
 * `duplicate_reference` (409)
 */
export async function create(work: Work, input: Static<typeof CustomerIn>): Promise<Customer> {
  const { now } = work.scope
  const { first_name: first = null, last_name: last = null, reference = null } = input
  const name = input.name ?? joinName(first, last)
  const row = await insert(
    work,
    statements.customers,
    {
      id: newId(now),
      reference,
      name,
      first_name: first,
      last_name: last,
      email: tidyEmail(input.email),
      phone: input.phone ?? null,
      type: input.type ?? 'individual',
      address: input.address ?? null,
      metadata: input.metadata ?? {},
      created_at: now,
      updated_at: now,
    },
    statements.freeReference,
  )
  if (!row) refuseDuplicate(reference)
  await work.rows(statements.insertWords, [row.id, wordsOf(row)])
  await makeKey(work, row.id)
  return row
}

/** Lists the customers of the business and mode, newest first, without deleted ones. */
export async function list(
  ctx: Ctx,
  query: Static<typeof CustomerQuery>,
): Promise<PageOf<Customer>> {
  return listPage<statements.CustomerRow>(ctx, statements.customers, query, {
    where: 'deleted_at is null',
    ...(await rangeOf(ctx, query)),
    searches: [
      query.reference === undefined ? undefined : [matchReference(query.reference, 'customers')],
      query.email === undefined ? undefined : [matchEmail(query.email)],
      await matchesOfText(query.search, async (text) => [
        await matchByWords(ctx, text),
        matchReference(text, 'customers'),
        matchId(text),
        { each: 'phone = ?', values: [text.replaceAll(/[\s().-]/g, '')] },
      ]),
    ],
  })
}

/** Returns the names of customers by their ids, without deleted ones. */
export async function customerNames(
  view: View,
  ids: readonly Id[],
): Promise<ReadonlyMap<Id, string>> {
  return new Map((await view.rows(statements.selectNames, [ids])).map(({ id, name }) => [id, name]))
}

/**
 * Returns the match for records of customers with an email address, deleted ones included. @throws
 * {Refusal} `search_too_broad`
 */
export async function ofCustomersWith(view: View, email: string): Promise<Match> {
  const rows = await view.rows(statements.selectByEmail, [emailSpellings(email), mostCustomers + 1])
  return recordsOf(rows, `customers have the email address '${email}'`)
}

/**
 * Returns the match for records of customers whose name or address a search finds. @throws
 * {Refusal} `search_too_broad`
 */
export async function ofCustomersNamed(view: View, search: string): Promise<Match> {
  const sought = await soughtWords(view, search)
  if (sought === null) return recordsOf([], '')
  const rows = await view.rows(statements.selectByWords, [
    sought.rareTerms,
    sought.otherTerms,
    mostCustomers + 1,
  ])
  return recordsOf(rows, `customers match '${search}'`)
}

/** The most customers whose records a search covers. */
const mostCustomers = 1_000

function recordsOf(rows: { id: Id }[], words: string): Match {
  if (rows.length > mostCustomers) refuseTooBroad(words, mostCustomers)
  return { each: 'customer_id = ?', values: rows.map(({ id }) => id) }
}

/** Returns the match for customers found by words. */
async function matchByWords(view: View, search: string): Promise<Match> {
  const sought = await soughtWords(view, search)
  if (sought === null) return matchId('')
  const { rareTerms, otherTerms } = sought
  return {
    all: statements.hasWords,
    by: 'id',
    values: [rareTerms, otherTerms],
    words: `customers match '${search}'`,
  }
}

/** The most terms that the index is read for; the others filter what it finds. */
const mostTerms = 5

/**
 * A term with at least this many matching words only filters the matches of a rarer term, because
 * reading its matches from the index costs more.
 */
const mostWords = 5 * maxSearchRows

/**
 * Splits a search's terms by how many words start with each: the rarest find customers, the others
 * filter.
 * @returns null without any term
 * @throws {Refusal} `search_too_broad`
 */
async function soughtWords(
  view: View,
  search: string,
): Promise<{ rareTerms: string[]; otherTerms: string[] } | null> {
  const terms = termsOf(search).sort((a, b) => b.length - a.length)
  if (terms.length === 0) return null
  const counted = await view.rows(statements.countWords, [terms.slice(0, mostTerms), mostWords + 1])
  const rareTerms = counted.filter(({ rows }) => rows <= mostWords).map(({ term }) => term)
  if (!counted.some(({ rows }) => rows <= maxSearchRows))
    refuseTooBroad(`words of customers begin with ${terms.map((term) => `'${term}'`).join(' or ')}`)
  return { rareTerms, otherTerms: terms.filter((term) => !rareTerms.includes(term)) }
}

/**
 * Returns a customer.
 * @throws {Refusal} `not_found`
 */
export async function get(view: View, id: string): Promise<Customer> {
  return (await view.row(statements.selectCustomer, [id])) ?? unknownCustomer(id)
}

/**
 * Changes the given fields. A changed part of the name rebuilds `name` from both parts, unless
 * `name` is given too; without any part, it stays.
 * @throws {Refusal} `not_found`; `duplicate_reference` (409); `validation_failed` when only one
 * part is left to build the name from, or both are too long together
 */
export async function update(
  work: Work,
  id: string,
  input: Static<typeof CustomerUpdate>,
): Promise<Customer> {
  const {
    id: _id,
    livemode: _mode,
    kyc_status: _status,
    created_at: _made,
    ...before
  } = await lock(work, id)
  // All columns, unchanged ones too: otherwise each choice of fields would be another statement.
  const changed = {
    ...before,
    ...input,
    email: tidyEmail(input.email ?? before.email),
    updated_at: work.scope.now,
  }
  const { first_name: first, last_name: last } = changed
  const partsChange = first !== before.first_name || last !== before.last_name
  if (input.name === undefined && partsChange && (first !== null || last !== null))
    changed.name = joinName(first, last)
  let row: Customer
  try {
    row = await updateRow(work, statements.customers, id, changed)
  } catch (error) {
    if (!isSqlError(error, '23505', 'customers_reference')) throw error
    refuseDuplicate(changed.reference)
  }
  if (row.name !== before.name || row.email !== before.email) {
    await work.rows(statements.deleteWords, [id])
    await work.rows(statements.insertWords, [id, wordsOf(row)])
  }
  return row
}

/**
 * Deletes a customer: from now on it is not found and its reference is free. Its records stay.
 * @returns its last state
 * @throws {Refusal} `not_found`
 */
export async function remove(work: Work, id: string): Promise<Customer> {
  const row =
    (await work.row(statements.deleteCustomer, [id, work.scope.now])) ?? unknownCustomer(id)
  await work.rows(statements.deleteWords, [id])
  const about = { deleted: true }
  await recordAct(work, { action: 'customer.deleted', subject: row.id as Id, about })
  return row
}

/** Returns a customer's current address, or null if it is deleted. Locks nothing. */
export async function addressOf(view: View, id: string): Promise<string | null> {
  return (await view.row(statements.selectCustomer, [id]))?.email ?? null
}

/**
 * Returns a customer, or null if it does not exist or is deleted. In a transaction, it cannot be
 * erased before the end.
 */
export async function findCustomer(view: View | Work, id: string): Promise<KnownCustomer | null> {
  const row = await view.row('tx' in view ? statements.holdCustomer : statements.selectCustomer, [
    id,
  ])
  if (row === null) return null
  const { name, first_name, last_name, email, phone } = row
  return { id: row.id as Id, name, first_name, last_name, email, phone, kyc: row.kyc_status }
}

/**
 * Returns the customer that a request names.
 * @throws {Refusal} `customer_not_found`
 */
export async function requireCustomer(view: View, id: string): Promise<KnownCustomer> {
  return (
    (await findCustomer(view, id)) ?? refuse('customer_not_found', `There is no customer '${id}'.`)
  )
}

/**
 * Whether a customer that is not deleted has a verified identity document of any of these types.
 */
export async function hasVerifiedIdentity(
  view: View,
  customerId: string,
  types: readonly string[],
): Promise<boolean> {
  const row = await view.row(statements.selectHasVerified, [customerId, types])
  return row?.found ?? false
}

/** Returns the types of a customer's verified documents. */
export async function verifiedTypes(view: View, customerId: Id): Promise<string[]> {
  const rows = await view.rows(statements.selectDocuments, [customerId])
  return rows.filter(({ status }) => status === 'verified').map(({ id_type }) => id_type)
}

/**
 * Reads and locks a customer: concurrent changes of it or its documents wait.
 * @throws {Refusal} `not_found`
 */
export async function lock(work: Work, id: string): Promise<Customer> {
  return (await work.row(statements.lockCustomer, [id])) ?? unknownCustomer(id)
}

/** @throws {Refusal} `validation_failed` without one of the parts, or when the name is too long */
function joinName(first: string | null, last: string | null): string {
  if (first === null || last === null)
    refuseInput([
      { path: 'name', message: 'name is required, or first_name and last_name', location: 'body' },
    ])
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

function refuseDuplicate(reference: string | null): never {
  refuse('duplicate_reference', `A customer with the reference '${reference}' exists already.`)
}

function unknownCustomer(id: string): never {
  refuse('not_found', `There is no customer '${id}'.`)
}
