/**
 * The exchange position: the installation's net position per currency after all exchanges, and its
 * limit.
 */
import type { Scope } from '../../core/app.ts'
import type { Work } from '../../core/inside.ts'
import type { Queryable, Tx } from '../../db/db.ts'
import { type Currency, cryptoCurrencies, formatMoney, walletCurrencies } from '../../lib/money.ts'
import { recordOperatorChange } from '../audit/audit.ts'
import { operator } from '../ledger/ledger.ts'
import { refuse } from './refusals.ts'
import * as statements from './sql.ts'

export { exchangeRefusals } from './refusals.ts'
export { rateOrigin } from './schema.ts'

/** What an exchange takes from its target currency, in minor units. */
export type Taking = { scope: Pick<Scope, 'livemode'>; currency: Currency; amount: bigint }

const nameOf = ({ scope, currency }: Pick<Taking, 'scope' | 'currency'>) =>
  `${scope.livemode} ${currency}`

/**
 * Locks the limits of some currencies until the transaction ends. Lock order: limits before
 * wallets.
 * @returns the limits; without currencies, no statement is sent
 */
export async function openLimits(tx: Tx, wanted: Pick<Taking, 'scope' | 'currency'>[]) {
  const each = [...new Map(wanted.map((one) => [nameOf(one), one])).values()]
  const limits = each.length === 0 ? [] : await tx.rows(statements.lockLimits, parametersOf(each))
  const left = new Map<string, { most: bigint; balance: bigint }>()
  if (limits.length > 0) {
    const limited = limits.map(({ livemode, currency }) => ({ scope: { livemode }, currency }))
    // A separate statement after the lock, so that it sees what was committed meanwhile.
    for (const { livemode, currency, balance } of await tx.rows(
      statements.selectLeft,
      parametersOf(limited),
    )) {
      const limit = limits.find((one) => one.livemode === livemode && one.currency === currency)
      left.set(nameOf({ scope: { livemode }, currency }), {
        most: limit?.max_short as bigint,
        balance,
      })
    }
  }
  return {
    /** @throws {Refusal} `exchange_limit_exceeded` */
    refuseTooShort(taking: Taking): void {
      const limit = left.get(nameOf(taking))
      if (limit === undefined || limit.balance - taking.amount >= -limit.most) return
      const { currency, amount } = taking
      const more = limit.balance + limit.most > 0n ? limit.balance + limit.most : 0n
      refuse(
        'exchange_limit_exceeded',
        `The operator of this server exchanges into ${formatMoney(more, currency)} more for now; this needs ${formatMoney(amount, currency)}. Exchange less, or ask the operator.`,
        { left: Number(more) },
      )
    },
    /** Counts an accepted exchange, for later ones in the same transaction. */
    count(taking: Taking): void {
      const limit = left.get(nameOf(taking))
      if (limit !== undefined) limit.balance -= taking.amount
    },
  }
}

const parametersOf = (wanted: Pick<Taking, 'scope' | 'currency'>[]): unknown[] => [
  wanted.map(({ scope }) => scope.livemode),
  wanted.map(({ currency }) => currency),
]

/**
 * Returns the positions of all businesses together, by mode and currency, with their limits, in
 * minor units.
 */
export const positionsOf = (on: Queryable) => on.rows(statements.selectPositions)

/** The target currencies of exchanges. */
export const positionCurrencies = [...walletCurrencies, ...cryptoCurrencies] as const
export type PositionCurrency = (typeof positionCurrencies)[number]

/**
 * @property max_short the limit in minor units, for live mode and separately for test mode; null:
 * no limit
 */
export type LimitChange = { currency: PositionCurrency; max_short: number | null }

/** Changes the limits from now on. */
export async function changeLimits(work: Work, currencies: LimitChange[]): Promise<void> {
  const limits = async () => {
    const rows = await positionsOf(work.tx)
    return Object.fromEntries(
      rows.filter(({ livemode }) => livemode).map((one) => [one.currency, one.max_short]),
    )
  }
  const before = await limits()
  for (const { currency, max_short } of currencies)
    for (const livemode of [true, false])
      if (max_short === null) await work.tx.rows(statements.deleteLimit, [livemode, currency])
      else
        await work.tx.rows(statements.upsertLimit, [
          livemode,
          currency,
          BigInt(max_short),
          work.scope.now,
        ])
  const change = {
    action: 'exchange.limits_changed',
    subject: operator,
    before,
    after: await limits(),
  } as const
  await recordOperatorChange(work, change)
}
