/**
 * Settling: what shares hold goes out by ordinary payouts, and comes back to the share when a payout fails.
 */

import { type AccountKey, lockAccounts, type Posting, post } from '../../books/ledger/ledger.ts'
import { recordTransaction } from '../../books/transactions/transactions.ts'
import { credit as creditWallet } from '../../books/wallets/wallets.ts'
import { type Ctx, inTransaction, type PayoutListener, reader } from '../../core/context.ts'
import type { Tx } from '../../db/db.ts'
import { Refusal, refuse } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import { create as createPayout, lookUp } from '../../paying-out/payouts/payouts.ts'
import { settlementCurrency } from './distributions.ts'
import type { SettlementRecord } from './schema.ts'
import {
  addSettled,
  type DistributionRow,
  failSettlement,
  insertSettlement,
  lockDistribution,
  type ShareRow,
  selectDistribution,
  selectShareCurrency,
  selectShares,
} from './sql.ts'

export type Settlement = Static<typeof SettlementRecord>

type Looked = Awaited<ReturnType<typeof lookUp>> | Refusal

/**
 * Pays out what each share of a distribution holds. A share that cannot be paid out is skipped, and keeps what it holds.
 * @throws {Refusal} `not_found`
 */
export async function settle(ctx: Ctx, id: string): Promise<Settlement> {
  const { businessId, livemode } = ctx.scope
  const found = await reader(ctx).row(selectDistribution, [businessId, livemode, id])
  if (!found) return refuse('not_found', `There is no distribution '${id}'.`)
  const looked = await lookUpHolders(ctx, await reader(ctx).rows(selectShares, [businessId, livemode, [found.id]]))
  return inTransaction(ctx, async (tx) => {
    const inside: Ctx = { ...ctx, tx }
    // Who settles at the same time waits here, and then finds nothing left. Shares are locked after the wallet only, as by a
    // payout that comes back.
    const distribution = (await tx.row(lockDistribution, [businessId, livemode, found.id])) as DistributionRow
    const currency = settlementCurrency(distribution.currency)
    // Nothing comes to a share or leaves it without the wallet: what the shares hold is theirs to pay out until the commit.
    await lockAccounts(tx, ctx.scope, [{ purpose: 'wallet_available', currency }])
    const shares = await tx.rows(selectShares, [businessId, livemode, [distribution.id]])
    const settlement: Settlement = { payouts: [], skipped: [] }
    for (const share of shares.filter((one) => one.accrued > 0n)) {
      const skip = (code: string, message: string): void => {
        settlement.skipped.push({ share: share.id, amount: share.accrued, code, message })
      }
      const holder = looked.get(keyOf(share))
      if (share.destination === null) skip('no_destination', 'Give the share a destination.')
      else if (!holder) skip('changed', 'The share was changed or paid just now; settle again.')
      else if (holder instanceof Refusal) skip(holder.code, holder.message)
      else
        try {
          const payout = await tx.savepoint(() => payOut(inside, distribution.name, share, currency, holder))
          settlement.payouts.push({
            share: share.id,
            payout: payout.id,
            reference: payout.reference,
            amount: share.accrued,
          })
        } catch (error) {
          if (!(error instanceof Refusal)) throw error
          skip(error.code, error.message)
        }
    }
    return settlement
  })
}

/** A share as it goes to one destination. */
const keyOf = ({ id, destination }: ShareRow): string => `${id} ${JSON.stringify(destination)}`

/** Asks the banks who holds the accounts of shares that hold money: before the wallet is locked, because a bank may take its time. */
async function lookUpHolders(ctx: Ctx, shares: ShareRow[]): Promise<Map<string, Looked>> {
  const asked = shares.map(async (share): Promise<[string, Looked][]> => {
    if (share.destination === null || share.accrued === 0n) return []
    const order = orderOf(share.destination)
    const looked = await lookUp(ctx, order).catch((error) => {
      if (error instanceof Refusal) return error
      throw error
    })
    return [[keyOf(share), looked]]
  })
  return new Map((await Promise.all(asked)).flat())
}

/** A stored destination in the form that a payout takes. */
function orderOf(stored: NonNullable<ShareRow['destination']>) {
  const { bank_name: _bank, contract_address: _contract, resolved_account_name: _name, ...destination } = stored
  return { method: destination.chain === undefined ? ('bank_transfer' as const) : ('crypto' as const), destination }
}

/** Moves what a share holds to the wallet, and pays it out from there. */
async function payOut(
  ctx: Ctx,
  plan: string,
  share: ShareRow,
  currency: WalletCurrency,
  holder: Exclude<Looked, Refusal>,
) {
  const { businessId, livemode, now } = ctx.scope
  const tx = ctx.tx as Tx
  const amount = share.accrued
  await cross(ctx, 'credit', share.id, currency, amount)
  const payout = await createPayout(
    ctx,
    {
      reference: `share_${newId(now)}`,
      amount: Number(amount),
      currency,
      ...orderOf(share.destination as NonNullable<ShareRow['destination']>),
      description: `${plan}: ${share.name}`.slice(0, 500),
      metadata: { distribution: share.distribution_id, share: share.id },
    },
    holder,
  )
  await tx.rows(insertSettlement, [businessId, livemode, payout.id, share.id, amount, now])
  await tx.rows(addSettled, [businessId, livemode, share.id, amount])
  return payout
}

/** What a payout that comes back does to its share. */
export const distributionPayoutListener: PayoutListener = {
  async returned(ctx, { id }) {
    const { businessId, livemode } = ctx.scope
    const tx = ctx.tx as Tx
    const settlement = await tx.row(failSettlement, [businessId, livemode, id])
    if (!settlement) return
    const { share_id, amount } = settlement
    const account = await tx.row(selectShareCurrency, [businessId, livemode, share_id])
    if (!account) throw new Error(`share ${share_id} has no account`)
    await cross(ctx, 'debit', share_id, account.currency, amount)
    await tx.rows(addSettled, [businessId, livemode, share_id, -amount])
  },
}

/**
 * Moves an amount from a share to the wallet (`credit`) or back (`debit`), with the transaction that tells of it.
 * @throws {Refusal} `amount_too_large` when the wallet would hold more than the API can carry
 */
async function cross(
  ctx: Ctx,
  direction: 'credit' | 'debit',
  shareId: Id,
  currency: WalletCurrency,
  amount: bigint,
): Promise<void> {
  const id = newId(ctx.scope.now)
  const share: AccountKey = { purpose: 'share', currency, subject: shareId }
  const wallet: AccountKey = { purpose: 'wallet_available', currency }
  const [debit, credit] = direction === 'credit' ? [share, wallet] : [wallet, share]
  const postings: Posting[] = [{ debit, credit, amount, kind: 'share_settlement', subject: shareId, transaction: id }]
  const balanceAfter =
    direction === 'credit'
      ? await creditWallet(ctx, currency, postings)
      : (await post(ctx.tx as Tx, ctx.scope, postings))(wallet)
  await recordTransaction(ctx, {
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
