/**
 * Stablecoins coming in: deposit addresses and whose they are, and crypto wallets, which are addresses that stay. What arrives is
 * booked by `deposits`.
 */
import { type Ctx, inTransaction, railOf, reader } from '../../core/context.ts'
import type { Queryable, Tx } from '../../db/db.ts'
import { listPage, mapPage, type PageOf } from '../../db/list.ts'
import { refuse } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'
import { cryptoCurrencies } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import { type Network, networksOf, tokenNames } from '../../rails/networks.ts'
import { findCustomer } from '../customers/customers.ts'
import type { CryptoWalletIn, CryptoWalletQuery, CryptoWalletRecord, TokenRecord } from './schema.ts'
import {
  addToIndex,
  type CryptoWalletRow,
  closeWallet,
  columns,
  deleteAddress,
  insertAddress,
  insertWallet,
  type OwnerRow,
  selectAddress,
  selectKnownAddresses,
  selectOwners,
  selectWallet,
  takeIndex,
} from './sql.ts'

export type { CryptoWalletRow, OwnerRow } from './sql.ts'
export type CryptoWallet = Static<typeof CryptoWalletRecord>

/**
 * Gives a payment or a crypto wallet its deposit address, in the caller's transaction; the same one every time.
 * @returns the address with its EIP-55 checksum, the same on every network
 * @throws {Refusal} `rail_not_configured`
 */
export async function allotAddress(ctx: Ctx, kind: OwnerRow['kind'], subject: Id): Promise<string> {
  const { businessId, livemode, now } = ctx.scope
  const tx = ctx.tx as Tx
  const rail = railOf(ctx, 'addresses')
  const known = await tx.row(selectAddress, [businessId, livemode, subject])
  // The sandbox's address is nobody's: once chains are connected it must not be paid to.
  if (known && (known.key !== 'sandbox' || rail.key === 'sandbox')) return known.address
  if (known) await tx.rows(deleteAddress, [businessId, livemode, subject])
  const taken = await tx.row(takeIndex, [rail.key])
  const index = taken?.index as bigint
  const address = await rail.address(subject, Number(index))
  await tx.rows(insertAddress, [address, businessId, livemode, kind, subject, rail.key, index, now])
  return address
}

/** Leaves out the next indexes of a key, because addresses were given out that this database does not know. */
export async function skipIndexes(db: Queryable, key: string, count: number): Promise<void> {
  await db.rows(addToIndex, [key, count])
}

/** Whose addresses of a mode are; those that are nobody's are left out. */
export async function ownersOf(db: Queryable, livemode: boolean, addresses: string[]): Promise<Map<string, OwnerRow>> {
  const rows = await db.rows(selectOwners, [addresses, livemode])
  return new Map(rows.map((row) => [row.address, row]))
}

/** The deposit addresses of a mode that stand on chains, or null when they are more than `limit`. */
export async function knownAddresses(db: Queryable, livemode: boolean, limit: number): Promise<string[] | null> {
  const rows = await db.rows(selectKnownAddresses, [livemode, limit + 1])
  return rows.length > limit ? null : rows.map((row) => row.address)
}

/**
 * Opens a crypto wallet.
 * @throws {Refusal} `customer_not_found`, `duplicate_reference` (409), `rail_not_configured`
 */
export function create(ctx: Ctx, input: Static<typeof CryptoWalletIn>): Promise<CryptoWallet> {
  const { businessId, livemode, now } = ctx.scope
  const rail = railOf(ctx, 'addresses')
  return inTransaction(ctx, async (tx) => {
    const inside: Ctx = { ...ctx, tx }
    if (input.customer !== undefined && !(await findCustomer(inside, input.customer)))
      refuse('customer_not_found', `There is no customer '${input.customer}'.`)
    const id = newId(now)
    const address = await allotAddress(inside, 'wallet', id)
    const row = await tx.row(insertWallet, [
      businessId,
      livemode,
      id,
      input.reference ?? null,
      input.customer ?? null,
      address,
      input.label ?? null,
      rail.name,
      toJson(input.metadata ?? {}),
      now,
    ])
    if (!row) refuse('duplicate_reference', `A crypto wallet with the reference '${input.reference}' exists already.`)
    return toWallet(ctx, row)
  })
}

/** @throws {Refusal} `not_found` */
export async function get(ctx: Ctx, id: string): Promise<CryptoWallet> {
  return toWallet(ctx, await findWallet(ctx, id))
}

/** @throws {Refusal} `not_found` */
export async function findWallet(ctx: Ctx, id: string): Promise<CryptoWalletRow> {
  const row = await reader(ctx).row(selectWallet, [ctx.scope.businessId, ctx.scope.livemode, id])
  return row ?? refuse('not_found', `There is no crypto wallet '${id}'.`)
}

/**
 * Closes a wallet. What still comes to its address is booked, and marked late.
 * @throws {Refusal} `not_found`, `wallet_not_active`
 */
export async function close(ctx: Ctx, id: string): Promise<CryptoWallet> {
  const { businessId, livemode, now } = ctx.scope
  const found = await findWallet(ctx, id)
  const row = await reader(ctx).row(closeWallet, [businessId, livemode, found.id, now])
  return row ? toWallet(ctx, row) : refuse('wallet_not_active', 'The crypto wallet is closed already.')
}

export async function list(ctx: Ctx, query: Static<typeof CryptoWalletQuery>): Promise<PageOf<CryptoWallet>> {
  const page = await listPage<CryptoWalletRow>(
    reader(ctx),
    {
      table: 'crypto_wallets',
      columns,
      business: ctx.scope.businessId,
      livemode: ctx.scope.livemode,
      filters: [
        ['customer_id = ?', query.customer],
        ['status = ?', query.status],
      ],
    },
    query,
  )
  return mapPage(page, (row) => toWallet(ctx, row))
}

/** The tokens, and the networks that each moves on. */
export function tokens({ networks, scope }: Ctx): Static<typeof TokenRecord>[] {
  return cryptoCurrencies.map((currency) => ({
    currency,
    name: tokenNames[currency],
    networks: networksOf(networks, currency, scope.livemode).map((network) => ({
      id: network.id,
      name: network.name,
      chain_id: network.chain_id,
      contract_address: network.tokens[currency]?.contract_address ?? '',
      decimals: network.tokens[currency]?.decimals ?? 0,
      confirmations: network.confirmations,
      testnet: network.testnet,
      connected: isConnected(scope.livemode, network),
    })),
  }))
}

/** A network of the other mode is not spoken to in this one. */
const isConnected = (livemode: boolean, network: { connected: boolean; testnet: boolean }): boolean =>
  network.connected && network.testnet !== livemode

/**
 * The networks that money can be sent on: those the server speaks to, and in test mode also those that the sandbox plays.
 */
export function openNetworks({ networks, scope }: Ctx): readonly Network[] {
  return scope.livemode ? networks.filter((network) => isConnected(true, network)) : networks
}

function toWallet(ctx: Ctx, { customer_id, rail, ...row }: CryptoWalletRow): CryptoWallet {
  const networks = openNetworks(ctx).filter(
    (network) => rail !== 'sandbox' || !isConnected(ctx.scope.livemode, network),
  )
  return { ...row, customer: customer_id, networks: networks.map((network) => network.id) }
}
