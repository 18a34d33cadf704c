/**
 * A watcher on a local chain, with a small book of deposits, for tests of what is read of EVM
 * networks. A file that imports this starts a node and a database of its own.
 */
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { after, before } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { getAddress } from 'viem'
import { type Database, openDatabase, sqlOfAll } from '../../src/db/db.ts'
import { migrate } from '../../src/db/schema/migrate.ts'
import { manualClock } from '../../src/lib/clock.ts'
import { openChain } from '../../src/rails/evm/chain.ts'
import type { WatchParts } from '../../src/rails/evm/parts.ts'
import type { EvmNetwork } from '../../src/rails/evm/settings.ts'
import { type Memory, newMemory, step } from '../../src/rails/evm/watcher.ts'
import type { DepositBook } from '../../src/rails/ports/chains.ts'
import { type Anvil, startAnvil } from './anvil.ts'
import { newDatabase } from './cluster.ts'
import { silent } from './treasury.ts'

export const ours = getAddress(`0x${'a1'.repeat(20)}`)
export const alsoOurs = getAddress(`0x${'b2'.repeat(20)}`)
export const stranger = getAddress(`0x${'c3'.repeat(20)}`)
export const confirmations = 3

type Deposit = {
  tx_hash: string
  to_address: string
  currency: string
  units: string
  status: 'pending' | 'credited' | 'dropped'
  credits: number
  block_number: bigint
}
// biome-ignore lint/suspicious/noExplicitAny: parameters come in every shape
type Rpc = { id: number; method: string; params: any[] }
/** What a proxy does with a request: pass it on, answer with an error, or answer with this. */
type Rule = (
  request: Rpc,
) => undefined | { error: { code: number; message: string } } | { result: unknown } | HttpAnswer

/** What the whole HTTP request is answered, instead of JSON-RPC. */
type HttpAnswer = { status: number; body: string; headers?: Record<string, string> }

export let anvil: Anvil
/** Contract addresses: six decimals, and eighteen. */
export let usdc: string
export let usdt: string
export let db: Database
let database: Awaited<ReturnType<typeof newDatabase>>
export const clock = manualClock(new Date('2026-01-01T00:00:00Z'))
/** What was logged. */
export const lines: { level: string; fields: Record<string, unknown>; message: string }[] = []
export const servers: Server[] = []

before(async () => {
  anvil = await startAnvil()
  usdc = await anvil.deploy('USDC', 6)
  usdt = await anvil.deploy('USDT', 18)
  for (const token of [usdc, usdt]) await anvil.mint(token, anvil.account(0).address, 10n ** 30n)
  await anvil.mine(5)
  database = await newDatabase()
  db = openDatabase(database.url, { max: 10, onError() {} })
  await database.asOwner(`create table test_addresses (address text primary key)`)
  await database.asOwner(`create table test_deposits (
    id text not null default gen_random_uuid()::text, network text, tx_hash text, contract text, to_address text, position int,
    currency text, units numeric, status text, credits int not null default 0, block_number bigint, block_hash text,
    primary key (network, tx_hash, contract, to_address, position))`)
  await migrate(database.ownerUrl)
  await db.query('insert into test_addresses select unnest($1::text[])', [[ours, alsoOurs]])
})
after(async () => {
  for (const server of servers) server.close()
  await db.close()
  await database.drop()
  await anvil.stop()
})

let made = 0
export function networkOf(more: Partial<EvmNetwork> = {}): EvmNetwork {
  return {
    id: `net-${++made}`,
    name: 'Test',
    chain_id: 31_337,
    testnet: true,
    native_symbol: 'ETH',
    explorer: '',
    confirmations,
    connected: true,
    tokens: {
      usdc: { contract_address: usdc, decimals: 6 },
      usdt: { contract_address: usdt, decimals: 18 },
    },
    livemode: false,
    rpc: [anvil.url],
    maxRange: 1_000,
    pollMs: 1_000,
    finalizedAbove: null,
    startBlock: null,
    stuckMs: 60_000,
    maxFeePerGas: 10n ** 12n,
    maxSweepFeePerGas: 10n ** 12n,
    ...more,
  }
}

