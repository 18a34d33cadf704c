/**
 * Transfers on blockchains: pending once a block contains them, credited once the block is deep
 * enough, dropped when the block is reorganised away.
 */

import {
  endTransaction,
  type NewTransaction,
  recordTransaction,
  reshowTransaction,
} from '../../books/transactions/transactions.ts'
import { walletIn } from '../../books/wallets/wallets.ts'
import type { App } from '../../core/app.ts'
import { insert, inside, update, type Work } from '../../core/inside.ts'
import { type Ctx, outside, scopeIn, scopeOf } from '../../core/outside.ts'
import { awaitTestData, TestDataEmptied } from '../../core/test-data.ts'
import { isSqlError, type Tx } from '../../db/db.ts'
import { listPage, mapPage, type PageOf } from '../../db/lists/list.ts'
import { type Id, newId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { maxAmount, type WalletCurrency } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import type { Held } from '../../platform/screening/screening.ts'
import type { Candidate, ChainNetwork, DepositBook, Transfer } from '../../rails/ports/chains.ts'
import { findCryptoWallet, knownAddresses, type OwnerRow, ownersOf } from '../crypto/crypto.ts'
import * as payments from '../payments/payments.ts'
import { holdMoney, screenSender } from './holding.ts'
import type { ChainDepositQuery, ChainDepositRecord } from './schema.ts'
import type { ChainDepositRow, HeldRow } from './sql.ts'
import * as sql from './sql.ts'
import { countDeposit } from './tiers.ts'
import {
  bookDust,
  bookTokensOnce,
  centsOf,
  type Dust,
  lockForDust,
  openTokenAccounts,
  walletCurrency,
  walletTransaction,
  worthOf,
} from './tokens.ts'

const rail = 'evm'
const sweepPage = 500
/** PostgreSQL's `numeric_value_out_of_range`. */
const outOfRange = '22003'

/** Returns the port by which chain watchers record and credit transfers. */
export function chainDeposits(app: App): DepositBook {
  return {
    addresses: (livemode, limit) => knownAddresses(app.db, livemode, limit),

    async recordTransfers(tx, network, transfers) {
      const owners = await lockOwners(tx, network, [
        ...new Set(transfers.map((transfer) => transfer.to)),
      ])
      const ours = transfers.flatMap((transfer) => {
        const owner = owners.get(transfer.to)
        return owner ? [{ transfer, owner }] : []
      })
      // Payments are locked in id order, to avoid deadlocks between the watchers of two networks.
      ours.sort((a, b) =>
        a.owner.subject < b.owner.subject ? -1 : a.owner.subject > b.owner.subject ? 1 : 0,
      )
      let fresh = 0
      for (const { transfer, owner } of ours) {
        const record = async () => {
          const work = await workOf(app, tx, owner.business_id, network.livemode)
          return recordTransfer(work, network, transfer, owner)
        }
        try {
          if (await tx.savepoint(record)) fresh++
        } catch (error) {
          // A transfer that is too large for our numbers must not block all later transfers.
          if (!isSqlError(error, outOfRange)) throw error
          logTooLarge(app.log, network, transfer)
        }
      }
      return fresh
    },

    async dropReorganised(tx, network, block) {
      if (!network.livemode) {
        const businesses = await tx.rows(sql.selectBusinessesAbove, [network.id, block])
        await awaitTestData(
          tx,
          businesses.map(({ business_id }) => business_id),
        )
      }
      const rows = await tx.rows(sql.selectAbove, [network.id, block])
      for (const row of rows.filter(({ status }) => status === 'pending'))
        await drop(await workOf(app, tx, row.business_id, row.livemode), row)
      return rows
        .filter(({ status }) => status === 'credited' || status === 'held')
        .map(({ id }) => id)
    },

    due: (network, through, limit) => app.db.rows(sql.selectDue, [network.id, through, limit]),

    credit: (network, deposit) =>
      credit(app, network, deposit).catch((error: unknown) => {
        // It is credited later, or was deleted with the test data.
        if (!(error instanceof TestDataEmptied)) throw error
      }),
  }
}

/**
 * Yields pages of addresses that may have funds to sweep on a network. @param key of the addresses
 */
export async function* listSweepable(
  app: App,
  network: ChainNetwork,
  key: string,
): AsyncGenerator<Candidate[]> {
  for (let after = -1n; ; ) {
    const rows = await app.db.rows(sql.selectSweepable, [
      key,
      after,
      network.id,
      sweepPage,
      network.confirmations,
    ])
    const last = rows.at(-1)
    if (!last) return
    after = last.index
    yield rows.map((row) => ({ address: row.address, index: Number(row.index) }))
  }
}

function logTooLarge(log: Log, network: ChainNetwork, { txHash: transaction }: Transfer): void {
  log.error({ network: network.id, transaction }, 'a transfer is too large to be booked')
}

/** A transfer in cents and a remainder, with the worth of the cents to the owner. */
type TransferValue = { cents: bigint; dust: bigint; worth: bigint }

/** Returns one business's view of the transaction that a watcher shares among businesses. */
async function workOf(app: App, tx: Tx, businessId: Id, livemode: boolean): Promise<Work> {
  return inside(app, tx, await scopeIn(app, tx, businessId, livemode))
}

/**
 * Returns the owners of addresses. In test mode it first waits for test data that is being deleted,
 * then reads the owners that are left.
 */
async function lockOwners(
  tx: Tx,
  { livemode }: ChainNetwork,
  addresses: string[],
): Promise<Map<string, OwnerRow>> {
  const owners = await ownersOf(tx, livemode, addresses)
  if (livemode || owners.size === 0) return owners
  await awaitTestData(
    tx,
    [...owners.values()].map(({ business_id }) => business_id),
  )
  return ownersOf(tx, livemode, addresses)
}

/**
 * Records a transfer to one of our addresses with a pending transaction. A transfer that is mined
 * again in another block moves there.
 * @returns whether it is new
 */
async function recordTransfer(
  work: Work,
  network: ChainNetwork,
  transfer: Transfer,
  owner: OwnerRow,
): Promise<boolean> {
  const { now } = work.scope
  const { currency } = transfer
  const { cents, dust } = centsOf(transfer.units, network.tokens[currency]?.decimals as number)
  const worth = cents === 0n ? 0n : await worthOf(work, owner, currency, cents)
  if (cents > maxAmount || worth > maxAmount) {
    logTooLarge(work.log, network, transfer)
    return false
  }
  const { txHash, contract, to, position } = transfer
  const known = await work.row(sql.selectSame, [network.id, txHash, contract, to, position])
  if (known) {
    await moveToBlock(work, known, transfer, { cents, dust, worth })
    return false
  }
  const row = (await insert(work, sql.chainDeposits, {
    id: newId(now),
    kind: owner.kind,
    subject: owner.subject,
    network: network.id,
    currency,
    contract_address: contract,
    from_address: transfer.from,
    to_address: to,
    units: String(transfer.units),
    amount: cents,
    dust,
    worth,
    tx_hash: txHash,
    position,
    block_number: transfer.blockNumber,
    block_hash: transfer.blockHash,
    status: 'pending',
    transaction_id: newId(now),
    created_at: now,
    updated_at: now,
  })) as ChainDepositRow
  if (cents > 0n) await recordTransaction(work, await pendingTransaction(work, row))
  await changeConfirming(work, row, worth)
  return true
}

/** Returns the transaction of a deposit that is not credited yet. */
async function pendingTransaction(work: Work, row: ChainDepositRow): Promise<NewTransaction> {
  const source = sourceOf(row)
  if (row.kind === 'wallet') {
    const wallet = await findCryptoWallet(work, row.subject)
    const pricing = work.prices.of(work.scope.businessId, row.created_at)
    const fee = pricing.incomingFee('deposit', 'crypto', walletCurrency, row.worth)
    return {
      ...walletTransaction(wallet, row.transaction_id, { worth: row.worth, fee, source }),
      status: 'pending',
      balanceAfter: await availableBalance(work, walletCurrency),
    }
  }
  const payment = await payments.find(work, row.subject)
  return {
    id: row.transaction_id,
    type: 'payment',
    method: 'crypto',
    direction: 'credit',
    status: 'pending',
    currency: payment.currency,
    amount: row.worth,
    fee: 0n,
    balanceAfter: await availableBalance(work, payment.currency),
    reference: payment.reference,
    source,
    customer: payment.customer_id,
    related: { payment: payment.id },
    metadata: payment.metadata,
  }
}

const availableBalance = async (work: Work, currency: WalletCurrency): Promise<bigint> =>
  (await walletIn(work, currency)).available

const sourceOf = (row: ChainDepositRow): Record<string, string> => ({
  currency: row.currency,
  chain: row.network,
  address: row.from_address,
  tx_hash: row.tx_hash,
})

/**
 * Moves a deposit to the block in which its transfer was mined again. A dropped deposit becomes
 * pending. The amount may differ in the new block, as in a swap: the new one counts.
 */
async function moveToBlock(
  work: Work,
  row: ChainDepositRow,
  transfer: Transfer,
  value: TransferValue,
): Promise<void> {
  if (row.block_hash === transfer.blockHash && row.status !== 'dropped') return
  const { now } = work.scope
  const block = {
    block_number: transfer.blockNumber,
    block_hash: transfer.blockHash,
    updated_at: now,
  }
  if (row.status === 'credited' || row.status === 'held')
    return void (await update(work, sql.chainDeposits, row.id, block))
  // The worth at first sight stays, unless the amount differs.
  const worth = BigInt(row.units) === transfer.units ? row.worth : value.worth
  const { cents, dust } = value
  const wasShown = row.amount > 0n
  const moved = await update(work, sql.chainDeposits, row.id, {
    ...block,
    status: 'pending',
    from_address: transfer.from,
    units: String(transfer.units),
    amount: cents,
    dust,
    worth,
    // Less than a cent has no transaction: the pending one ends, and the deposit gets a new id.
    transaction_id: wasShown && cents === 0n ? newId(now) : row.transaction_id,
  })
  if (cents > 0n && wasShown) await reshowTransaction(work, await pendingTransaction(work, moved))
  else if (cents > 0n) await recordTransaction(work, await pendingTransaction(work, moved))
  else if (wasShown && row.status === 'pending')
    await endTransaction(work, row.transaction_id, 'failed')
  await changeConfirming(work, row, worth - (row.status === 'pending' ? row.worth : 0n))
}

async function drop(work: Work, row: ChainDepositRow): Promise<void> {
  await update(work, sql.chainDeposits, row.id, { status: 'dropped', updated_at: work.scope.now })
  if (row.amount > 0n) await endTransaction(work, row.transaction_id, 'failed')
  await changeConfirming(work, row, -row.worth)
}

/** Changes the unconfirmed amount of the deposit's payment, if it has one. */
async function changeConfirming(
  work: Work,
  { kind, subject }: ChainDepositRow,
  change: bigint,
): Promise<void> {
  if (kind === 'payment' && change !== 0n)
    await payments.recordConfirming(work, await payments.lock(work, subject), change)
}

async function credit(
  app: App,
  network: ChainNetwork,
  { id, businessId, blockHash }: { id: Id; businessId: Id; blockHash: string },
): Promise<void> {
  const ctx = outside(app, await scopeOf(app, businessId, network.livemode))
  const known = await ctx.row(sql.lockDeposit, [id])
  if (!known) return
  const listed = known.amount > 0n ? await screenSender(ctx, sourceOf(known)) : null
  // In a transaction of their own, so that a rollback of the booking does not undo them.
  await ctx.write((work) => openTokenAccounts(work, remainderOf(known, network)))
  await ctx.write(async (work) => {
    const row = await work.row(sql.lockDeposit, [id])
    if (row?.status !== 'pending' || row.block_hash !== blockHash) return
    const above =
      row.amount > 0n ? await countDeposit(work, await customerDepositOf(work, row)) : null
    const held = listed ?? above
    const dust = row.dust > 0n ? remainderOf(row, network) : null
    const status = held === null ? 'credited' : 'held'
    await update(work, sql.chainDeposits, id, { status, updated_at: work.scope.now })
    // A held deposit stays unconfirmed for its payment.
    if (held === null) await changeConfirming(work, row, -row.worth)
    const credited = await lockCreditedCurrency(work, row)
    if (dust) await lockForDust(work, dust, credited)
    if (held !== null) await holdTransfer(work, row, credited, held)
    else if (row.amount > 0n) await bookTransfer(work, row)
    if (dust) await bookDust(work, dust)
  })
}

/** Returns a deposit's customer, with its worth in the credited currency. */
async function customerDepositOf(work: Work, { kind, subject, worth: amount }: ChainDepositRow) {
  if (kind === 'wallet')
    return {
      customer: (await findCryptoWallet(work, subject)).customer_id,
      currency: walletCurrency,
      amount,
    }
  const { customer_id: customer, currency } = await payments.find(work, subject)
  return { customer, currency, amount }
}

/** Returns the currency in which a deposit is credited. Locks the payment, if any. */
const lockCreditedCurrency = async (
  work: Work,
  { kind, subject }: ChainDepositRow,
): Promise<WalletCurrency> =>
  kind === 'wallet' ? walletCurrency : (await payments.lockToReceive(work, subject)).currency

const bookTransfer = (work: Work, row: ChainDepositRow) =>
  bookTokensOnce(
    work,
    { kind: row.kind, subject: row.subject },
    {
      rail,
      currency: row.currency,
      amount: row.amount,
      source: sourceOf(row),
      notice: [row.network, row.tx_hash, row.contract_address, row.to_address, row.position].join(
        ' ',
      ),
      pending: { worth: row.worth, seenAt: row.created_at, transaction: row.transaction_id },
    },
  )

const holdTransfer = (work: Work, row: ChainDepositRow, currency: WalletCurrency, held: Held) => {
  const { kind, subject, currency: token, amount, worth, id } = row
  const of = { kind, subject, rail, token, currency, amount, worth, chain_deposit: id }
  return holdMoney(work, row.transaction_id, held, of, null)
}

async function lockHeldTransfer(work: Work, id: Id): Promise<ChainDepositRow> {
  const row = await work.row(sql.lockDeposit, [id])
  if (row?.status !== 'held') throw new Error(`deposit ${id} is not held`)
  return row
}

/** Refuses a held deposit: its payment no longer waits for it. */
export const refuseChainDeposit = (work: Work, id: Id): Promise<void> =>
  lockHeldTransfer(work, id).then((row) => changeConfirming(work, row, -row.worth))

/**
 * Credits a held deposit.
 * @param was the status before: the payment of a refused one no longer waits for it
 * @param unhold takes it out of pending, once the payment is locked
 */
export async function releaseChainDeposit(
  work: Work,
  id: Id,
  was: HeldRow['status'],
  unhold: () => Promise<void>,
): Promise<void> {
  const row = await lockHeldTransfer(work, id)
  await update(work, sql.chainDeposits, id, { status: 'credited', updated_at: work.scope.now })
  if (was === 'held') await changeConfirming(work, row, -row.worth)
  await lockCreditedCurrency(work, row)
  await unhold()
  await bookTransfer(work, row)
}

/** Returns the part of a deposit that is less than a cent. */
function remainderOf(
  { currency, dust, subject, transaction_id }: ChainDepositRow,
  network: ChainNetwork,
): Dust {
  const decimals = network.tokens[currency]?.decimals as number
  return { currency, decimals, units: dust, rail, subject, transaction: transaction_id }
}

/**
 * Lists transfers to a crypto wallet.
 * @throws {Refusal} `not_found`
 */
export async function listDeposits(
  ctx: Ctx,
  walletId: string,
  query: Static<typeof ChainDepositQuery>,
): Promise<PageOf<Static<typeof ChainDepositRecord>>> {
  const wallet = await findCryptoWallet(ctx, walletId)
  const page = await listPage<ChainDepositRow>(ctx, sql.chainDeposits, query, {
    filters: [
      ['subject = ?', wallet.id],
      ['status = ?', query.status],
    ],
  })
  const tips = new Map((await ctx.db.rows(sql.selectTips)).map((row) => [row.network, row.tip]))
  return mapPage(page, (row) => {
    const needed = ctx.networks.find((network) => network.id === row.network)?.confirmations ?? 0
    const above = Number((tips.get(row.network) ?? row.block_number) - row.block_number)
    return {
      id: row.id,
      livemode: row.livemode,
      crypto_wallet: wallet.id,
      network: row.network,
      currency: row.currency,
      amount: row.amount,
      units: row.units,
      from_address: row.from_address,
      tx_hash: row.tx_hash,
      block_number: Number(row.block_number),
      confirmations: row.status === 'dropped' ? 0 : Math.max(0, Math.min(above, needed)),
      confirmations_needed: needed,
      status: row.status,
      transaction: row.amount > 0n ? row.transaction_id : null,
      metadata: {},
      created_at: row.created_at,
      updated_at: row.updated_at,
    }
  })
}
