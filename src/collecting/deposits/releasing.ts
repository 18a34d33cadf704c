/**
 * Applies a person's decision about a held deposit. A release credits it and counts it toward its
 * payment. A refused deposit stays held, and can still be released.
 */
import {
  recordTransaction,
  type Source,
  transactionIn,
} from '../../books/transactions/transactions.ts'
import { credit } from '../../books/wallets/wallets.ts'
import { update, type Work } from '../../core/inside.ts'
import { type CryptoCurrency, showMoney } from '../../lib/money.ts'
import { emit } from '../../platform/events/events.ts'
import { endReview, type Screened } from '../../platform/screening/screening.ts'
import * as payments from '../payments/payments.ts'
import {
  type AccountRow,
  accountIn,
  endAccounts,
  lockVirtualAccounts,
} from '../virtual-accounts/virtual-accounts.ts'
import { depositEntry } from './booking.ts'
import { refuseChainDeposit, releaseChainDeposit } from './chain.ts'
import { depositEvents } from './events.ts'
import { releaseHold } from './holding.ts'
import { type HeldRow, heldDeposits, lockHeld, selectHeld } from './sql.ts'
import { bookTokens } from './tokens.ts'

async function release(work: Work, row: HeldRow): Promise<void> {
  const { source = null, late } = await transactionIn(work, row.id)
  if (row.kind === 'account') return releaseBank(work, row, source as Source | null, late)
  if (row.chain_deposit !== null)
    return releaseChainDeposit(work, row.chain_deposit, row.status, () => releaseHold(work, row))
  await releaseHold(work, row)
  const seen = { worth: row.worth, seenAt: row.created_at, transaction: row.id }
  await bookTokens(
    work,
    row.id,
    { kind: row.kind, subject: row.subject },
    {
      rail: row.rail,
      notice: '',
      currency: row.token as CryptoCurrency,
      amount: row.amount,
      source: source as Source | null,
      pending: seen,
    },
  )
}

async function releaseBank(
  work: Work,
  row: HeldRow,
  source: Source | null,
  late: boolean,
): Promise<void> {
  const { id, rail, amount } = row
  const { payment_id } = await accountIn(work, row.subject)
  if (payment_id !== null) {
    const payment = await payments.lockToReceive(work, payment_id)
    await releaseHold(work, row)
    const received = await payments.receive(work, payment, {
      transaction: id,
      method: 'bank_transfer',
      amount,
      rail,
      source,
      seen: true,
      related: { virtual_account: row.subject },
    })
    await emit(work, depositEvents, 'virtual_account.deposit', received)
    return
  }
  const [account] = (await lockVirtualAccounts(work.tx, [
    { scope: work.scope, id: row.subject },
  ])) as [AccountRow]
  await releaseHold(work, row)
  const fee = work.prices
    .of(work.scope.businessId, row.created_at)
    .incomingFee('deposit', 'bank_transfer', row.currency, amount)
  const { entry, postings, closes } = depositEntry({
    scope: work.scope,
    id,
    account,
    fee,
    late,
    active: account.status === 'active',
    notification: { rail, notice: '', amount, source },
  })
  const balanceAfter = await credit(work, row.currency, postings)
  const booked = await recordTransaction(work, { ...entry, balanceAfter, seen: true })
  if (closes) await endAccounts(work.tx, [{ scope: work.scope, id: account.id }], 'closed')
  await emit(work, depositEvents, 'virtual_account.deposit', booked)
}

export const screenedDeposit: Screened = {
  async describe(view, subjects) {
    const rows = await view.rows(selectHeld, [subjects])
    return new Map(
      rows.map(({ id, worth, currency, token, source }) => {
        const { address, account_number, bank_name, account_name } = source ?? {}
        const from =
          [address ?? account_number, bank_name, account_name].filter(Boolean).join(' ') ||
          'an unknown sender'
        return [
          id,
          `${showMoney(worth, currency)}${token === null ? '' : ` in ${token}`} from ${from}`,
        ]
      }),
    )
  },
  async decide(work, subject, decision, decider, from) {
    const row = await work.row(lockHeld, [subject])
    if (row?.status !== (from === 'refused' ? 'refused' : 'held')) return false
    await update(work, heldDeposits, subject, { status: decision, updated_at: work.scope.now })
    if (decision === 'released') await release(work, row)
    else if (row.chain_deposit !== null) await refuseChainDeposit(work, row.chain_deposit)
    await endReview(work, subject, decision, decider, from)
    return true
  },
}
