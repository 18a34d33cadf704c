/** Finds, queries and completes the records behind a provider's movements. */
import { recordReceipt, settleFee } from '../../books/receipts/receipts.ts'
import type { App } from '../../core/app.ts'
import { outside, scopeOf } from '../../core/outside.ts'
import { type Id, newId } from '../../lib/ids.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import type { Movement } from '../../rails/ports/statement.ts'
import { findOwner, queryRecord } from '../inbound/inbound.ts'
import { type Comparison, recordsOf } from './comparing.ts'
import type { ReconciledAccount } from './report.ts'
import { operatorOf } from './settlements.ts'

/** Queries the record that has a movement's names. @returns whether there is one */
export async function queryRecordOf(
  app: App,
  { livemode, rail }: ReconciledAccount,
  movement: Movement,
): Promise<boolean> {
  for (const kind of recordsOf[movement.kind]) {
    const about = {
      kind,
      reference: movement.reference,
      providerId: movement.providerId,
      rail,
      livemode,
    }
    try {
      if ((await queryRecord(app, about)) !== 'unknown_subject') return true
    } catch (error) {
      app.log.error({ err: error, ...about }, 'a record that a provider lists could not be queried')
    }
  }
  return false
}

/** Whether a record of any business has a movement's names: then querying it books it. */
export async function hasRecord(
  app: App,
  { livemode, rail }: ReconciledAccount,
  movement: Movement,
): Promise<boolean> {
  const { reference, providerId } = movement
  const owners = recordsOf[movement.kind].map((kind) =>
    findOwner(app, { kind, reference, providerId, rail, livemode }),
  )
  return (await Promise.all(owners)).some((owner) => owner !== null)
}

/**
 * Books the fees of a movement that agrees with the books. A fee that the provider keeps of an
 * order that moved nothing is the operator's.
 */
export async function bookFees(
  app: App,
  { livemode, rail }: ReconciledAccount,
  {
    movement,
    comparison,
    currency,
  }: { movement: Movement; comparison: Comparison; currency: WalletCurrency },
): Promise<void> {
  const { fees, kept } = comparison
  for (const { receipt, fee } of fees) {
    const ctx = outside(app, await scopeOf(app, receipt.business_id as Id, livemode))
    await ctx.write((work) =>
      settleFee(work, { rail, kind: receipt.kind, providerId: receipt.provider_id, fee }),
    )
  }
  if (kept <= 0n || movement.kind === 'payment') return
  const { kind, reference, providerId } = movement
  const about = {
    kind: recordsOf[kind][0] as 'payout' | 'refund',
    reference,
    providerId,
    rail,
    livemode,
  }
  const owner = await findOwner(app, about)
  const subject = owner === null || owner === 'again' ? undefined : owner.subject
  const ctx = await operatorOf(app, livemode)
  await ctx.write((work) =>
    recordReceipt(work, {
      rail,
      kind,
      providerId,
      amount: 0n,
      fee: kept,
      currency,
      availableAt: null,
      subject: subject ?? newId(work.scope.now),
      transaction: newId(work.scope.now),
    }),
  )
}
