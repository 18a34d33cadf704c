/**
 * Settling: what shares hold goes out by ordinary payouts, and comes back to the share when a
 * payout fails.
 */
import { openLimits as openExchange } from '../../books/exchange/exchange.ts'
import { type AccountKey, lockAccounts, type Posting, post } from '../../books/ledger/ledger.ts'
import { recordTransaction } from '../../books/transactions/transactions.ts'
import * as wallets from '../../books/wallets/wallets.ts'
import type { Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { Refusal } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import { recordRefusal } from '../../paying-out/limits/limits.ts'
import * as payouts from '../../paying-out/payouts/payouts.ts'
import { find, settlementCurrency } from './distributions.ts'
import { paidTo } from './paid-to.ts'
import type { SettlementRecord } from './schema.ts'
import type { DistributionRow, ShareRow } from './sql.ts'
import * as statements from './sql.ts'

export type Settlement = Static<typeof SettlementRecord>

/** Who holds the account that a share is paid to, or why nobody could be asked. */
type HolderAnswer = payouts.LookedUp | Refusal

/** A distribution to be settled, with who holds the accounts of its shares, by `keyOf`. */
export type PreparedSettlement = { id: Id; holders: Map<string, HolderAnswer> }

/**
 * Asks the banks who holds the accounts of the shares that hold money: before the wallet is locked,
 * because a bank may take its time.
 * @throws {Refusal} `not_found`
 */
export async function prepareSettlement(ctx: Ctx, id: string): Promise<PreparedSettlement> {
  const found = await find(ctx, id)
  return {
    id: found.id,
    holders: await lookUpHolders(ctx, await ctx.rows(statements.selectShares, [[found.id]])),
  }
}

/**
 * Pays out what each share of a distribution holds. A share that cannot be paid out is skipped, and
 * keeps what it holds.
 */
export async function settleShares(
  work: Work,
  { id, holders }: PreparedSettlement,
): Promise<Settlement> {
  // Who settles at the same time waits here, and then finds nothing left. Shares are locked after
  // the wallet only, as by a payout that comes back.
  const distribution = (await work.row(statements.lockDistribution, [id])) as DistributionRow
  const currency = settlementCurrency(distribution.currency)
  await openExchangeFor(work, currency, holders)
  // Nothing comes to a share or leaves it without the wallet: what the shares hold is theirs to pay
  // out until the commit.
  await lockAccounts(work, [{ purpose: 'wallet_available', currency }])
  const shares = await work.rows(statements.selectShares, [[distribution.id]])
  const settlement: Settlement = { payouts: [], skipped: [] }
  for (const share of shares.filter((one) => one.accrued > 0n)) {
    const skip = (code: string, message: string): void => {
      settlement.skipped.push({
        share: share.id,
        amount: share.accrued,
        code,
        message,
        ...paidTo(share),
      })
    }
    const holder = holders.get(keyOf(share))
    if (share.destination === null) skip('no_destination', 'Give the share a destination.')
    else if (
      share.destination_usable_from !== null &&
      share.destination_usable_from > work.scope.now
    )
      skip(
        'destination_cooling_off',
        `The destination was changed: it can be paid from ${share.destination_usable_from.toISOString()}.`,
      )
    else if (!holder) skip('changed', 'The share was changed or paid just now; settle again.')
    else if (holder instanceof Refusal) skip(holder.code, holder.message)
    else
      try {
        const payout = await work.tx.savepoint(() =>
          payShare(work, distribution.name, share, currency, holder),
        )
        settlement.payouts.push({
          share: share.id,
          payout: payout.id,
          reference: payout.reference,
          amount: share.accrued,
          ...paidTo(share),
        })
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        await recordRefusal(work.tx, work.scope, error)
        skip(error.code, error.message)
      }
  }
  return settlement
}

/**
 * Locks the limits of what shares are paid in, where that is another currency than the wallet's:
 * before wallets, and all at once, as whoever exchanges.
 */
async function openExchangeFor(
  work: Work,
  currency: WalletCurrency,
  holders: PreparedSettlement['holders'],
): Promise<void> {
  const currencies = [...holders.values()].flatMap((one) =>
    one instanceof Refusal ? [] : [one.destination.currency],
  )
  const others = currencies.filter((one) => one !== currency)
  await openExchange(
    work.tx,
    others.map((one) => ({ scope: work.scope, currency: one })),
  )
}

/** A share as it goes to one destination. */
const keyOf = ({ id, destination }: ShareRow): string => `${id} ${JSON.stringify(destination)}`

async function lookUpHolders(ctx: Ctx, shares: ShareRow[]): Promise<Map<string, HolderAnswer>> {
  const asked = shares.map(async (share): Promise<[string, HolderAnswer][]> => {
    if (share.destination === null || share.accrued === 0n) return []
    const answer = await payouts.lookUp(ctx, payoutTo(share.destination)).catch((error) => {
      if (error instanceof Refusal) return error
      throw error
    })
    return [[keyOf(share), answer]]
  })
  return new Map((await Promise.all(asked)).flat())
}

/** A stored destination in the form that a payout takes. */
function payoutTo(stored: NonNullable<ShareRow['destination']>) {
  const {
    bank_name: _bank,
    contract_address: _contract,
    resolved_account_name: _name,
    ...destination
  } = stored
  return {
    method: destination.chain === undefined ? ('bank_transfer' as const) : ('crypto' as const),
    destination,
  }
}

/** Moves what a share holds to the wallet, and pays it out from there. */
async function payShare(
  work: Work,
  plan: string,
  share: ShareRow,
  currency: WalletCurrency,
  holder: payouts.LookedUp,
) {
  const { now } = work.scope
  const amount = share.accrued
  await transferShare(work, 'credit', share.id, currency, amount)
  const payout = await payouts.createIn(
    work,
    {
      reference: `share_${newId(now)}`,
      amount: Number(amount),
      currency,
      ...payoutTo(share.destination as NonNullable<ShareRow['destination']>),
      description: `${plan}: ${share.name}`.slice(0, 500),
      metadata: { distribution: share.distribution_id, share: share.id },
    },
    holder,
  )
  await work.rows(statements.insertSettlement, [payout.id, share.id, amount, now])
  await work.rows(statements.addSettled, [share.id, amount])
  return payout
}

/** What a payout that comes back does to its share. */
export const distributionPayouts: payouts.PayoutFollower = {
  async cameBack(work, { id }, amount) {
    const settlement = await work.row(statements.returnSettlement, [id, amount])
    if (!settlement) return
    const { share_id } = settlement
    const account = await work.row(statements.selectShareCurrency, [share_id])
    if (!account) throw new Error(`share ${share_id} has no account`)
    await transferShare(work, 'debit', share_id, account.currency, amount)
    await work.rows(statements.addSettled, [share_id, -amount])
  },
}

/**
 * Moves an amount from a share to the wallet (`credit`) or back (`debit`), with its transaction
 * record.
 * @throws {Refusal} `amount_too_large` when the wallet would hold more than the API can carry
 */
async function transferShare(
  work: Work,
  direction: 'credit' | 'debit',
  shareId: Id,
  currency: WalletCurrency,
  amount: bigint,
): Promise<void> {
  const id = newId(work.scope.now)
  const share: AccountKey = { purpose: 'share', currency, subject: shareId }
  const wallet: AccountKey = { purpose: 'wallet_available', currency }
  const [debit, credit] = direction === 'credit' ? [share, wallet] : [wallet, share]
  const postings: Posting[] = [
    { debit, credit, amount, kind: 'share_settlement', subject: shareId, transaction: id },
  ]
  const balanceAfter =
    direction === 'credit'
      ? await wallets.credit(work, currency, postings)
      : (await post(work, postings))(wallet)
  await recordTransaction(work, {
    id,
    type: 'share',
    method: 'wallet',
    direction,
    status: 'completed',
    currency,
    amount,
    fee: 0n,
    balanceAfter,
    reference: null,
    related: { share: shareId },
    metadata: {},
  })
}
