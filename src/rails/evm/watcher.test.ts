import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { getAddress } from 'viem'
import { runs } from '../../../test/support/runs.ts'
import {
  alsoOurs,
  anvil,
  begin,
  bookOf,
  confirmations,
  db,
  deposits,
  height,
  networkOf,
  only,
  ours,
  proxy,
  run,
  send,
  stateOf,
  stranger,
  usdc,
  usdt,
  watchOf,
} from '../../../test/support/watching.ts'
import { openChain } from './chain.ts'
import { step } from './watcher.ts'

const lookAlike = getAddress(`0xa1a1${'99'.repeat(16)}a1a1`)

describe('the watcher of a network', () => {
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
            status: 'pending',
            tx_hash: hash,
            currency,
            units: String(units),
          })
          await anvil.mine(1)
        }
        await run(watch)
        await run(watch)
        assert.partialDeepStrictEqual(await only(watch), { status: 'credited', credits: 1 })
        assert.equal((await stateOf(watch)).tip, await height())
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
      assert.match((await stateOf(watch)).trouble ?? '', /finalized block not found/)
      finalized.rule = () => undefined
      await run(watch)
      assert.deepEqual(
        (await deposits(watch)).map(({ status }) => status),
        ['credited', 'credited'],
      )
      assert.equal((await stateOf(watch)).trouble, null)
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
      const [first] = await db.query<{ id: string }>(
        'select id from test_deposits where network = $1',
        [watch.chain.network.id],
      )
      poison = first?.id as string
      await send(usdc, 0, alsoOurs, 1_000_000n)
      await anvil.mine(confirmations)
      await run(watch)
      assert.deepEqual(
        (await deposits(watch)).map(({ status }) => status),
        ['pending', 'credited'],
      )
      assert.match((await stateOf(watch)).trouble ?? '', /a bug/)
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

  it('reads without a filter when there are more than 500 addresses', async () => {
    await db.query(
      `insert into test_addresses select '0x' || lpad(to_hex(n), 40, '0') from generate_series(1, 600) n`,
    )
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
        arbitrary: fc.record({
          do: fc.constant('mine' as const),
          blocks: fc.constantFrom(1, 1, 2, 3, 90),
        }),
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
        arbitrary: fc.constantFrom(
          { do: 'watch' as const },
          { do: 'restart' as const },
          { do: 'two' as const },
        ),
      },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(operation, { minLength: 8, maxLength: 25 }),
        fc.boolean(),
        async (operations, started) => {
          // No reorganisation of one run reaches into another.
          await anvil.mine(confirmations)
          const start = (await height()) + 1n
          const network = networkOf({ startBlock: start, maxRange: 20 })
          let watch = watchOf(network)
          const other = watchOf(network)
          if (started) await run(watch)
          for (const one of operations) {
            if (one.do === 'transfer') await send(usdc, 0, one.to, one.units)
            else if (one.do === 'mine') await anvil.mine(one.blocks)
            else if (one.do === 'reorg') await anvil.reorg(one.blocks)
            else if (one.do === 'restart') watch = watchOf(network)
            else if (one.do === 'two')
              await Promise.all([step(watch, watch.memory), step(other, other.memory)])
            else await step(watch, watch.memory)
          }
          await anvil.mine(confirmations + 1)
          for (let i = 0; i < 4; i++) await run(watch)
          const top = await height()
          const { halted, block_number, trouble } = await stateOf(watch)
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
          for (const { status, credits } of found)
            assert.equal(credits, status === 'credited' ? 1 : 0, status)
        },
      ),
      { numRuns: runs(15) },
    )
  })
})
