/**
 * Transfers on chains, from first sight to the wallet: shown as pending when a block holds them, credited once when the block is
 * deep enough, dropped when the block is gone.
 */

import {
  endTransaction,
  type NewTransaction,
  recordTransaction,
  reshowTransaction,
} from '../../books/transactions/transactions.ts'
import { listWallets } from '../../books/wallets/wallets.ts'
import { type App, type Ctx, reader, scopeOf } from '../../core/context.ts'
import { isSqlError, type Tx, transaction } from '../../db/db.ts'
import { listPage, mapPage, type PageOf } from '../../db/list.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { maxAmount } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import type { Transfer } from '../../rails/evm/chain.ts'
import type { EvmNetwork } from '../../rails/evm/settings.ts'
import type { Candidate } from '../../rails/evm/sweep.ts'
import type { DepositBook } from '../../rails/evm/watcher.ts'
import { findWallet, knownAddresses, type OwnerRow, ownersOf } from '../crypto/crypto.ts'
import { find, lock, lockToReceive, noteConfirming } from '../payments/payments.ts'
import type { ChainDepositQuery, ChainDepositRecord } from './schema.ts'
import {
  type ChainDepositRow,
  columns,
  insertDeposit,
  lockDeposit,
  moveCredited,
  moveDeposit,
  selectAbove,
  selectDue,
  selectSame,
  selectSweepable,
  selectTips,
  setStatus,
} from './sql.ts'
import {
  bookDust,
  centsOf,
  cryptoDeposit,
  type Dust,
  lockForDust,
  openTokenAccounts,
  walletTransaction,
  worthOf,
} from './tokens.ts'

const rail = 'evm'
const sweepPage = 500
/** PostgreSQL's `numeric_value_out_of_range`. */
const outOfRange = '22003'

/** The books of what watchers see. */
export function chainDeposits(app: App): DepositBook {
  return {
    addresses: (livemode, limit) => knownAddresses(app.db, livemode, limit),

    async seen(tx, network, transfers) {
      const owners = await ownersOf(tx, network.livemode, [...new Set(transfers.map((transfer) => transfer.to))])
      const ours = transfers.flatMap((transfer) => {
        const owner = owners.get(transfer.to)
        return owner ? [{ transfer, owner }] : []
      })
      // Payments are locked in one order, so that the watchers of two networks do not wait for each other.
      ours.sort((a, b) => (a.owner.subject < b.owner.subject ? -1 : a.owner.subject > b.owner.subject ? 1 : 0))
      let fresh = 0
      for (const { transfer, owner } of ours)
        try {
          if (await tx.savepoint(() => note(app, tx, network, transfer, owner))) fresh++
        } catch (error) {
          // One that no number of ours can hold must not keep all that come after it from being read.
          if (!isSqlError(error, outOfRange)) throw error
          app.log.error(
            { network: network.id, transaction: transfer.txHash },
            'a transfer is larger than can be booked',
          )
        }
      return fresh
    },

    async gone(tx, network, block) {
      const rows = await tx.rows(selectAbove, [network.id, block])
      for (const row of rows.filter(({ status }) => status === 'pending')) await drop(app, tx, row)
      return rows.filter(({ status }) => status === 'credited').map(({ id }) => id)
    },

    async due(network, through, limit) {
      const rows = await app.db.rows(selectDue, [network.id, through, limit])
      return rows.map((row) => ({
        id: row.id,
        businessId: row.business_id,
        blockNumber: row.block_number,
        blockHash: row.block_hash,
        amount: row.amount,
      }))
    },

    credit: (network, deposit) => credit(app, network, deposit),
  }
}

/** Pages of addresses that may hold something to sweep on a network. @param key the one they are derived from */
export async function* sweepable(app: App, network: EvmNetwork, key: string): AsyncGenerator<Candidate[]> {
  for (let after = -1n; ; ) {
    const rows = await app.db.rows(selectSweepable, [key, after, network.id, sweepPage, network.confirmations])
    const last = rows.at(-1)
    if (!last) return
    after = last.index
    yield rows.map((row) => ({ address: row.address, index: Number(row.index) }))
  }
}

