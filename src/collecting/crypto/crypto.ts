/**
 * Deposit addresses and crypto wallets, which are permanent addresses. `deposits` books what
 * arrives.
 */
import { insert, type View, type Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import type { Queryable, Tx } from '../../db/db.ts'
import { listPage, mapPage, type PageOf } from '../../db/lists/list.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { cryptoCurrencies } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import { addressRail, addressTerms } from '../../rails/accounts/choice.ts'
import { type Network, networksOf, tokenNames } from '../../rails/reference/networks.ts'
import { requireCustomer } from '../customers/customers.ts'
import { refuse } from './refusals.ts'
import type {
  CryptoWalletIn,
  CryptoWalletQuery,
  CryptoWalletRecord,
  TokenRecord,
} from './schema.ts'
import type { CryptoWalletRow, OwnerRow } from './sql.ts'
import * as statements from './sql.ts'

export { cryptoRefusals } from './refusals.ts'
export type { CryptoWalletRow, OwnerRow } from './sql.ts'
export type CryptoWallet = Static<typeof CryptoWalletRecord>

/** A deposit address with its EIP-55 checksum, the same on every network, and its key and index. */
export type TakenAddress = { address: string; key: string; index: bigint }

/**
 * Returns the deposit address of a payment or crypto wallet, or derives one at the key's next
 * index. The index is used up, even if the address is never allotted.
 * @throws {Refusal} `rail_not_configured`
 */
export async function takeAddress(ctx: Ctx, subject: Id): Promise<TakenAddress> {
  const rail = addressRail(ctx)
  const known = await ctx.row(statements.selectAddress, [subject])
  if (known && isLasting(ctx, known)) return known
  const index = await ctx.write(
    async ({ tx }) => (await tx.row(statements.takeIndex, [rail.key]))?.index as bigint,
  )
  return { address: await rail.address(subject, Number(index)), key: rail.key, index }
}

/**
 * Stores the deposit address of a payment or crypto wallet, unless it has one.
 * @returns the stored address, perhaps that of a concurrent request
 */
export async function allotAddress(
  work: Work,
  kind: OwnerRow['kind'],
  subject: Id,
  { address, key, index }: TakenAddress,
): Promise<string> {
  const known = await work.row(statements.selectAddress, [subject])
  if (known && isLasting(work, known)) return known.address
  if (known) await work.rows(statements.deleteAddress, [subject])
  await insert(work, statements.addresses, {
    address,
    kind,
    subject,
    key,
    index,
    created_at: work.scope.now,
  })
  return address
}

/** Whether an address stays valid. A sandbox address must not be paid once chains are connected. */
const isLasting = (view: View, { key }: { key: string }): boolean =>
  key !== 'sandbox' || addressTerms(view).key === 'sandbox'

/** Skips the next indexes of a key, whose addresses were given out before a restore. */
export async function skipIndexes(tx: Tx, key: string, count: number): Promise<void> {
  await tx.rows(statements.addToIndex, [key, count])
}

/** Skips the next indexes of every key. */
export async function skipIndexesOfAll(tx: Tx, count: number): Promise<void> {
  await tx.rows(statements.addToEveryIndex, [count])
}

/** Returns the owners of addresses of a mode, without unknown addresses. */
export async function ownersOf(
  db: Queryable,
  livemode: boolean,
  asked: string[],
): Promise<Map<string, OwnerRow>> {
  const rows = await db.rows(statements.selectOwners, [asked, livemode])
  return new Map(rows.map((row) => [row.address, row]))
}

/** Returns a mode's deposit addresses on chains; null when there are more than `limit`. */
export async function knownAddresses(
  db: Queryable,
  livemode: boolean,
  limit: number,
): Promise<string[] | null> {
  const rows = await db.rows(statements.selectKnownAddresses, [livemode, limit + 1])
  return rows.length > limit ? null : rows.map((row) => row.address)
}

/**
 * Checks what a request asks for, and takes an address for it: none for what is refused.
 * @throws {Refusal} `customer_not_found`, `duplicate_reference` (409), `rail_not_configured`
 */
export async function prepare(ctx: Ctx, input: Static<typeof CryptoWalletIn>) {
  const { reference, customer } = input
  addressRail(ctx)
  if (customer !== undefined) await requireCustomer(ctx, customer)
  if (reference !== undefined && (await ctx.row(statements.selectReference, [reference])))
    refuseDuplicate(reference)
  const id = newId(ctx.scope.now)
  return { id, input, taken: await takeAddress(ctx, id) }
}

/**
 * Opens a crypto wallet.
 * @throws {Refusal} `duplicate_reference` (409)
 */
export async function create(
  work: Work,
  wanted: Awaited<ReturnType<typeof prepare>>,
): Promise<CryptoWallet> {
  const { now } = work.scope
  const { id, input, taken } = wanted
  const row = await insert(
    work,
    statements.cryptoWallets,
    {
      id,
      reference: input.reference ?? null,
      customer_id: input.customer ?? null,
      address: await allotAddress(work, 'wallet', id, taken),
      label: input.label ?? null,
      rail: addressTerms(work).name,
      status: 'active',
      metadata: input.metadata ?? {},
      created_at: now,
      updated_at: now,
    },
    '(business_id, livemode, reference) do nothing',
  )
  return row ? toCryptoWallet(work, row) : refuseDuplicate(input.reference)
}

function refuseDuplicate(reference: string | undefined): never {
  refuse('duplicate_reference', `A crypto wallet with the reference '${reference}' exists already.`)
}

/** @throws {Refusal} `not_found` */
export async function get(ctx: Ctx, id: string): Promise<CryptoWallet> {
  return toCryptoWallet(ctx, await findCryptoWallet(ctx, id))
}

/** @throws {Refusal} `not_found` */
export async function findCryptoWallet(view: View, id: string): Promise<CryptoWalletRow> {
  const row = await view.row(statements.selectCryptoWallet, [id])
  return row ?? refuse('not_found', `There is no crypto wallet '${id}'.`)
}

/**
 * Closes a wallet. What still comes to its address is booked, and marked late.
 * @throws {Refusal} `not_found`, `wallet_not_active`
 */
export async function close(work: Work, id: string): Promise<CryptoWallet> {
  const found = await findCryptoWallet(work, id)
  const row = await work.row(statements.closeCryptoWallet, [found.id, work.scope.now])
  return row
    ? toCryptoWallet(work, row)
    : refuse('wallet_not_active', 'The crypto wallet is closed already.')
}

export async function list(
  ctx: Ctx,
  query: Static<typeof CryptoWalletQuery>,
): Promise<PageOf<CryptoWallet>> {
  const page = await listPage<CryptoWalletRow>(ctx, statements.cryptoWallets, query, {
    filters: [
      ['customer_id = ?', query.customer],
      ['status = ?', query.status],
      [statements.matches, query.search?.trim()],
    ],
  })
  return mapPage(page, (row) => toCryptoWallet(ctx, row))
}

/** The tokens, and the networks that each moves on. */
export function tokens({ networks, scope }: View): Static<typeof TokenRecord>[] {
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

/** Whether this server speaks to a network in a mode. The sandbox simulates the others. */
export const isConnected = (
  livemode: boolean,
  network: { connected: boolean; testnet: boolean },
): boolean => network.connected && network.testnet !== livemode

/**
 * The networks that money can be sent on: those the server speaks to, and in test mode also those
 * that the sandbox plays.
 */
export function openNetworks({ networks, scope }: View): readonly Network[] {
  return scope.livemode ? networks.filter((network) => isConnected(true, network)) : networks
}

function toCryptoWallet(view: View, { customer_id, rail, ...row }: CryptoWalletRow): CryptoWallet {
  const networks = openNetworks(view).filter(
    (network) => rail !== 'sandbox' || !isConnected(view.scope.livemode, network),
  )
  return { ...row, customer: customer_id, networks: networks.map((network) => network.id) }
}
