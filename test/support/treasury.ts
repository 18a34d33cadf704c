/**
 * A treasury on a local chain, with the database and the periodic task that pays from it, for tests
 * of what is sent to EVM networks.
 */
import type { TestContext } from 'node:test'
import { type Address, getAddress, type Hex, keccak256, pad, toHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { openDatabase } from '../../src/db/db.ts'
import { newId } from '../../src/lib/ids.ts'
import type { Log } from '../../src/lib/log.ts'
import { type Chain, openChain } from '../../src/rails/evm/chain.ts'
import type { Endpoint } from '../../src/rails/evm/endpoint.ts'
import { signerOf } from '../../src/rails/evm/keys.ts'
import { evmPayoutRail, senderStates, sendTask } from '../../src/rails/evm/sender.ts'
import type { EvmNetwork } from '../../src/rails/evm/settings.ts'
import type { OrderState, PayoutOrder } from '../../src/rails/ports/rail.ts'
import { type Anvil, startAnvil } from './anvil.ts'
import { newDatabase } from './cluster.ts'

export const silent: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  isLevelEnabled: () => false,
}

/** A clock that runs, and can be moved. */
export function runningClock() {
  let offset = 0
  return {
    now: () => new Date(Date.now() + offset),
    advance: (milliseconds: number) => {
      offset += milliseconds
    },
  }
}

export const randomAddress = (): Address => privateKeyToAccount(generatePrivateKey()).address

/** Settings of a local chain. */
export function localNetwork(
  rpc: string[],
  token: string,
  over: Partial<EvmNetwork> & { decimals?: number } = {},
): EvmNetwork {
  const { decimals = 6, ...rest } = over
  return {
    id: 'local',
    name: 'Local',
    chain_id: 31_337,
    testnet: true,
    native_symbol: 'ETH',
    explorer: '',
    confirmations: 2,
    connected: true,
    tokens: { usdc: { contract_address: token, decimals } },
    livemode: false,
    rpc,
    maxRange: 1_000,
    pollMs: 100,
    finalizedAbove: null,
    startBlock: null,
    stuckMs: 60_000,
    maxFeePerGas: 500_000_000_000n,
    maxSweepFeePerGas: 100_000_000_000n,
    ...rest,
  }
}

export type Treasury = Awaited<ReturnType<typeof startTreasury>>

/** Starts it all; it ends with the test. */
export async function startTreasury(
  t: TestContext,
  options: {
    decimals?: number
    cents?: bigint
    coins?: bigint
    network?: Partial<EvmNetwork>
    rpc?(url: string): string[]
  } = {},
) {
  const decimals = options.decimals ?? 6
  const unit = 10n ** BigInt(decimals - 2)
  const anvil = await startAnvil()
  t.after(() => anvil.stop())
  const database = await newDatabase()
  const db = openDatabase(database.url, { max: 8, onError() {} })
  t.after(async () => {
    await db.close()
    await database.drop()
  })
  const token = await anvil.deploy('USDC', decimals)
  const key = generatePrivateKey()
  const signer = signerOf(key)
  await anvil.fund(signer.address, options.coins ?? 10n ** 18n)
  if ((options.cents ?? 1_000_000n) > 0n)
    await anvil.mint(token, signer.address, (options.cents ?? 1_000_000n) * unit)
  const clock = runningClock()
  const rpc = options.rpc?.(anvil.url) ?? [anvil.url]
  const network = localNetwork(rpc, token, { decimals, ...options.network })
  const chain = openChain(network)
  const logged: string[] = []
  const log = {
    ...silent,
    error: (fields: object, message: string) =>
      logged.push(`${message} ${JSON.stringify(fields, bigints)}`),
  }
  const parts = { db, clock, log, chain, signer }
  const rail = evmPayoutRail(parts)
  const task = sendTask(parts)

  return {
    anvil,
    database,
    db,
    token,
    key,
    signer,
    clock,
    network,
    chain,
    parts,
    rail,
    logged,
    unit,
    /** One round of the periodic task. */
    tick: () => task.run(),
    order: (cents: bigint, to: string = randomAddress()): PayoutOrder => ({
      id: newId(clock.now()),
      attempt: 1,
      businessId: newId(clock.now()),
      amount: cents,
      currency: 'usdc',
      destination: {
        type: 'crypto',
        currency: 'usdc',
        chain: 'local',
        address: to,
        contract_address: token,
      },
      at: clock.now(),
    }),
    /** What an order's recipient has, in the token's own units. */
    received: (order: PayoutOrder) =>
      anvil.balance(token, (order.destination as { address: string }).address),
    trouble: async () =>
      (await senderStates(db)).find((one) => one.address === signer.address)?.trouble ?? null,
    state: async () => (await senderStates(db))[0],
    row: async (order: { id: string }) =>
      (
        await db.query<Record<string, never>>('select * from evm_transactions where id = $1', [
          order.id,
        ])
      )[0] as Record<string, never> | undefined,
    broadcasts: async (order: { id: string }) =>
      db.query<{ hash: Hex; max_fee: string }>(
        'select hash, max_fee from evm_broadcasts where id = $1 order by max_fee',
        [order.id],
      ),
    async mined(hash: string): Promise<boolean> {
      return (await chain.on((endpoint) => endpoint.receipt(hash))) !== null
    },
  }
}