const seen = sqlOfAll(
  'test.seen',
  `insert into test_deposits as known
     (network, tx_hash, contract, to_address, position, currency, units, status, block_number, block_hash)
   select $1, $2, $3, $4, $5, $6, $7, 'pending', $8, $9 from test_addresses where address = $4
   on conflict (network, tx_hash, contract, to_address, position) do update
      set status = 'pending', block_number = excluded.block_number, block_hash = excluded.block_hash
    where known.status = 'dropped'
   returning id`,
)
const dropped = sqlOfAll(
  'test.drop',
  `update test_deposits set status = 'dropped' where network = $1 and block_number > $2 and status = 'pending'`,
)
const creditedAbove = sqlOfAll<{ id: string }>(
  'test.credited',
  `select id from test_deposits where network = $1 and block_number > $2 and status = 'credited'`,
)
export const bookOf = (over: Partial<DepositBook> = {}): DepositBook => ({
  async addresses(_livemode, limit) {
    const rows = await db.query<{ address: string }>(
      'select address from test_addresses limit $1',
      [limit + 1],
    )
    return rows.length > limit ? null : rows.map(({ address }) => address)
  },
  async recordTransfers(tx, network, transfers) {
    let fresh = 0
    for (const one of transfers) {
      const added = await tx.rows(seen, [
        network.id,
        one.txHash,
        one.contract,
        one.to,
        one.position,
        one.currency,
        one.units,
        one.blockNumber,
        one.blockHash,
      ])
      fresh += added.length
    }
    return fresh
  },
  async dropReorganised(tx, network, block) {
    await tx.rows(dropped, [network.id, block])
    return (await tx.rows(creditedAbove, [network.id, block])).map(({ id }) => id)
  },
  async due(network, through, limit) {
    const rows = await db.query<{
      id: string
      block_number: bigint
      block_hash: string
      units: string
    }>(
      `select * from test_deposits where network = $1 and block_number <= $2 and status = 'pending'
        order by block_number, id limit $3`,
      [network.id, through, limit],
    )
    return rows.map((row) => ({
      id: row.id,
      businessId: 'b',
      blockNumber: row.block_number,
      blockHash: row.block_hash,
      amount: BigInt(row.units) / 10_000n,
    }))
  },
  async credit(_network, { id, blockHash }) {
    await db.query(
      `update test_deposits set status = 'credited', credits = credits + 1
        where id = $1 and block_hash = $2 and status = 'pending'`,
      [id, blockHash],
    )
  },
  ...over,
})

export type Watch = WatchParts & { memory: Memory }
export function watchOf(network: EvmNetwork, over: Partial<DepositBook> = {}, name = 'one'): Watch {
  const log = (level: string) => (fields: object, message: string) => {
    lines.push({ level, fields: fields as Record<string, unknown>, message })
  }
  return {
    db,
    clock,
    name,
    book: bookOf(over),
    chain: openChain(network, () => clock.now().getTime()),
    memory: newMemory(network),
    log: { ...silent, info: log('info'), warn: log('warn'), error: log('error') },
  }
}
/** Steps until there is nothing more to do at once. */
export async function run(watch: Watch): Promise<string> {
  for (;;) {
    const { result, more } = await step(watch, watch.memory)
    if (!more) return result
  }
}
/** A watcher that stands at the tip. */
export async function begin(
  more: Partial<EvmNetwork> = {},
  over: Partial<DepositBook> = {},
): Promise<Watch> {
  const watch = watchOf(networkOf(more), over)
  assert.equal(await run(watch), 'done')
  return watch
}
export const deposits = ({ chain }: Watch): Promise<Deposit[]> =>
  db.query<Deposit>('select * from test_deposits where network = $1 order by block_number', [
    chain.network.id,
  ])
export async function only(watch: Watch): Promise<Deposit> {
  const found = await deposits(watch)
  assert.equal(found.length, 1)
  return found[0] as Deposit
}
type NetworkState = {
  block_number: bigint
  tip: bigint
  halted: string | null
  trouble: string | null
  leased_by: string
}
export async function stateOf({ chain }: Watch): Promise<NetworkState> {
  const [row] = await db.query<NetworkState>('select * from evm_networks where network = $1', [
    chain.network.id,
  ])
  return row as NetworkState
}
export const height = (): Promise<bigint> => anvil.node.getBlockNumber({ cacheTime: 0 })

/**
 * Sends tokens, and waits for the block. Just after a reorganisation the node may lose what it has
 * taken: that is sent again.
 */
export async function send(
  token: string,
  from: number,
  to: string,
  units: bigint,
): Promise<string> {
  const ask = (method: string, hash: string) =>
    anvil.node.request({ method, params: [hash] } as never)
  for (;;) {
    const hash = await anvil.transfer(token, from, to, units)
    const lostAt = performance.now() + 2_000
    while (performance.now() < lostAt || (await ask('eth_getTransactionByHash', hash)) !== null) {
      if ((await ask('eth_getTransactionReceipt', hash)) !== null) return hash
      await sleep(2)
    }
  }
}

/** A provider in front of the node. */
export async function proxy(
  rule: Rule,
): Promise<{ url: string; calls: Rpc[]; requests: number; rule: Rule }> {
  const state = { url: '', calls: [] as Rpc[], requests: 0, rule }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const asked = JSON.parse(text) as Rpc | Rpc[]
    state.requests++
    const answers = []
    for (const one of [asked].flat()) {
      one.params ??= []
      state.calls.push(one)
      const own = state.rule(one)
      if (own && 'status' in own) {
        response
          .writeHead(own.status, { 'content-type': 'application/json', ...own.headers })
          .end(own.body)
        return
      }
      if (own) answers.push({ jsonrpc: '2.0', id: one.id, ...own })
      else {
        const passed = await fetch(anvil.url, {
          method: 'POST',
          body: JSON.stringify(one),
          headers: { 'content-type': 'application/json' },
        })
        answers.push(await passed.json())
      }
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(Array.isArray(asked) ? answers : answers[0]))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push(server)
  state.url = `http://127.0.0.1:${(server.address() as { port: number }).port}/v2/secret-key`
  return state
}
export const widthOf = ({ params }: Rpc): number => {
  const [{ fromBlock, toBlock }] = params
  return fromBlock === undefined ? 0 : Number(toBlock) - Number(fromBlock) + 1
}