/** What a transfer comes to: cents and the rest of less than one, and what the cents are worth to the owner. */
type Facts = { cents: bigint; dust: bigint; worth: bigint }

/** Writes a transfer to one of our addresses down, and shows it. Seen again in another block, it moves there. @returns whether it is new */
async function note(app: App, tx: Tx, network: EvmNetwork, transfer: Transfer, owner: OwnerRow): Promise<boolean> {
  const scope = await scopeOf({ ...app, tx }, owner.business_id, network.livemode)
  const ctx: Ctx = { ...app, scope, tx }
  const { currency } = transfer
  const { cents, dust } = centsOf(transfer.units, network.tokens[currency]?.decimals as number)
  const worth = cents === 0n ? 0n : (await worthOf(ctx, owner, currency, cents)).worth
  if (cents > maxAmount || worth > maxAmount) {
    app.log.error({ network: network.id, transaction: transfer.txHash }, 'a transfer is larger than can be booked')
    return false
  }
  const known = await tx.row(selectSame, [
    owner.business_id,
    network.livemode,
    network.id,
    transfer.txHash,
    transfer.contract,
    transfer.to,
    transfer.position,
  ])
  if (known) {
    await move(ctx, known, transfer, { cents, dust, worth })
    return false
  }
  const row = (await tx.row(insertDeposit, [
    owner.business_id,
    network.livemode,
    newId(scope.now),
    owner.kind,
    owner.subject,
    network.id,
    currency,
    transfer.contract,
    transfer.from,
    transfer.to,
    transfer.units,
    cents,
    dust,
    worth,
    transfer.txHash,
    transfer.position,
    transfer.blockNumber,
    transfer.blockHash,
    newId(scope.now),
    scope.now,
  ])) as ChainDepositRow
  if (cents > 0n) await recordTransaction(ctx, await shown(ctx, row))
  await confirming(ctx, row, worth)
  return true
}

/** What a deposit looks like before it is credited. */
async function shown(ctx: Ctx, row: ChainDepositRow): Promise<NewTransaction> {
  const source = sourceOf(row)
  if (row.kind === 'wallet') {
    const wallet = await findWallet(ctx, row.subject)
    const fee = ctx.pricing.incomingFee('deposit', 'crypto', 'usd', row.worth)
    return {
      ...walletTransaction(wallet, row.transaction_id, { worth: row.worth, fee, source }),
      status: 'pending',
      balanceAfter: await availableNow(ctx, 'usd'),
    }
  }
  const payment = await find(ctx, row.subject)
  return {
    id: row.transaction_id,
    type: 'payment',
    method: 'crypto',
    direction: 'credit',
    status: 'pending',
    currency: payment.currency,
    amount: row.worth,
    fee: 0n,
    balanceAfter: await availableNow(ctx, payment.currency),
    reference: payment.reference,
    source,
    customer: payment.customer_id,
    related: { payment: payment.id },
    metadata: payment.metadata,
  }
}

async function availableNow(ctx: Ctx, currency: 'ngn' | 'usd'): Promise<bigint> {
  const [wallet] = await listWallets(ctx, currency)
  return wallet?.available ?? 0n
}

const sourceOf = (row: ChainDepositRow): Record<string, string> => ({
  currency: row.currency,
  chain: row.network,
  address: row.from_address,
  tx_hash: row.tx_hash,
})

/**
 * A transfer that was mined again is the same deposit in another block; one that was dropped is expected again. The same transaction can
 * move another amount there, as a swap does: what the block says now counts.
 */
async function move(ctx: Ctx, row: ChainDepositRow, transfer: Transfer, facts: Facts): Promise<void> {
  if (row.block_hash === transfer.blockHash && row.status !== 'dropped') return
  const { businessId, livemode, now } = ctx.scope
  const tx = ctx.tx as Tx
  const place = [businessId, livemode, row.id, transfer.blockNumber, transfer.blockHash]
  if (row.status === 'credited') return void (await tx.rows(moveCredited, [...place, now]))
  // What it was worth at first sight stays, unless it is another amount.
  const worth = BigInt(row.units) === transfer.units ? row.worth : facts.worth
  const { cents, dust } = facts
  const wasShown = row.amount > 0n
  // What is less than a cent is no transaction: the one that was shown ends, and is not this deposit's any more.
  const transactionId = wasShown && cents === 0n ? newId(now) : row.transaction_id
  const moved = (await tx.row(moveDeposit, [
    ...place,
    transfer.from,
    transfer.units,
    cents,
    dust,
    worth,
    transactionId,
    now,
  ])) as ChainDepositRow
  if (cents > 0n && wasShown) await reshowTransaction(ctx, await shown(ctx, moved))
  else if (cents > 0n) await recordTransaction(ctx, await shown(ctx, moved))
  else if (wasShown && row.status === 'pending') await endTransaction(ctx, row.transaction_id, 'failed')
  await confirming(ctx, row, worth - (row.status === 'pending' ? row.worth : 0n))
}

