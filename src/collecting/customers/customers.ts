/**
 * Customers: who pays. Other modules ask here who a customer is and whether an identity is
 * verified.
 */

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
export { customerRefusals } from './refusals.ts'

/** A customer as other modules know it. */
export type KnownCustomer = Pick<
  Customer,
  'name' | 'first_name' | 'last_name' | 'email' | 'phone'
> & {
  id: Id
  kyc: KycStatus
}

/**
 * Creates a customer.
 * @throws {Refusal} `validation_failed` without a name and without the parts of one;
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

/** The customers of the business and mode, newest first; deleted ones are left out. */
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
        await named(ctx, text),
        matchReference(text, 'customers'),
        matchId(text),
        { each: 'phone = ?', values: [text.replaceAll(/[\s().-]/g, '')] },
      ]),
    ],
  })
}

/** What customers are called, by their ids; deleted ones are left out. */
export async function customerNames(
  view: View,
  ids: readonly Id[],
): Promise<ReadonlyMap<Id, string>> {
  return new Map((await view.rows(statements.selectNames, [ids])).map(({ id, name }) => [id, name]))
}

/**
 * Records of customers with an email address, deleted ones too. @throws {Refusal}
 * `search_too_broad`
 */
export async function ofCustomersWith(view: View, email: string): Promise<Match> {
  const rows = await view.rows(statements.selectByEmail, [emailSpellings(email), mostCustomers + 1])
  return recordsOf(rows, `customers have the email address '${email}'`)
}

/**
 * Records of the customers that a search finds by their names and addresses. @throws {Refusal}
 * `search_too_broad`
 */
export async function ofCustomersNamed(view: View, search: string): Promise<Match> {
  const sought = await soughtWords(view, search)
  if (sought === null) return recordsOf([], '')
  const rows = await view.rows(statements.selectByWords, [
    sought.few,
    sought.others,
    mostCustomers + 1,
  ])
  return recordsOf(rows, `customers match '${search}'`)
}

/** The records of so many customers are looked at. */
const mostCustomers = 1_000

function recordsOf(rows: { id: Id }[], words: string): Match {
  if (rows.length > mostCustomers) refuseTooBroad(words, mostCustomers)
  return { each: 'customer_id = ?', values: rows.map(({ id }) => id) }
}

/** Customers by their words. */
async function named(view: View, search: string): Promise<Match> {
  const sought = await soughtWords(view, search)
  if (sought === null) return matchId('')
  const { few, others } = sought
  return {
    all: statements.hasWords,
    by: 'id',
    values: [few, others],
    words: `customers match '${search}'`,
  }
}

/** The search reads the words of so many terms; the rest are looked for among what it finds. */
const mostTerms = 5

/**
 * A term with which so many words begin is read beside a rarer one: cheaper than to look at each
 * customer of that for it.
 */
const mostWords = 5 * maxSearchRows

/**
 * What a search asks for, by how many words begin with it: customers are found by the terms that
 * few do.
 * @returns null when there is none
 * @throws {Refusal} `search_too_broad`
 */
async function soughtWords(
  view: View,
  search: string,
): Promise<{ few: string[]; others: string[] } | null> {
  const terms = termsOf(search).sort((a, b) => b.length - a.length)
  if (terms.length === 0) return null
  const counted = await view.rows(statements.countWords, [terms.slice(0, mostTerms), mostWords + 1])
  const few = counted.filter(({ rows }) => rows <= mostWords).map(({ term }) => term)
  if (!counted.some(({ rows }) => rows <= maxSearchRows))
    refuseTooBroad(`words of customers begin with ${terms.map((term) => `'${term}'`).join(' or ')}`)
  return { few, others: terms.filter((term) => !few.includes(term)) }
}

/**
 * One customer.
 * @throws {Refusal} `not_found`
 */
export async function get(view: View, id: string): Promise<Customer> {
  return (await view.row(statements.selectCustomer, [id])) ?? unknownCustomer(id)
}

/**
 * Changes the fields that are given. A changed part of the name makes the name anew of both, unless
 * that is given too; without any parts left it stays.
 * @throws {Refusal} `not_found`; `duplicate_reference` (409); `validation_failed` when one part is
 * left to make the name of, or
 *   both make too long a one
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
  // All of them, also those that stay: else there would be a statement for each choice of fields.
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
 * Deletes a customer: it reads as not found from now on, its reference is free, and its records
 * stay.
 * @returns the customer as it was last
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

/** Returns the address that a customer has now, or null once it is deleted. Locks nothing. */
export async function addressOf(view: View, id: string): Promise<string | null> {
  return (await view.row(statements.selectCustomer, [id]))?.email ?? null
}

/**
 * The customer of that id, or null when there is none or it is deleted. In a transaction, it is not
 * erased before that ends.
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
 * The customer that a request names.
 * @throws {Refusal} `customer_not_found`
 */
export async function requireCustomer(view: View, id: string): Promise<KnownCustomer> {
  return (
    (await findCustomer(view, id)) ?? refuse('customer_not_found', `There is no customer '${id}'.`)
  )
}

/** Whether a customer, not deleted, has a verified identity document of any of these types. */
export async function hasVerifiedIdentity(
  view: View,
  customerId: string,
  types: readonly string[],
): Promise<boolean> {
  const row = await view.row(statements.selectHasVerified, [customerId, types])
  return row?.found ?? false
}

/** The types of documents of a customer that are verified. */
export async function verifiedTypes(view: View, customerId: Id): Promise<string[]> {
  const rows = await view.rows(statements.selectDocuments, [customerId])
  return rows.filter(({ status }) => status === 'verified').map(({ id_type }) => id_type)
}

/**
 * Reads a customer and holds it until the transaction ends: others who change it or its documents
 * wait.
 * @throws {Refusal} `not_found`
 */
export async function lock(work: Work, id: string): Promise<Customer> {
  return (await work.row(statements.lockCustomer, [id])) ?? unknownCustomer(id)
}

/**
 * @throws {Refusal} `validation_failed` without one of the parts, and when they make too long a
 * name
 */
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
