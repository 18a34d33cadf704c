/**
 * Verifies the ledger's invariants: recomputes balances from the last opening balances and later
 * postings, or from all of history.
 */
import type { Check } from '../../core/module.ts'
import type { Database } from '../../db/db.ts'
import { type Reach, reachOf } from '../../db/lists/reach.ts'
import { latestClosing } from './closing.ts'

/** A violated invariant: where, and the expected and found values. */
export type Difference = {
  check: string
  business_id: string
  livemode: boolean
  what: string
  expected: string
  found: string
}

/** Selects the postings from both sides: each account with its debit or credit. */
const sidesOf = (postings: string): string => `(
         select business_id, livemode, credit_account as account, position, 0 as debit, amount as credit from ${postings} p
         union all
         select business_id, livemode, debit_account, position, amount, 0 from ${postings} p) sides`

/** Joins the account `a` with its latest opening balance up to the closing, as `o`. */
const joinOpening = ({ closing }: Reach): string => `
        left join lateral (select debits, credits, postings from opening_balances
                            where business_id = a.business_id and livemode = a.livemode and account = a.id
                              and position <= ${closing?.position ?? -1n}
                            order by position desc limit 1) o on true`

export const ledgerChecks: Check[] = [
  {
    name: 'every balance is the sum of its postings',
    text: (reach) => `
      with moved as (
        select business_id, livemode, account, sum(credit - debit) as amount from ${sidesOf(reach.postings)}
         group by business_id, livemode, account)
      select a.business_id, a.livemode, concat_ws(' ', a.purpose, a.currency, nullif(a.subject, '')) as what,
             e.amount::text as expected, a.balance::text as found
        from ledger_accounts a
        left join moved m on m.business_id = a.business_id and m.livemode = a.livemode and m.account = a.id ${joinOpening(reach)}
       cross join lateral (select coalesce(o.credits - o.debits, 0) + coalesce(m.amount, 0) as amount) e
       where a.balance <> e.amount`,
  },
  {
    name: 'every posting is between accounts of its business, in their currency',
    text: (reach) => `
      select p.business_id, p.livemode, 'posting ' || p.id as what, p.currency as expected,
             coalesce(d.currency, 'missing') || ', ' || coalesce(c.currency, 'missing') as found
        from ${reach.postings} p
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
  {
    // Only the first difference of an account: later balances build on it.
    name: 'every opening balance is the sum of the postings before it',
    ofHistory: true,
    text: `
      with closings as materialized (select array_agg(position order by position) as positions from ledger_closings),
      moved as (
        select business_id, livemode, account, (select positions from closings)[closing + 1] as position,
               sum(debit) as debits, sum(credit) as credits, count(*) as postings
          from ${sidesOf('ledger_postings')}
         cross join lateral (
               select width_bucket(coalesce(position, -1), (select positions from closings)) as closing) closed
         group by business_id, livemode, account, closing),
      summed as (
        select business_id, livemode, account, position, sum(debits) over before as debits, sum(credits) over before as credits,
               sum(postings) over before as postings
          from moved where position is not null
        window before as (partition by business_id, livemode, account order by position))
      select distinct on (f.business_id, f.livemode, f.account) f.business_id, f.livemode,
             concat_ws(' ', a.purpose, a.currency, nullif(a.subject, ''), 'at', c.position, 'of', c.closed_at) as what,
             f.expected, f.found
        from (select business_id, livemode, account, position,
                     concat_ws(' / ', coalesce(s.debits, 0), coalesce(s.credits, 0), coalesce(s.postings, 0)) as expected,
                     concat_ws(' / ', coalesce(o.debits, 0), coalesce(o.credits, 0), coalesce(o.postings, 0)) as found
                from summed s full join opening_balances o using (business_id, livemode, account, position)
               where (s.debits, s.credits, s.postings) is distinct from (o.debits, o.credits, o.postings)) f
        join ledger_closings c on c.position = f.position
        left join ledger_accounts a on a.business_id = f.business_id and a.livemode = f.livemode and a.id = f.account
       order by f.business_id, f.livemode, f.account, f.position`,
  },
]

/**
 * Counts accounts and postings. Postings before the closing were counted at the closing, once per
 * side.
 */
const sizeOf = (reach: Reach): string => `
      select (select count(*) from ledger_accounts) as accounts,
             (select count(*) from ${reach.postings} p)
             + (select coalesce(sum(o.postings), 0)::bigint / 2 from ledger_accounts a ${joinOpening(reach)}) as postings`

/** @param whole reads all of history instead of the part since the last closing */
type Asked = {
  whole?: boolean
  /** Called before each check with the number of finished checks, its name and the total. */
  before?(done: number, name: string, total: number): Promise<void>
}

/** Returns the checks to run: some need all of history. */
export const checksOf = (checks: readonly Check[], whole: boolean): Check[] =>
  checks.filter(({ ofHistory }) => whole || !ofHistory)

/**
 * Runs checks, each in its own statement. Before the first closing, all of history is read in any
 * case.
 * @returns all differences, and the numbers of accounts and postings
 */
export async function verify(
  db: Database,
  checks: readonly Check[],
  { whole = false, before }: Asked = {},
): Promise<{
  differences: Difference[]
  accounts: bigint
  postings: bigint
  closed_at: Date | null
}> {
  const differences: Difference[] = []
  const closing = await latestClosing(db)
  const reach = reachOf(whole ? null : closing)
  const made = checksOf(checks, reach.closing === null)
  for (const [done, check] of made.entries()) {
    await before?.(done, check.name, made.length)
    const text = typeof check.text === 'string' ? check.text : check.text(reach)
    const rows = await db.query<Omit<Difference, 'check'>>(text)
    differences.push(...rows.map((row) => ({ check: check.name, ...row })))
  }
  const [size] = await db.query<{ accounts: bigint; postings: bigint }>(sizeOf(reach))
  const { accounts = 0n, postings = 0n } = size ?? {}
  return { differences, accounts, postings, closed_at: reach.closing?.closed_at ?? null }
}
