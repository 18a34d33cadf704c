import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { getAddress } from 'viem'
import { type Anvil, startAnvil } from '../../../test/anvil.ts'
import { newDatabase } from '../../../test/cluster.ts'
import { type Database, openDatabase, sql } from '../../db/db.ts'
import { manualClock } from '../../lib/clock.ts'
import { openChain } from './chain.ts'
import { evmMeasures, evmStates } from './evm.ts'
import type { EvmNetwork } from './settings.ts'
import { type DepositBook, type Memory, newMemory, resume, step, type WatchParts, watchChore } from './watcher.ts'

const ours = getAddress(`0x${'a1'.repeat(20)}`)
const alsoOurs = getAddress(`0x${'b2'.repeat(20)}`)
const stranger = getAddress(`0x${'c3'.repeat(20)}`)
const lookAlike = getAddress(`0xa1a1${'99'.repeat(16)}a1a1`)
const confirmations = 3

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
type Rule = (request: Rpc) => undefined | { error: { code: number; message: string } } | { result: unknown }

describe('the watcher of a network', () => {
  let anvil: Anvil
  let usdc: string
  let usdt: string
  let db: Database
  let database: Awaited<ReturnType<typeof newDatabase>>
  const clock = manualClock(new Date('2026-01-01T00:00:00Z'))
  const lines: { level: string; fields: Record<string, unknown>; message: string }[] = []
  const servers: Server[] = []

  before(async () => {
    anvil = await startAnvil()
    usdc = await anvil.deploy('USDC', 6)
    usdt = await anvil.deploy('USDT', 18)
    for (const token of [usdc, usdt]) await anvil.mint(token, anvil.account(0).address, 10n ** 30n)
    await anvil.mine(5)
    database = await newDatabase()
    db = openDatabase(database.url, { max: 10, onError() {} })
    await db.query(`create table test_addresses (address text primary key)`)
    await db.query(`create table test_deposits (
      id text not null default gen_random_uuid()::text, network text, tx_hash text, contract text, to_address text, position int,
      currency text, units numeric, status text, credits int not null default 0, block_number bigint, block_hash text,
      primary key (network, tx_hash, contract, to_address, position))`)
    await db.query('insert into test_addresses select unnest($1::text[])', [[ours, alsoOurs]])
  })
  after(async () => {
    for (const server of servers) server.close()
    await db.close()
    await database.drop()
    await anvil.stop()
  })

  let made = 0
  function networkOf(more: Partial<EvmNetwork> = {}): EvmNetwork {
    return {
      id: `net-${++made}`,
      name: 'Test',
      chain_id: 31_337,
      testnet: true,
      native_symbol: 'ETH',
      explorer: '',
      confirmations,
      connected: true,
      tokens: { usdc: { contract_address: usdc, decimals: 6 }, usdt: { contract_address: usdt, decimals: 18 } },
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

  const seen = sql(
    'test.seen',
    `insert into test_deposits as known
       (network, tx_hash, contract, to_address, position, currency, units, status, block_number, block_hash)
     select $1, $2, $3, $4, $5, $6, $7, 'pending', $8, $9 from test_addresses where address = $4
     on conflict (network, tx_hash, contract, to_address, position) do update
        set status = 'pending', block_number = excluded.block_number, block_hash = excluded.block_hash
      where known.status = 'dropped'
     returning id`,
  )
  const dropped = sql(
    'test.drop',
    `update test_deposits set status = 'dropped' where network = $1 and block_number > $2 and status = 'pending'`,
  )
  const creditedAbove = sql<{ id: string }>(
    'test.credited',
    `select id from test_deposits where network = $1 and block_number > $2 and status = 'credited'`,
  )
  const bookOf = (over: Partial<DepositBook> = {}): DepositBook => ({
    async addresses(_livemode, limit) {
      const rows = await db.query<{ address: string }>('select address from test_addresses limit $1', [limit + 1])
      return rows.length > limit ? null : rows.map(({ address }) => address)
    },
    async seen(tx, network, transfers) {
      let fresh = 0
      for (const one of transfers) {
        const added = await tx.rows(seen, [
          ...[network.id, one.txHash, one.contract, one.to, one.position, one.currency, one.units],
          ...[one.blockNumber, one.blockHash],
        ])
        fresh += added.length
      }
      return fresh
    },
    async gone(tx, network, block) {
      await tx.rows(dropped, [network.id, block])
      return (await tx.rows(creditedAbove, [network.id, block])).map(({ id }) => id)
    },
    async due(network, through, limit) {
      const rows = await db.query<{ id: string; block_number: bigint; block_hash: string; units: string }>(
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

  type Watch = WatchParts & { memory: Memory }
  function watchOf(network: EvmNetwork, over: Partial<DepositBook> = {}, name = 'one'): Watch {
    const log = (level: string) => (fields: object, message: string) => {
      lines.push({ level, fields: fields as Record<string, unknown>, message })
    }
    return {
      ...{ db, clock, name, book: bookOf(over), chain: openChain(network), memory: newMemory(network) },
      log: { info: log('info'), warn: log('warn'), error: log('error') },
    }
  }
  /** Steps until there is nothing more to do at once. */
  async function run(watch: Watch): Promise<string> {
    for (;;) {
      const { result, more } = await step(watch, watch.memory)
      if (!more) return result
    }
  }
  /** A watcher that stands at the tip. */
  async function begin(more: Partial<EvmNetwork> = {}, over: Partial<DepositBook> = {}): Promise<Watch> {
    const watch = watchOf(networkOf(more), over)
    assert.equal(await run(watch), 'done')
    return watch
  }
  const deposits = ({ chain }: Watch): Promise<Deposit[]> =>
    db.query<Deposit>('select * from test_deposits where network = $1 order by block_number', [chain.network.id])
  async function only(watch: Watch): Promise<Deposit> {
    const [first, ...rest] = await deposits(watch)
    assert.ok(first && rest.length === 0, `${rest.length + (first ? 1 : 0)} deposits`)
    return first
  }
  type Place = { block_number: bigint; tip: bigint; halted: string | null; trouble: string | null; leased_by: string }
  async function place({ chain }: Watch): Promise<Place> {
    const [row] = await db.query<Place>('select * from evm_networks where network = $1', [chain.network.id])
    return row as Place
  }
  const height = (): Promise<bigint> => anvil.node.getBlockNumber({ cacheTime: 0 })

  /** Sends tokens, and waits for the block. */
  async function send(token: string, from: number, to: string, units: bigint): Promise<string> {
    const hash = await anvil.transfer(token, from, to, units)
    while ((await anvil.node.request({ method: 'eth_getTransactionReceipt', params: [hash] } as never)) === null)
      await sleep(2)
    return hash
  }

  /** A provider in front of the node. */
  async function proxy(rule: Rule): Promise<{ url: string; calls: Rpc[]; requests: number; rule: Rule }> {
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
  const widthOf = ({ params }: Rpc): number => {
    const [{ fromBlock, toBlock }] = params
    return fromBlock === undefined ? 0 : Number(toBlock) - Number(fromBlock) + 1
  }

  describe('counts confirmations', () => {
    for (const [currency, decimals] of [
      ['usdc', 6],
      ['usdt', 18],
    ] as const)
      it(`shows ${currency} (${decimals} decimals) at first sight and credits it with exactly ${confirmations} blocks on top`, async () => {
        const watch = await begin()
        const units = 12n * 10n ** BigInt(decimals) + 1n
        const hash = await send(currency === 'usdc' ? usdc : usdt, 0, ours, units)
        for (let above = 0; above < confirmations; above++) {
          await run(watch)
          assert.partialDeepStrictEqual(await only(watch), {
            ...{ status: 'pending', tx_hash: hash, currency, units: String(units) },
          })
          await anvil.mine(1)
        }
        await run(watch)
        await run(watch)
        assert.partialDeepStrictEqual(await only(watch), { status: 'credited', credits: 1 })
        assert.equal((await place(watch)).tip, await height())
      })

    it('credits at once when a network wants no confirmations', async () => {
      const watch = await begin({ confirmations: 0 })
      await send(usdc, 0, ours, 1_000_000n)
      await run(watch)
      assert.equal((await only(watch)).status, 'credited')
    })

    it('lets large amounts wait for the finalized block, and no small ones behind them', async () => {
      const finalized = await proxy((request) => {
        if (request.method !== 'eth_getBlockByNumber' || request.params[0] !== 'finalized') return
        return { error: { code: -32_000, message: 'finalized block not found' } }
      })
      const watch = await begin({ finalizedAbove: 10_000n, rpc: [finalized.url] })
      await send(usdc, 0, ours, 100_010_000n)
      await send(usdc, 0, alsoOurs, 100_000_000n)
      await anvil.mine(10)
      await run(watch)
      assert.deepEqual(
        (await deposits(watch)).map(({ status }) => status),
        ['pending', 'credited'],
      )
      assert.match((await place(watch)).trouble ?? '', /finalized block not found/)
      finalized.rule = () => undefined
      await run(watch)
      assert.deepEqual(
        (await deposits(watch)).map(({ status }) => status),
        ['credited', 'credited'],
      )
      assert.equal((await place(watch)).trouble, null)
    })

    it('lets a credit that fails keep no other waiting', async () => {
      const book = bookOf()
      let poison = ''
      const watch = await begin(
        {},
        {
          async credit(network, deposit) {
            if (deposit.id === poison) throw new Error('a bug')
            await book.credit(network, deposit)
          },
        },
      )
      await send(usdc, 0, ours, 1_000_000n)
      await run(watch)
      const [first] = await db.query<{ id: string }>('select id from test_deposits where network = $1', [
        watch.chain.network.id,
      ])
      poison = first?.id as string
      await send(usdc, 0, alsoOurs, 1_000_000n)
      await anvil.mine(confirmations)
      await run(watch)
      assert.deepEqual(
        (await deposits(watch)).map(({ status }) => status),
        ['pending', 'credited'],
      )
      assert.match((await place(watch)).trouble ?? '', /a bug/)
      poison = ''
      await run(watch)
      assert.deepEqual(
        (await deposits(watch)).map(({ credits }) => credits),
        [1, 1],
      )
    })

    it('sees what is due behind more deposits than it looks at', async () => {
      const watch = await begin({ finalizedAbove: 10n ** 9n })
      const block = await anvil.node.getBlock()
      const fill = `insert into test_deposits (network, tx_hash, contract, to_address, position, currency, units, status, block_number, block_hash)
        select $1, 'x' || n, '', '', 0, 'usdc', 1000000, 'pending', $2::bigint - 1, 'gone' from generate_series(1, 500) n`
      await db.query(fill, [watch.chain.network.id, block.number])
      await send(usdc, 0, ours, 1_000_000n)
      await anvil.mine(confirmations)
      for (let polls = 0; polls < 4; polls++) await run(watch)
      const [count] = await db.query<{ n: bigint }>(
        `select count(*) as n from test_deposits where network = $1 and status = 'credited'`,
        [watch.chain.network.id],
      )
      assert.equal(count?.n, 1n)
    })
  })

  describe('ignores what is no payment', () => {
    it('fake tokens of the same symbol, transfers of nothing, look-alikes and strangers', async () => {
      const fake = await anvil.deploy('USDC', 6)
      await anvil.mint(fake, anvil.account(0).address, 10n ** 12n)
      const watch = await begin()
      await send(fake, 0, ours, 5_000_000n)
      await send(usdc, 0, ours, 0n)
      await send(usdc, 0, lookAlike, 5_000_000n)
      await send(usdc, 0, stranger, 5_000_000n)
      await anvil.mine(confirmations)
      await run(watch)
      assert.deepEqual(await deposits(watch), [])
    })

    it('in ranges too', async () => {
      const start = (await height()) + 1n
      await send(usdc, 0, ours, 0n)
      await send(usdc, 0, lookAlike, 5_000_000n)
      await send(usdc, 0, ours, 7n)
      await anvil.mine(200)
      const watch = await begin({ startBlock: start })
      assert.partialDeepStrictEqual(await only(watch), { units: '7', status: 'credited' })
    })

    it('keeps new tokens that are minted to an address: they are money', async () => {
      const watch = await begin()
      await anvil.mint(usdc, ours, 3_000_000n)
      await run(watch)
      assert.equal((await only(watch)).units, '3000000')
    })
  })

  describe('notices reorganisations', () => {
    it('drops a deposit whose block is gone, and credits it once when it is mined again in another block', async () => {
      const watch = await begin()
      const hash = await send(usdc, 0, ours, 1_000_000n)
      const raw = await anvil.node.request({ method: 'eth_getRawTransactionByHash', params: [hash] } as never)
      await run(watch)
      await anvil.reorg(1)
      await run(watch)
      assert.equal((await only(watch)).status, 'dropped')
      await anvil.mine(confirmations + 2)
      await run(watch)
      assert.equal((await only(watch)).status, 'dropped')
      const before = (await only(watch)).block_number
      await anvil.node.request({ method: 'eth_sendRawTransaction', params: [raw] } as never)
      await run(watch)
      assert.equal((await only(watch)).status, 'pending')
      await anvil.mine(confirmations)
      await run(watch)
      const last = await only(watch)
      assert.partialDeepStrictEqual(last, { status: 'credited', credits: 1, tx_hash: hash })
      assert.ok(last.block_number > before)
    })

    it('holds a due deposit against the chain before it is credited', async () => {
      const watch = await begin()
      await send(usdc, 0, ours, 1_000_000n)
      await anvil.mine(confirmations - 1)
      await run(watch)
      await anvil.reorg(confirmations)
      await anvil.mine(1)
      // The chain is deep enough by number; reading fails, so that only crediting looks.
      const blind: Watch = { ...watch, chain: { ...watch.chain } }
      let calls = 0
      blind.chain.on = (work) => (calls++ === 0 ? Promise.reject(new Error('down')) : watch.chain.on(work))
      await db.query('update evm_networks set tip = tip + 1 where network = $1', [watch.chain.network.id])
      await step(blind, blind.memory)
      assert.equal(calls, 2)
      assert.equal((await only(watch)).status, 'pending')
      await run(watch)
      assert.equal((await only(watch)).status, 'dropped')
    })

    it('counts confirmations at the endpoint that it asks, not by what another has said', async () => {
      const watch = await begin()
      await send(usdc, 0, ours, 1_000_000n)
      await anvil.mine(confirmations - 1)
      await run(watch)
      const known: Watch = { ...watch, chain: { ...watch.chain } }
      let calls = 0
      known.chain.on = (work) => (calls++ === 0 ? Promise.reject(new Error('down')) : watch.chain.on(work))
      await db.query('update evm_networks set tip = tip + 10 where network = $1', [watch.chain.network.id])
      await step(known, known.memory)
      assert.equal(calls, 2)
      assert.equal((await only(watch)).status, 'pending')
    })

    it('notices one that happened while it was down for long', async () => {
      const watch = await begin()
      await send(usdc, 0, ours, 1_000_000n)
      await run(watch)
      await anvil.reorg(1)
      await anvil.mine(200)
      await run(watch)
      assert.equal((await only(watch)).status, 'dropped')
      assert.equal((await place(watch)).block_number, await height())
    })

    it('stops when a deposit that was credited is gone, and takes nothing back', async () => {
      const watch = await begin()
      await send(usdc, 0, ours, 1_000_000n)
      await anvil.mine(confirmations)
      await run(watch)
      assert.equal((await only(watch)).status, 'credited')
      await anvil.reorg(confirmations + 1)
      assert.equal(await run(watch), 'halted')
      assert.match((await place(watch)).halted ?? '', /reorganised above block \d+, deeper than what was credited/)
      assert.ok(lines.some(({ level, message }) => level === 'error' && /stopped/.test(message)))
      assert.partialDeepStrictEqual(await only(watch), { status: 'credited', credits: 1 })
      await send(usdc, 0, alsoOurs, 2_000_000n)
      await anvil.mine(confirmations)
      assert.equal(await run({ ...watch, memory: newMemory(watch.chain.network) }), 'halted', 'also after a restart')
      assert.ok(await resume(db, watch.chain.network.id))
      assert.equal(await run(watch), 'done')
      assert.deepEqual(
        (await deposits(watch)).map(({ credits }) => credits),
        [1, 1],
      )
    })

    it('stops when the chain has left every block that was kept, and goes on from where a person says', async () => {
      const watch = await begin()
      await db.query(`update evm_blocks set hash = 'other' where network = $1`, [watch.chain.network.id])
      await db.query(`update evm_networks set block_hash = 'other' where network = $1`, [watch.chain.network.id])
      const start = await height()
      await send(usdc, 0, ours, 1_000_000n)
      assert.equal(await run(watch), 'halted')
      assert.match((await place(watch)).halted ?? '', /below block \d+, the lowest that was kept/)
      assert.ok(await resume(db, watch.chain.network.id, start - 2n))
      assert.equal(await run(watch), 'done')
      assert.equal((await only(watch)).status, 'pending')
      assert.equal(await resume(db, 'nowhere'), false)
    })

    it('finds its way when the chain reorganises right after the very first look', async () => {
      const watch = await begin()
      await anvil.reorg(2)
      await send(usdc, 0, ours, 1_000_000n)
      assert.equal(await run(watch), 'done')
      assert.equal((await only(watch)).status, 'pending')
    })

    it('takes a chain that has become shorter for an endpoint that is behind, until it is longer again', async () => {
      const watch = await begin()
      const snapshot = await anvil.node.snapshot()
      await send(usdc, 0, ours, 1_000_000n)
      await anvil.mine(1)
      await run(watch)
      await anvil.node.revert({ id: snapshot })
      assert.equal(await run(watch), 'waiting')
      assert.equal((await only(watch)).status, 'pending')
      await anvil.mine(3)
      assert.equal(await run(watch), 'done')
      assert.equal((await only(watch)).status, 'dropped')
    })

    it('looks again when the chain changes between the blocks and their transfers', async () => {
      let reorganise = false
      const provider = await proxy(() => undefined)
      const watch = await begin(
        { rpc: [provider.url] },
        {
          async addresses() {
            if (reorganise) await anvil.reorg(1)
            reorganise = false
            return [ours]
          },
        },
      )
      await send(usdc, 0, ours, 1_000_000n)
      reorganise = true
      assert.equal((await step(watch, watch.memory)).result, 'waiting')
      assert.equal((await place(watch)).trouble, null)
      assert.equal(await run(watch), 'done')
      assert.deepEqual(await deposits(watch), [])
    })
  })

  describe('keeps its place', () => {
    it('reads a long way back in ranges, and is killed in the middle of it', async () => {
      const start = (await height()) + 1n
      const hashes = []
      for (let i = 0; i < 12; i++) {
        hashes.push(await send(usdc, 0, i % 2 ? ours : alsoOurs, BigInt(i + 1)))
        await anvil.mine(25)
      }
      const network = networkOf({ startBlock: start, maxRange: 40 })
      let steps = 0
      for (;;) {
        // Every other watcher dies after it has told the book and before it commits.
        const dies = steps++ % 2 === 0
        const book = bookOf()
        const watch = watchOf(network, {
          async seen(tx, network, transfers) {
            const fresh = await book.seen(tx, network, transfers)
            if (dies) throw new Error('killed')
            return fresh
          },
        })
        const { more } = await step(watch, watch.memory).catch(() => ({ more: true }))
        if (!more) break
        assert.ok(steps < 100)
      }
      const found = await deposits(watchOf(network))
      assert.deepEqual(
        found.map(({ tx_hash }) => tx_hash),
        hashes,
      )
      assert.deepEqual(new Set(found.map(({ credits }) => credits)), new Set([1]))
    })

    it('catches up after it was down', async () => {
      const watch = await begin()
      await send(usdc, 0, ours, 1n)
      await anvil.mine(300)
      await send(usdc, 0, ours, 2n)
      await run(watch)
      assert.deepEqual(
        (await deposits(watch)).map(({ units, status }) => [units, status]),
        [
          ['1', 'credited'],
          ['2', 'pending'],
        ],
      )
    })

    it('lets two watchers read at once, credits once and leaves nothing out', async () => {
      const start = (await height()) + 1n
      const network = networkOf({ startBlock: start, maxRange: 10 })
      // The same name: the lease keeps neither from reading, only the place does.
      const [one, two] = [watchOf(network), watchOf(network)]
      const hashes: string[] = []
      const chainMoves = (async () => {
        for (let i = 0; i < 20; i++) {
          hashes.push(await send(usdc, 0, ours, BigInt(i + 1)))
          await anvil.mine(i % 7 === 0 ? 40 : 2)
        }
        await anvil.mine(confirmations)
      })()
      let moving = true
      chainMoves.finally(() => {
        moving = false
      })
      const watching = [one, two].map(async (watch) => {
        while (moving) await run(watch)
        for (let i = 0; i < 3; i++) await run(watch)
      })
      await Promise.all([chainMoves, ...watching])
      const found = await deposits(one)
      assert.deepEqual(
        found.map(({ tx_hash }) => tx_hash),
        hashes,
      )
      assert.deepEqual(new Set(found.map(({ credits }) => credits)), new Set([1]))
    })

    it('spares the others the calls, and is followed by another when it does not come back', async () => {
      const watch = await begin()
      const provider = await proxy(() => undefined)
      const other = { ...watchOf({ ...watch.chain.network, rpc: [provider.url] }, {}, 'two') }
      assert.equal((await step(other, other.memory)).result, 'elsewhere')
      assert.equal(provider.requests, 0)
      clock.advance(10_000)
      await run(watch)
      clock.advance(10_000)
      assert.equal((await step(other, other.memory)).result, 'elsewhere')
      clock.advance(6_000)
      assert.equal((await step(other, other.memory)).result, 'done')
      assert.equal((await place(watch)).leased_by, 'two')
      assert.equal((await step(watch, watch.memory)).result, 'elsewhere')
    })

    it('throws away what it read when the place has moved', async () => {
      const network = networkOf()
      const book = bookOf()
      let other: Watch | null = null
      const watch = watchOf(network, {
        async addresses(livemode, limit) {
          const moved = other
          other = null
          if (moved) await run(moved)
          return book.addresses(livemode, limit)
        },
      })
      await run(watch)
      await send(usdc, 0, ours, 1n)
      other = watchOf(network)
      assert.equal((await step(watch, watch.memory)).result, 'elsewhere')
      assert.equal((await deposits(watch)).length, 1)
    })

    it('keeps no more blocks than it needs', async () => {
      const watch = await begin()
      await anvil.mine(400)
      await run(watch)
      await anvil.mine(60)
      for (let i = 0; i < 6; i++) {
        await anvil.mine(60)
        await run(watch)
      }
      const [kept] = await db.query<{ n: bigint; top: bigint }>(
        'select count(*) as n, max(number) as top from evm_blocks where network = $1',
        [watch.chain.network.id],
      )
      assert.deepEqual([kept?.n, kept?.top], [256n, await height()])
    })

    it('says so when a transfer cannot be noted, and credits what was noted all the same', async () => {
      const book = bookOf()
      const watch = await begin(
        {},
        {
          seen: (tx, network, transfers) =>
            transfers.some(({ units }) => units === 13n)
              ? Promise.reject(new Error('no room'))
              : book.seen(tx, network, transfers),
        },
      )
      await send(usdc, 0, ours, 1n)
      await run(watch)
      await send(usdc, 0, ours, 13n)
      await anvil.mine(confirmations)
      await assert.rejects(step(watch, watch.memory), /no room/)
      assert.equal((await place(watch)).trouble, 'on our side: no room')
      await assert.rejects(step(watch, watch.memory), /no room/)
      assert.equal((await only(watch)).status, 'credited')
    })
  })

  describe('copes with providers', () => {
    const wordings = [
      { code: -32_005, message: 'query returned more than 10000 results. Try with this block range [0x1, 0x2].' },
      { code: -32_602, message: 'Log response size exceeded. this block range should work: [0x1, 0x2]' },
      {
        code: -32_600,
        message: 'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range.',
      },
      { code: -32_614, message: 'eth_getLogs is limited to a 10,000 range' },
      { code: -32_602, message: 'range 1000000 exceeds limit of 10000' },
      { code: -32_000, message: 'exceed maximum block range: 5000' },
      { code: -32_000, message: 'block range is too wide' },
      { code: -32_602, message: 'ranges over 10000 blocks are not supported on freetier' },
    ]
    for (const error of wordings)
      it(`halves a range that is refused with "${error.message.slice(0, 45)}…"`, async () => {
        const start = (await height()) + 1n
        for (let i = 0; i < 4; i++) {
          await send(usdc, 0, ours, BigInt(i + 1))
          await anvil.mine(30)
        }
        const provider = await proxy((request) =>
          request.method === 'eth_getLogs' && widthOf(request) > 10 ? { error } : undefined,
        )
        const watch = await begin({ startBlock: start, rpc: [provider.url], maxRange: 1_000 })
        assert.deepEqual(
          (await deposits(watch)).map(({ credits }) => credits),
          [1, 1, 1, 1],
        )
        assert.equal((await place(watch)).trouble, null)
        const refused = provider.calls.filter((call) => call.method === 'eth_getLogs' && widthOf(call) > 10)
        assert.ok(refused.length <= 5, `${refused.length} ranges were refused`)
      })

    it('goes down to single blocks, and fails where even that is too much', async () => {
      const start = (await height()) + 1n
      await send(usdc, 0, ours, 1n)
      await anvil.mine(80)
      const error = { code: -32_005, message: 'query returned more than 10000 results' }
      const provider = await proxy((request) =>
        request.method === 'eth_getLogs' && widthOf(request) > 1 ? { error } : undefined,
      )
      const watch = await begin({ startBlock: start, rpc: [provider.url] })
      assert.equal((await only(watch)).status, 'credited')
      const stuck = watchOf(networkOf({ startBlock: start, rpc: [provider.url] }))
      provider.rule = (request) => (request.method === 'eth_getLogs' ? { error } : undefined)
      assert.equal(await run(stuck), 'failed')
      assert.match((await place(stuck)).trouble ?? '', /more than 10000/)
    })

    it('does not take being asked too often for a range that is too wide', async () => {
      const start = (await height()) + 1n
      await anvil.mine(200)
      const provider = await proxy((request) =>
        request.method === 'eth_getLogs'
          ? { error: { code: 429, message: 'Your app has exceeded its compute units per second capacity' } }
          : undefined,
      )
      const watch = watchOf(networkOf({ startBlock: start, rpc: [provider.url, anvil.url] }))
      await run(watch)
      assert.equal((await place(watch)).block_number, await height())
      assert.equal(provider.calls.filter(({ method }) => method === 'eth_getLogs').length, 1)
    })

    it('reads everything through one that fails now and then', async () => {
      await anvil.mine(70)
      const start = (await height()) + 1n
      for (let i = 0; i < 6; i++) {
        await send(usdc, 0, ours, BigInt(i + 1))
        await anvil.mine(20)
      }
      let n = 0
      const provider = await proxy(() =>
        ++n % 37 === 0 ? { error: { code: -32_603, message: 'Internal error' } } : undefined,
      )
      const watch = watchOf(networkOf({ startBlock: start, rpc: [provider.url], maxRange: 20 }))
      let failures = 0
      for (let i = 0; i < 40; i++) if ((await run(watch)) === 'failed') failures++
      assert.ok(failures > 0)
      assert.deepEqual(
        (await deposits(watch)).map(({ credits }) => credits),
        [1, 1, 1, 1, 1, 1],
      )
      assert.equal((await place(watch)).halted, null, 'a node in trouble is no wrong chain')
    })

    it('waits for one that is behind, and says so when it lasts', async () => {
      let [lag, top] = [0n, await height()]
      const provider = await proxy((request) => {
        if (request.method !== 'eth_getBlockByNumber') return
        const params = request.params
        if (params[0] === 'latest') params[0] = `0x${(top - lag).toString(16)}`
        else if (BigInt(params[0]) > top - lag) return { result: null }
      })
      const watch = await begin({ rpc: [provider.url] })
      await send(usdc, 0, ours, 1n)
      await anvil.mine(confirmations)
      top = await height()
      await run(watch)
      assert.equal((await only(watch)).status, 'credited')
      lag = 2n
      assert.equal(await run(watch), 'waiting')
      assert.equal((await place(watch)).trouble, null)
      assert.equal((await place(watch)).block_number, top)
      clock.advance(31_000)
      assert.equal(await run(watch), 'waiting')
      assert.match((await place(watch)).trouble ?? '', /does not have block \d+, which was read before/)
      lag = 0n
      assert.equal(await run(watch), 'done')
      assert.equal((await place(watch)).trouble, null)
    })

    it('goes over to the second URL when the answers of the first one do not fit together', async () => {
      const provider = await proxy(() => undefined)
      const watch = await begin({ rpc: [provider.url, anvil.url] })
      await send(usdc, 0, ours, 1n)
      await anvil.mine(confirmations)
      await watch.chain.on(async (endpoint) => {
        const { block } = endpoint
        endpoint.block = async (number) => {
          const there = await block(number)
          return there && { ...there, parentHash: `0x${'77'.repeat(32)}` }
        }
      })
      assert.equal(await run(watch), 'waiting')
      assert.equal((await place(watch)).trouble, null)
      clock.advance(31_000)
      assert.equal(await run(watch), 'done')
      assert.equal((await only(watch)).status, 'credited')
    })

    it('does not believe an empty answer of one that lacks the blocks', async () => {
      const start = (await height()) + 1n
      await send(usdc, 0, ours, 1n)
      await anvil.mine(200)
      const top = await height()
      const provider = await proxy((request) => {
        if (request.method === 'eth_getLogs') return { result: [] }
        const [first] = request.params
        if (request.method === 'eth_getBlockByNumber' && first?.startsWith('0x') && BigInt(first) > top - 150n)
          return { result: null }
      })
      const watch = watchOf(networkOf({ startBlock: start, rpc: [provider.url] }))
      assert.equal(await run(watch), 'waiting')
      provider.rule = () => undefined
      await run(watch)
      assert.equal((await only(watch)).status, 'credited')
    })

    for (const second of [false, true])
      it(`finds what an empty answer left out when it reads again${second ? ', at the other URL' : ''}`, async () => {
        let empty = true
        const provider = await proxy(({ method }) => (method === 'eth_getLogs' && empty ? { result: [] } : undefined))
        const watch = await begin({ rpc: second ? [provider.url, anvil.url] : [provider.url] })
        const hash = await send(usdc, 0, ours, 1_000_000n)
        await run(watch)
        empty = second
        await anvil.mine(70)
        await run(watch)
        assert.deepEqual(await deposits(watch), [])
        clock.advance(61_000)
        await run(watch)
        assert.partialDeepStrictEqual(await only(watch), { status: 'credited', credits: 1, tx_hash: hash })
        const said = () =>
          lines.filter(({ level, fields }) => level === 'error' && fields.network === watch.chain.network.id)
        assert.deepEqual(
          said().map(({ fields, message }) => [fields.deposits, /missing from the first reading/.test(message)]),
          [[1, true]],
        )
        empty = false
        await send(usdc, 0, ours, 2_000_000n)
        await run(watch)
        await anvil.mine(70)
        clock.advance(61_000)
        await run(watch)
        assert.deepEqual(
          (await deposits(watch)).map(({ status, credits }) => [status, credits]),
          [
            ['credited', 1],
            ['credited', 1],
          ],
        )
        assert.equal(said().length, 1)
      })

    it('does not believe one behind which some nodes lack the blocks that others have', async () => {
      const start = (await height()) + 1n
      await send(usdc, 0, ours, 1n)
      await anvil.mine(200)
      const top = await height()
      let lacking = false
      const provider = await proxy(({ method, params }) => {
        if (method === 'eth_getLogs') lacking = true
        else if (params[0] === 'latest') lacking = false
        if (method === 'eth_getLogs') return { result: [] }
        if (lacking && method === 'eth_getBlockByNumber' && BigInt(params[0]) > top - 150n) return { result: null }
      })
      const watch = watchOf(networkOf({ startBlock: start, rpc: [provider.url] }))
      assert.equal(await run(watch), 'waiting')
      provider.rule = () => undefined
      await run(watch)
      assert.equal((await only(watch)).status, 'credited')
    })

    it('goes over to the second URL when the first one dies', async () => {
      const first = await proxy(() => undefined)
      const watch = await begin({ rpc: [first.url, anvil.url] })
      await send(usdc, 0, ours, 1n)
      const server = servers.pop() as Server
      server.closeAllConnections()
      server.close()
      await anvil.mine(confirmations)
      assert.equal(await run(watch), 'done')
      assert.equal((await only(watch)).status, 'credited')
    })

    it('goes over to the second URL when the first one stands still', async () => {
      const top = await height()
      const frozen = await proxy((request) => {
        const params = request.params
        if (request.method === 'eth_getBlockByNumber' && params[0] === 'latest') params[0] = `0x${top.toString(16)}`
        return undefined
      })
      const watch = await begin({ rpc: [frozen.url, anvil.url] })
      await send(usdc, 0, ours, 1n)
      await run(watch)
      assert.deepEqual(await deposits(watch), [])
      clock.advance(121_000)
      await run(watch)
      assert.equal((await only(watch)).status, 'pending')
    })

    it('is named when the only one stands still, where a chain never does', async () => {
      const known = await begin({ id: 'base-sepolia' })
      const own = await begin()
      const evm = { settings: { test: null, live: null }, chains: [known.chain, own.chain] }
      const said = async () => (await evmStates(evm, db, clock.now())).warnings.map((warning) => warning.said)
      const since = clock.now()
      clock.advance(240_000)
      for (const watch of [known, own]) await run(watch)
      assert.deepEqual(await said(), [])
      clock.advance(360_000)
      for (const watch of [known, own]) await run(watch)
      assert.deepEqual(await said(), [
        `base-sepolia shows no new block since ${since.toISOString()}: its RPC may have stopped`,
      ])
      const measured = evmMeasures(await evmStates(evm, db, clock.now()), evm)
      const tipAt = measured.find(({ name, labels }) => name === 'evm_tip_seconds' && labels.network === 'base-sepolia')
      assert.equal(tipAt?.value, since.getTime() / 1_000)
      await anvil.mine(1)
      for (const watch of [known, own]) await run(watch)
      assert.deepEqual(await said(), [])
    })

    it('says what is wrong without the URL, waits longer each time, and is well again by itself', async () => {
      const provider = await proxy(() => undefined)
      const parts = await begin({ rpc: [provider.url] })
      const chore = watchChore(parts)
      assert.deepEqual([chore.name, chore.everyMs], [`watch ${parts.chain.network.id}`, 1_000])
      let rings = 0
      chore.bell.on('ring', () => rings++)
      provider.rule = () => ({ error: { code: -32_000, message: `no upstream at ${provider.url}` } })
      await chore.run()
      assert.match((await place(parts)).trouble ?? '', /no upstream at a URL/)
      const { requests } = provider
      await chore.run()
      assert.equal(provider.requests, requests, 'it backs off')
      clock.advance(2_001)
      await chore.run()
      assert.ok(provider.requests > requests)
      provider.rule = () => undefined
      clock.advance(60_001)
      await anvil.mine(40)
      await chore.run()
      assert.equal(rings, 1)
      await chore.run()
      assert.equal(rings, 1)
      assert.equal((await place(parts)).trouble, null)
      const told = JSON.stringify(lines, (_, value) => (typeof value === 'bigint' ? String(value) : value))
      assert.ok(told.includes('has trouble') && !told.includes('secret-key'))
    })

    it('keeps answers of a batch apart when one is left out', async () => {
      const provider = await proxy(() => undefined)
      const chain = openChain(networkOf({ rpc: [provider.url] }))
      const top = await height()
      const missing = `0x${(top - 1n).toString(16)}`
      provider.rule = ({ params }) => (params[0] === missing ? ({ id: -1, result: null } as never) : undefined)
      await chain.on(async (endpoint) => {
        const [first, second, third] = await Promise.allSettled([top - 2n, top - 1n, top].map((n) => endpoint.block(n)))
        assert.equal(first?.status === 'fulfilled' && first.value?.number, top - 2n)
        assert.match(String(second?.status === 'rejected' && second.reason), /answered in part/)
        assert.equal(third?.status === 'fulfilled' && third.value?.number, top)
      })
    })
  })

  describe('stops at what is not the chain', () => {
    it('with another chain id', async () => {
      const network = networkOf({ chain_id: 1 })
      const watch = watchOf(network)
      assert.equal(await run(watch), 'halted')
      assert.match((await place(watch)).halted ?? '', /is chain 31337, not 1/)
      assert.equal(await run(watch), 'halted')
      assert.equal((await place(watch)).block_number, null)
    })

    it('with other decimals, until a later start finds them right', async () => {
      const network = networkOf()
      const wrong = { ...network, tokens: { usdc: { contract_address: usdt, decimals: 6 } } }
      assert.equal(await run(watchOf(wrong)), 'halted')
      assert.match((await place(watchOf(wrong))).halted ?? '', /usdc at 0x\w+ has 18 decimals there, not 6/)
      assert.equal(await run(watchOf(wrong)), 'halted')
      const right = watchOf(network)
      assert.equal(await run(right), 'done')
      assert.equal((await place(right)).halted, null)
    })

    it('with no contract at the address', async () => {
      const watch = watchOf(networkOf({ tokens: { usdc: { contract_address: stranger, decimals: 6 } } }))
      assert.equal(await run(watch), 'halted')
      assert.ok(await resume(db, watch.chain.network.id))
      assert.equal(await run(watch), 'halted', 'it is checked again')
    })

    it('also when only the second URL is another chain', async () => {
      const first = await proxy(() => undefined)
      const second = await proxy(({ method }) => (method === 'eth_chainId' ? { result: '0x5' } : undefined))
      const watch = await begin({ rpc: [first.url, second.url] })
      first.rule = () => ({ error: { code: -32_000, message: 'down' } })
      assert.equal(await run(watch), 'halted')
      assert.match((await place(watch)).halted ?? '', /is chain 5/)
    })

    it('but not at a node that is in trouble while it is checked', async () => {
      const provider = await proxy((request) =>
        request.method === 'eth_call' ? { error: { code: -32_603, message: 'Internal error' } } : undefined,
      )
      const watch = watchOf(networkOf({ rpc: [provider.url] }))
      assert.equal(await run(watch), 'failed')
      provider.rule = () => undefined
      assert.equal(await run(watch), 'done')
    })
  })

  it('reads without a filter when there are more than 500 addresses', async () => {
    await db.query(`insert into test_addresses select '0x' || lpad(to_hex(n), 40, '0') from generate_series(1, 600) n`)
    try {
      const provider = await proxy(() => undefined)
      const start = (await height()) + 1n
      for (const units of [1n, 2n]) {
        await send(usdc, 0, ours, units)
        await send(usdc, 0, stranger, units)
        await anvil.mine(100)
      }
      await send(usdc, 0, ours, 3n)
      const watch = await begin({ startBlock: start, rpc: [provider.url] })
      assert.deepEqual(
        (await deposits(watch)).map(({ units }) => units),
        ['1', '2', '3'],
      )
      const logs = provider.calls.filter(({ method }) => method === 'eth_getLogs')
      assert.ok(logs.length > 1)
      assert.ok(logs.every(({ params }) => (params[0].topics[2] ?? null) === null))
    } finally {
      await db.query(`delete from test_addresses where address like '0x00%'`)
    }
  })

  it('asks for no transfers while there are no addresses', async () => {
    await db.query('delete from test_addresses')
    try {
      const provider = await proxy(() => undefined)
      await begin({ startBlock: 0n, rpc: [provider.url] })
      assert.ok(!provider.calls.some(({ method }) => method === 'eth_getLogs'))
    } finally {
      await db.query('insert into test_addresses select unnest($1::text[])', [[ours, alsoOurs]])
    }
  })

  it('credits what is on the chain in the end, once, and nothing else, whatever happens', async () => {
    type Operation =
      | { do: 'transfer'; to: string; units: bigint }
      | { do: 'mine' | 'reorg'; blocks: number }
      | { do: 'watch' | 'restart' | 'two' }
    const operation: fc.Arbitrary<Operation> = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({
          do: fc.constant('transfer' as const),
          to: fc.constantFrom(ours, alsoOurs, stranger),
          units: fc.bigInt({ min: 0n, max: 3n }),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ do: fc.constant('mine' as const), blocks: fc.constantFrom(1, 1, 2, 3, 90) }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          do: fc.constant('reorg' as const),
          blocks: fc.integer({ min: 1, max: confirmations - 1 }),
        }),
      },
      {
        weight: 3,
        arbitrary: fc.constantFrom({ do: 'watch' as const }, { do: 'restart' as const }, { do: 'two' as const }),
      },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(operation, { minLength: 8, maxLength: 25 }),
        fc.boolean(),
        async (operations, begun) => {
          // No reorganisation of one run reaches into another.
          await anvil.mine(confirmations)
          const start = (await height()) + 1n
          const network = networkOf({ startBlock: start, maxRange: 20 })
          let watch = watchOf(network)
          const other = watchOf(network)
          if (begun) await run(watch)
          for (const one of operations) {
            if (one.do === 'transfer') await send(usdc, 0, one.to, one.units)
            else if (one.do === 'mine') await anvil.mine(one.blocks)
            else if (one.do === 'reorg') await anvil.reorg(one.blocks)
            else if (one.do === 'restart') watch = watchOf(network)
            else if (one.do === 'two') await Promise.all([step(watch, watch.memory), step(other, other.memory)])
            else await step(watch, watch.memory)
          }
          await anvil.mine(confirmations + 1)
          for (let i = 0; i < 4; i++) await run(watch)
          const top = await height()
          const { halted, block_number, trouble } = await place(watch)
          assert.deepEqual([halted, trouble, block_number], [null, null, top])
          const real = await openChain(network).on((endpoint) =>
            endpoint.transfersBetween(start, top, [ours, alsoOurs]),
          )
          const found = await deposits(watch)
          assert.deepEqual(
            found
              .filter(({ status }) => status === 'credited')
              .map((row) => `${row.tx_hash} ${row.to_address} ${row.units}`)
              .sort(),
            real
              .filter(({ units }) => units > 0n)
              .map((row) => `${row.txHash} ${row.to} ${row.units}`)
              .sort(),
          )
          for (const { status, credits } of found) assert.equal(credits, status === 'credited' ? 1 : 0, status)
        },
      ),
      { numRuns: 15 },
    )
  })
})