const bigints = (_key: string, value: unknown) =>
  typeof value === 'bigint' ? value.toString() : value

/** The same chain with something done around the calls of its endpoints. */
export function wrapped(chain: Chain, over: (endpoint: Endpoint) => Partial<Endpoint>): Chain {
  return {
    ...chain,
    on: (work) => chain.on((endpoint) => work({ ...endpoint, ...over(endpoint) })),
  }
}

/** Runs rounds, with a block mined before each, until the order has ended. */
export async function finish(
  treasury: Treasury,
  order: PayoutOrder,
  rounds = 20,
): Promise<OrderState> {
  for (let round = 0; round < rounds; round++) {
    await treasury.tick()
    const state = await treasury.rail.ask(order)
    if (state.state === 'completed' || state.state === 'failed') return state
    await treasury.anvil.mine(1)
  }
  throw new Error(`order ${order.id} did not end`)
}

/** Sets a balance of the test token, whose balances are in slot 4. */
export async function setTokens(
  anvil: Anvil,
  token: string,
  owner: string,
  units: bigint,
): Promise<void> {
  const index = keccak256(`${pad(owner as Hex)}${pad(toHex(4)).slice(2)}` as Hex)
  await anvil.node.setStorageAt({ address: token as Hex, index, value: pad(toHex(units)) })
}

/**
 * Makes a token refuse transfers: to one address, or from one. The code before it looks at the call
 * and reverts, or hands it on to the token's own code at another address, on the token's storage.
 * @param how the code that refuses
 */
export async function block(
  anvil: Anvil,
  token: string,
  which: 'to' | 'from',
  address: string,
  how = '60006000fd',
): Promise<void> {
  const code = await anvil.node.getCode({ address: token as Hex })
  const moved = getAddress(`0x${'77'.repeat(20)}`)
  await anvil.node.setCode({ address: moved, bytecode: code as Hex })
  const who = which === 'to' ? '600435' : '33'
  // if selector == transfer(address,uint256) and who == address: revert; else delegatecall and
  // answer the same.
  const test = `60003560e01c63a9059cbb14${who}73${address.slice(2)}1416`
  const parts = [
    `${test}60XX57`,
    '3660006000376000600036600073',
    moved.slice(2),
    '5af43d600060003e60YY573d6000fd5b3d6000f35b',
    how.padEnd(10, '0'),
  ].join('')
  const at = (tail: number): string => (parts.length / 2 - tail).toString(16).padStart(2, '0')
  const bytecode = `0x${parts.replace('XX', at(6)).replace('YY', at(11))}`
  await anvil.node.setCode({ address: token as Hex, bytecode: bytecode as Hex })
}

/** Takes the block of `block` away. */
export async function unblock(anvil: Anvil, token: string): Promise<void> {
  const code = await anvil.node.getCode({ address: getAddress(`0x${'77'.repeat(20)}`) })
  await anvil.node.setCode({ address: token as Hex, bytecode: code as Hex })
}
