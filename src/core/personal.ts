/**
 * The personal data that a module keeps of a customer: export, erasure, and what prevents erasure.
 */
import { sql } from '../db/db.ts'
import type { Id } from '../lib/ids.ts'
import type { View, Work } from './inside.ts'

/** The customer to export or erase, as far as it is still known. */
export type Known = {
  id: Id
  /** Current email addresses, and those that earlier records of the customer have. */
  emails: string[]
  /** Texts that would identify the customer: names, addresses, telephone numbers. */
  values: string[]
  /** Payments without a customer that match by email address. The payments module adds them. */
  payments: Id[]
}

export type PersonalPart = {
  /** The name of the records in an export. */
  name: string
  /**
   * Returns why the customer cannot be erased yet: the first open record and what to do about it.
   * Null: nothing.
   */
  needs?(view: View, customer: Id): Promise<string | null>
  /** Returns email addresses of the customer in these records. */
  emails?(view: View, customer: Id): Promise<string[]>
  /** Returns the newest records as stored; one more than `most` if there are more. */
  records?(
    view: View,
    known: Pick<Known, 'id' | 'emails'>,
    most: number,
  ): Promise<Record<string, unknown>[]>
  /** Locks rows that the lock order places before payments. It runs before any module erases. */
  hold?(work: Work, known: Pick<Known, 'id' | 'emails'>): Promise<void>
  /** Locks the same kinds of rows for these payments, which have no customer. */
  holdPayers?(work: Work, payments: Id[]): Promise<void>
  /** Erases personal data. It is idempotent and runs again for records that were added later. */
  erase?(work: Work, known: Known): Promise<void>
  /** Erases payer details from the records of these payments, which have no customer. */
  erasePayers?(work: Work, payments: Id[]): Promise<void>
}

/**
 * Declares the personal data of a table with a `customer_id`. All fragments of SQL are constants.
 * @param hidden columns that an export leaves out
 * @param needs a condition for records that still need the customer, and what to do about such a
 * record
 * @param empties the `set` clause, the condition of rows with something to erase, and the column of
 * the payment for rows without a customer
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
