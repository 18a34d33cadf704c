/**
 * What a module keeps of a customer as a person: whether it needs the customer still, how it is
 * shown in an export, and how it is emptied. The module of customers asks all of them.
 */
import { sql } from '../db/db.ts'
import type { Id } from '../lib/ids.ts'
import type { View, Work } from './inside.ts'

/** Whom an erasure is about, as far as it is still known. */
export type Known = {
  id: Id
  /** E-mail addresses that it has, or had when something was made for it. */
  emails: string[]
  /** Texts by which it would be found: names, addresses, telephone numbers. */
  values: string[]
  /**
   * Payments of nobody that were found by its e-mail addresses: the module of payments adds them.
   */
  payments: Id[]
}

export type PersonalPart = {
  /** What the records are called in an export. */
  name: string
  /** The first record that needs the customer still, and what to do about it; null: none. */
  needs?(view: View, customer: Id): Promise<string | null>
  /** E-mail addresses of the customer that the records have. */
  emails?(view: View, customer: Id): Promise<string[]>
  /** The newest records as they are kept, one more than `most` where there are more. */
  records?(
    view: View,
    known: Pick<Known, 'id' | 'emails'>,
    most: number,
  ): Promise<Record<string, unknown>[]>
  /**
   * Locks rows that whoever changes them locks before payments: called before anything is emptied.
   */
  hold?(work: Work, known: Pick<Known, 'id' | 'emails'>): Promise<void>
  /** The same of rows that are of these payments, which are of no customer. */
  holdPayers?(work: Work, payments: Id[]): Promise<void>
  /** Empties what is personal. Runs again and again: also later, for what came meanwhile. */
  erase?(work: Work, known: Known): Promise<void>
  /** Empties what records of these payments, which are of no customer, say of who paid. */
  erasePayers?(work: Work, payments: Id[]): Promise<void>
}

/**
 * Records of a table that have a `customer_id`.
 * @param hidden columns that are left out of an export; constants of the caller's, as the others
 * @param needs a condition of those that need the customer still, and what to do about the record
 * of an id
 * @param empties what `set` sets, the condition of rows that have something to empty, and what
 * names the payment that a row of nobody is of
 */
export function recordsOf(of: {
  table: string
  name?: string
  where?: string
  hidden?: string[]
  needs?: { where: string; says(id: Id): string }
  emails?: string
  empties?: { set: string; where: string; ofPayment?: string }
}): PersonalPart {
  const { table, name = table, hidden = [], needs, emails, empties } = of
  const own = `business_id = $1 and livemode = $2 and customer_id = $3 ${of.where ?? ''}`
  const selectRecords = sql<{ record: Record<string, unknown> }>(
    `personal.select_${table}`,
    `select to_jsonb(t) - array[${['business_id', ...hidden].map((column) => `'${column}'`).join(', ')}] as record
       from ${table} t where ${own} order by id desc limit $4`,
  )
  const selectNeeds =
    needs &&
    sql<{ id: Id }>(
      `personal.needs_${table}`,
      `select id from ${table} where ${own} and ${needs.where} limit 1`,
    )
  const selectEmails =
    emails &&
    sql<{ email: string }>(
      `personal.emails_${table}`,
      `select distinct email from (select unnest(array[${emails}]) as email from ${table} where ${own}) t where email is not null`,
    )
  const empty =
    empties &&
    sql(
      `personal.erase_${table}`,
      `update ${table} set ${empties.set} where ${own} and (${empties.where})`,
    )
  const emptyOfPayments =
    empties?.ofPayment &&
    sql(
      `personal.erase_${table}_of_payments`,
      `update ${table} set ${empties.set}
        where business_id = $1 and livemode = $2 and ${empties.ofPayment} = any ($3::text[]) and customer_id is null and (${empties.where})`,
    )
  return {
    name,
    async records(view, { id }, most) {
      return (await view.rows(selectRecords, [id, most + 1])).map(({ record }) => record)
    },
    ...(needs && selectNeeds
      ? {
          async needs(view: View, customer: Id) {
            const row = await view.row(selectNeeds, [customer])
            return row && needs.says(row.id)
          },
        }
      : {}),
    ...(selectEmails
      ? {
          emails: async (view: View, customer: Id) =>
            (await view.rows(selectEmails, [customer])).map(({ email }) => email),
        }
      : {}),
    ...(empty
      ? {
          async erase(work: Work, { id, payments }: Known) {
            await work.rows(empty, [id])
            if (emptyOfPayments && payments.length > 0) await work.rows(emptyOfPayments, [payments])
          },
        }
      : {}),
    ...(emptyOfPayments
      ? {
          async erasePayers(work: Work, payments: Id[]) {
            await work.rows(emptyOfPayments, [payments])
          },
        }
      : {}),
  }
}