async function drop(app: App, tx: Tx, row: ChainDepositRow): Promise<void> {
  const scope = await scopeOf({ ...app, tx }, row.business_id, row.livemode)
  const ctx: Ctx = { ...app, scope, tx }
  await tx.rows(setStatus, [row.business_id, row.livemode, row.id, 'dropped', scope.now])
  if (row.amount > 0n) await endTransaction(ctx, row.transaction_id, 'failed')
  await confirming(ctx, row, -row.worth)
}

/** Tells a payment how much of it is being confirmed. */
async function confirming(ctx: Ctx, { kind, subject }: ChainDepositRow, change: bigint): Promise<void> {
  if (kind === 'payment' && change !== 0n) await noteConfirming(ctx, await lock(ctx, subject), change)
}

async function credit(
  app: App,
  network: EvmNetwork,
  deposit: { id: Id; businessId: Id; blockHash: string },
): Promise<void> {
  const scope = await scopeOf(app, deposit.businessId, network.livemode)
  const owner = [deposit.businessId, network.livemode, deposit.id]
  const known = await app.db.row(lockDeposit, owner)
  if (!known) return
  // Before the transaction that posts to them: they must not go when it does. A business of an older version may lack them.
  await transaction(app.db, (tx) => openTokenAccounts(tx, scope, restOf(known, network)))
  await transaction(app.db, async (tx) => {
    const row = await tx.row(lockDeposit, owner)
    if (row?.status !== 'pending' || row.block_hash !== deposit.blockHash) return
    const ctx: Ctx = { ...app, scope, tx }
    const { kind, subject, currency, amount } = row
    const dust = row.dust > 0n ? restOf(row, network) : null
    await tx.rows(setStatus, [...owner, 'credited', scope.now])
    await confirming(ctx, row, -row.worth)
    if (dust) await lockForDust(ctx, dust, kind === 'wallet' ? 'usd' : (await lockToReceive(ctx, subject)).currency)
    if (amount > 0n)
      await cryptoDeposit(
        ctx,
        { kind, subject },
        {
          rail,
          notice: [row.network, row.tx_hash, row.contract_address, row.to_address, row.position].join(' '),
          currency,
          amount,
          source: sourceOf(row),
          seen: { worth: row.worth, transaction: row.transaction_id },
        },
      )
    if (dust) await bookDust(ctx, dust)
  })
}

/** What of a deposit is less than a cent. */
function restOf({ currency, dust, subject, transaction_id }: ChainDepositRow, network: EvmNetwork): Dust {
  const decimals = network.tokens[currency]?.decimals as number
  return { currency, decimals, units: dust, rail, subject, transaction: transaction_id }
}

/**
 * What was sent to a crypto wallet on chains.
 * @throws {Refusal} `not_found`
 */
export async function listDeposits(
  ctx: Ctx,
  walletId: string,
  query: Static<typeof ChainDepositQuery>,
): Promise<PageOf<Static<typeof ChainDepositRecord>>> {
  const wallet = await findWallet(ctx, walletId)
  const page = await listPage<ChainDepositRow>(
    reader(ctx),
    {
      table: 'chain_deposits',
      columns,
      business: ctx.scope.businessId,
      livemode: ctx.scope.livemode,
      filters: [
        ['subject = ?', wallet.id],
        ['status = ?', query.status],
      ],
    },
    query,
  )
  const tips = new Map((await reader(ctx).rows(selectTips)).map((row) => [row.network, row.tip]))
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
