/**
 * Recomputes the books from the postings, and reports every difference.
 */
import type { Check } from '../../core/room.ts'
import type { Database } from '../../db/db.ts'

/** Something that does not agree: where, and what was expected and found. */
export type Difference = {
  check: string
  business_id: string
  livemode: boolean
  what: string
  expected: string
  found: string
}

export const ledgerChecks: Check[] = [
  {
    name: 'every balance is the sum of its postings',
    text: `
      with moved as (
        select business_id, livemode, account, sum(amount) as amount
          from (select business_id, livemode, credit_account as account, amount from ledger_postings
                union all
                select business_id, livemode, debit_account, -amount from ledger_postings) sides
         group by business_id, livemode, account)
      select a.business_id, a.livemode, concat_ws(' ', a.purpose, a.currency, nullif(a.subject, '')) as what,
             coalesce(m.amount, 0)::text as expected, a.balance::text as found
        from ledger_accounts a
        left join moved m on m.business_id = a.business_id and m.livemode = a.livemode and m.account = a.id
       where a.balance <> coalesce(m.amount, 0)`,
  },
  {
    name: 'every posting is between accounts of its business, in their currency',
    text: `
      select p.business_id, p.livemode, 'posting ' || p.id as what, p.currency as expected,
             coalesce(d.currency, 'missing') || ', ' || coalesce(c.currency, 'missing') as found
        from ledger_postings p
        left join ledger_accounts d
          on d.business_id = p.business_id and d.livemode = p.livemode and d.id = p.debit_account
        left join ledger_accounts c
          on c.business_id = p.business_id and c.livemode = p.livemode and c.id = p.credit_account
       where d.currency is distinct from p.currency or c.currency is distinct from p.currency`,
  },
  {
    name: 'the balances of a currency sum to zero',
    text: `
      select business_id, livemode, currency as what, '0' as expected, sum(balance)::text as found
        from ledger_accounts group by business_id, livemode, currency having sum(balance) <> 0`,
  },
]

/**
 * Runs checks, each in a statement of its own.
 * @param before is told of each check how many are done, and its name
 * @returns every difference, and how many rows of books were looked at
 */
export async function verify(
  db: Database,
  checks: readonly Check[],
  before?: (done: number, name: string) => Promise<void>,
): Promise<{ differences: Difference[]; accounts: bigint; postings: bigint }> {
  const differences: Difference[] = []
  for (const [done, check] of checks.entries()) {
    await before?.(done, check.name)
    const rows = await db.query<Omit<Difference, 'check'>>(check.text)
    differences.push(...rows.map((row) => ({ check: check.name, ...row })))
  }
  const [size] = await db.query<{ accounts: bigint; postings: bigint }>(
    'select (select count(*) from ledger_accounts) as accounts, (select count(*) from ledger_postings) as postings',
  )
  return { differences, accounts: size?.accounts ?? 0n, postings: size?.postings ?? 0n }
}
