import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { RpcRequestError } from 'viem'
import { startAnvil, testMnemonic } from '../../../test/support/anvil.ts'
import { until } from '../../../test/support/harness.ts'
import {
  block,
  localNetwork,
  startTreasury,
  type Treasury,
  unblock,
  wrapped,
} from '../../../test/support/treasury.ts'
import type { Candidate, DepositBook } from '../ports/chains.ts'
import { transferCall } from './broadcasts.ts'
import { openChain } from './chain.ts'
import { evmStates } from './evm.ts'
import { walletOf } from './keys.ts'
import { type SweepParts, sweepOnce, sweepTask } from './sweep.ts'
import { step } from './watcher.ts'

// Not anvil's own accounts, which have coins: those of another mnemonic's deposit addresses would
// do as well.
const wallet = walletOf(
  'legal winner thank year wave sausage worth useful legal winner thank yellow',
)

async function* pages(...all: Candidate[][]): AsyncGenerator<Candidate[]> {
  yield* all
}

const candidates = (count: number): Candidate[] =>
  Array.from({ length: count }, (_, index) => ({ index, address: wallet.deposit(index).address }))

async function start(t: TestContext, over: Partial<SweepParts> = {}) {
  const treasury = await startTreasury(t, { cents: 0n, network: { confirmations: 1 } })
  const parts: SweepParts = {
    ...treasury.parts,
    treasury: treasury.signer.address,
    deposit: wallet.deposit,
    minimum: 1_000n,
    ...over,
  }
  return { treasury, parts }
}

/** Sweeps, pays gas and mines until nothing is open. */
async function all(
  treasury: Treasury,
  sweep: () => ReturnType<typeof sweepOnce>,
): Promise<string[]> {
  const troubles: string[] = []
  for (let round = 0; round < 20; round++) {
    const report = await sweep()
    troubles.push(...report.troubles)
    if (report.waiting + report.sent === 0 && round > 0) return troubles
    await treasury.tick()
    await treasury.anvil.mine(1)
  }
  throw new Error(`sweeps are still open: ${troubles.join('; ')}`)
}

const coins = (treasury: Treasury, address: string) =>
  treasury.anvil.node.getBalance({ address: address as `0x${string}` })

/** The watcher only makes the network known here. */
const noDeposits: DepositBook = {
  addresses: async () => [],
  recordTransfers: async () => 0,
  dropReorganised: async () => [],
  due: async () => [],
  credit: async () => {},
}

/** What a provider says that was asked too often: with words of its own, and HTTP 200. */
const overLimit = () =>
  new RpcRequestError({
    body: {},
    error: { code: -32_005, message: 'daily request limit reached' },
    url: 'http://127.0.0.1',
  })

describe('sweeping', () => {
  it('moves what is enough to the treasury, with gas from there, and nothing twice by two sweepers', async (t) => {
    const { treasury, parts } = await start(t)
    const { anvil, token, signer, db } = treasury
    const addresses = candidates(5)
    const cents = [1_000n, 999n, 5_000n, 0n, 123_456n]
    for (const [i, { address }] of addresses.entries())
      if (cents[i]) await anvil.mint(token, address, (cents[i] as bigint) * treasury.unit + 7n)
    const other = { ...parts, chain: openChain(treasury.network) }
    const list = () => pages(addresses.slice(0, 2), addresses.slice(2))
    const [report] = await Promise.all([sweepOnce(parts, list()), sweepOnce(other, list())])
    assert.ok(report.started.length <= 3)
    await Promise.all([sweepOnce(parts, list()), sweepOnce(other, list())])
    const troubles = await all(treasury, async () => {
      const [one] = await Promise.all([sweepOnce(parts, list()), sweepOnce(other, list())])
      return one
    })
    assert.deepEqual(troubles, [])
    assert.equal(
      await anvil.balance(token, signer.address),
      (1_000n + 5_000n + 123_456n) * treasury.unit + 21n,
    )
    assert.equal(
      await anvil.balance(token, addresses[1]?.address as string),
      999n * treasury.unit + 7n,
    )
    const counts = await db.query<{ kind: string; count: bigint }>(
      'select kind, count(*) as count from evm_transactions group by kind order by kind',
    )
    assert.deepEqual(counts, [
      { kind: 'gas', count: 3n },
      { kind: 'sweep', count: 3n },
    ])
  })

  for (const gas of ['is there', 'is on its way'])
    it(`has nothing against what another sweeper moves while its gas is estimated, which ${gas}`, async (t) => {
      const { treasury, parts } = await start(t)
      const { anvil, token, signer } = treasury
      const [one] = candidates(1) as [Candidate]
      await anvil.mint(token, one.address, 10_000_000n)
      if (gas === 'is there') await anvil.fund(one.address, 10n ** 17n)
      // No gas yet: it is ordered, and sent when the other has its turn.
      else await sweepOnce(parts, pages([one]))
      const chain = wrapped(parts.chain, (endpoint) => ({
        async gas(call) {
          await treasury.tick()
          await sweepOnce(parts, pages())
          return endpoint.gas(call)
        },
      }))
      const report = await sweepOnce({ ...parts, chain }, pages([one]))
      assert.equal(await anvil.balance(token, signer.address), 10_000_000n)
      assert.deepEqual([report.troubles, report.waiting, report.sent], [[], 0, 1])
    })

  it('counts the gas that is left, and orders only what is missing', async (t) => {
    const { treasury, parts } = await start(t)
    const { anvil, token } = treasury
    const [one] = candidates(1) as [Candidate]
    const list = () => pages([one])
    await anvil.mint(token, one.address, 10_000_000n)
    await all(treasury, () => sweepOnce(parts, list()))
    const left = await coins(treasury, one.address)
    assert.ok(left > 0n)
    await anvil.mint(token, one.address, 20_000_000n)
    await all(treasury, () => sweepOnce(parts, list()))
    const gas = await treasury.db.query<{ units: string; gas: bigint; recipient: string }>(
      "select units, recipient from evm_transactions where kind = 'gas' order by created_at, id",
    )
    assert.ok(gas.every(({ recipient }) => recipient === one.address))
    assert.ok(gas.length === 1 || BigInt(gas[1]?.units as string) < BigInt(gas[0]?.units as string))
    assert.equal(await anvil.balance(token, treasury.signer.address), 30_000_000n)
    assert.equal(await anvil.node.getTransactionCount({ address: one.address as `0x${string}` }), 2)
  })

  it('waits for gas that the treasury does not have, and orders it once', async (t) => {
    const { treasury, parts } = await start(t)
    const { anvil, token, signer } = treasury
    const [one] = candidates(1) as [Candidate]
    await anvil.fund(signer.address, 0n)
    await anvil.mint(token, one.address, 10_000_000n)
    for (let round = 0; round < 3; round++) {
      const report = await sweepOnce(parts, pages([one]))
      assert.deepEqual([report.waiting, report.sent], [1, 0])
      await treasury.tick()
      await anvil.mine(1)
    }
    assert.match(
      (await treasury.trouble()) as string,
      /holds 0 ETH on local; 0\.\d+ ETH needed for gas$/,
    )
    await anvil.fund(signer.address, 10n ** 18n)
    await all(treasury, () => sweepOnce(parts, pages([one])))
    assert.equal(await anvil.balance(token, signer.address), 10_000_000n)
    const [count] = await treasury.db.query<{ count: bigint }>(
      "select count(*) from evm_transactions where kind = 'gas'",
    )
    assert.equal(count?.count, 1n)
  })

  it('sends no gas to an address that the token has blocked, nor with the wrong mnemonic', async (t) => {
    const { treasury, parts } = await start(t)
    const { anvil, token } = treasury
    const [one] = candidates(1) as [Candidate]
    await anvil.mint(token, one.address, 10_000_000n)
    const other = { ...parts, deposit: walletOf(testMnemonic).deposit }
    const wrong = await sweepOnce(other, pages([one]))
    assert.match(wrong.troubles.join(), /is not the address of index 0/)
    await block(anvil, token, 'from', one.address)
    const report = await sweepOnce(parts, pages([one]))
    assert.match(report.troubles.join(), /cannot be swept: execution reverted/)
    assert.deepEqual([report.waiting, report.sent], [0, 0])
    const [count] = await treasury.db.query<{ count: bigint }>(
      'select count(*) from evm_transactions',
    )
    assert.equal(count?.count, 0n)
    await unblock(anvil, token)
    await all(treasury, () => sweepOnce(parts, pages([one])))
    assert.equal(await anvil.balance(token, treasury.signer.address), 10_000_000n)
  })

  it('signs nothing and orders no gas when the node says that it takes more than any transfer', async (t) => {
    const { treasury, parts } = await start(t)
    const [one] = candidates(1) as [Candidate]
    await treasury.anvil.mint(treasury.token, one.address, 10_000_000n)
    const chain = wrapped(parts.chain, () => ({ gas: async () => 2_000_001n }))
    const report = await sweepOnce({ ...parts, chain }, pages([one]))
    assert.match(
      report.troubles.join(),
      /cannot be swept: it would take 2000001 gas, and 2000000 is the most/,
    )
    assert.equal(report.sent, 0)
    const rows = await treasury.db.query(
      "select id from evm_transactions where kind = 'gas' or status <> 'queued'",
    )
    assert.deepEqual(rows, [])
    await all(treasury, () => sweepOnce(parts, pages([one])))
    assert.equal(await treasury.anvil.balance(treasury.token, treasury.signer.address), 10_000_000n)
  })

  it('survives a reorganisation and a crash before anything was sent', async (t) => {
    const { treasury, parts } = await start(t)
    const { anvil, token, signer } = treasury
    const [one] = candidates(1) as [Candidate]
    await anvil.mint(token, one.address, 10_000_000n)
    await anvil.fund(one.address, 10n ** 17n)
    const dying = { ...parts, chain: { ...parts.chain, on: parts.chain.on } }
    dying.chain.on = (work) =>
      parts.chain.on((endpoint) =>
        work({ ...endpoint, send: () => Promise.reject(new TypeError('gone')) }),
      )
    await assert.rejects(sweepOnce(dying, pages([one])), /gone/)
    const [stored] = await treasury.db.query<{ hash: string }>('select hash from evm_broadcasts')
    await sweepOnce(parts, pages([one]))
    await until(() => treasury.mined(stored?.hash as string))
    await anvil.reorg(1)
    assert.equal(await treasury.mined(stored?.hash as string), false)
    await all(treasury, () => sweepOnce(parts, pages([one])))
    assert.equal(await anvil.balance(token, signer.address), 10_000_000n)
    const broadcasts = await treasury.db.query('select hash from evm_broadcasts')
    assert.deepEqual(broadcasts, [stored])
  })

  it('runs as a task: looks through addresses on its schedule, and moves on what is open in between', async (t) => {
    const { treasury, parts } = await start(t)
    const { anvil, token, signer } = treasury
    const [one] = candidates(1) as [Candidate]
    let looked = 0
    const task = sweepTask(
      parts,
      () => {
        looked++
        return pages([one])
      },
      3_600_000,
    )
    await anvil.mint(token, one.address, 10_000_000n)
    for (let round = 0; round < 6; round++) {
      await task.run()
      await treasury.tick()
      await anvil.mine(1)
    }
    assert.equal(looked, 1)
    assert.equal(await anvil.balance(token, signer.address), 10_000_000n)
    treasury.clock.advance(3_600_001)
    await task.run()
    assert.equal(looked, 2)
  })
  it('goes on with all others when one balance cannot be read, and asks for that one less and less often', async (t) => {
    const { treasury, parts } = await start(t)
    const { anvil, token, signer, clock } = treasury
    const list = candidates(60)
    const [first, bad, last] = [list[0], list[1], list[59]] as [Candidate, Candidate, Candidate]
    for (const one of [first, bad, last]) await anvil.mint(token, one.address, 10_000_000n)
    await anvil.fund(first.address, 10n ** 18n)
    let broken = true
    const asked = { bad: 0, others: 0 }
    const chain = wrapped(parts.chain, (endpoint) => ({
      async tokenBalance(contract, address) {
        asked[address === bad.address ? 'bad' : 'others']++
        if (broken && address === bad.address) throw new Error('no answer for this one')
        return endpoint.tokenBalance(contract, address)
      },
    }))
    await step({ ...parts, book: noDeposits, name: 'one' })
    const task = sweepTask({ ...parts, chain }, () => pages(list), 3_600_000)
    for (let round = 0; round < 8; round++) {
      await task.run()
      await treasury.tick()
      await anvil.mine(1)
    }
    assert.equal(await anvil.balance(token, signer.address), 20_000_000n)
    assert.ok(asked.bad <= 4 && asked.others <= 59 + 8, JSON.stringify(asked))
    assert.match(
      treasury.logged.join(),
      /1 of the addresses .* could not be read: no answer for this one/,
    )
    assert.equal(treasury.logged.length, 1)
    const evm = { settings: { test: null, live: null }, chains: [chain] }
    const warned = async () => (await evmStates(evm, treasury.db, clock.now())).warnings
    assert.deepEqual(
      (await warned()).filter(({ said }) => said.startsWith('sweeps')),
      [
        {
          said: 'sweeps on local are held up: bursar evm status says why',
          detail:
            'sweeps on local are held up: 1 of the addresses on local could not be read: no answer for this one',
        },
      ],
    )
    broken = false
    clock.advance(121_000)
    assert.deepEqual(
      (await warned()).filter(({ said }) => said.startsWith('sweeps')),
      [],
    )
    for (let round = 0; round < 4; round++) {
      await task.run()
      await treasury.tick()
      await anvil.mine(1)
    }
    assert.equal(await anvil.balance(token, signer.address), 30_000_000n)
    const before = asked.others
    clock.advance(3_600_001)
    await task.run()
    assert.equal(asked.others, before + 59)
  })

  it('keeps a sweep whose gas the node is too busy to estimate, and signs the others', async (t) => {
    const { treasury, parts } = await start(t)
    const { anvil, token, signer } = treasury
    const list = candidates(2)
    for (const one of list) {
      await anvil.mint(token, one.address, 10_000_000n)
      await anvil.fund(one.address, 10n ** 18n)
    }
    let busy = true
    const chain = wrapped(parts.chain, (endpoint) => ({
      async gas(call) {
        if (busy && call.from === list[0]?.address) throw overLimit()
        return endpoint.gas(call)
      },
    }))
    const report = await sweepOnce({ ...parts, chain }, pages(list))
    assert.deepEqual([report.waiting, report.sent], [1, 1])
    assert.match(report.troubles.join(), /request limit reached/)
    busy = false
    await all(treasury, () => sweepOnce({ ...parts, chain }, pages()))
    assert.equal(await anvil.balance(token, signer.address), 20_000_000n)
  })
  const gwei = 1_000_000_000n
  /** Fees of the moment, by the base fee. */
  const feesAt = (base: bigint) => ({
    maxFeePerGas: 2n * base + gwei / 10n,
    maxPriorityFeePerGas: gwei / 10n,
  })

  it('orders gas for twice the base fee and the data below, and signs at what is there when it has risen', async (t) => {
    const { treasury, parts } = await start(t)
    const { anvil, token, signer } = treasury
    const [one] = candidates(1) as [Candidate]
    await anvil.mint(token, one.address, 10_000_000n)
    let base = 10n * gwei
    const l1Fee = 10n ** 13n
    const chain = wrapped(parts.chain, () => ({
      fees: async () => feesAt(base),
      l1Fee: async () => l1Fee,
    }))
    await all(treasury, async () => {
      const report = await sweepOnce({ ...parts, chain }, pages([one]))
      base = 12n * gwei
      return report
    })
    assert.equal(await anvil.balance(token, signer.address), 10_000_000n)
    const gas = await treasury.db.query<{ units: string }>(
      `select units from evm_transactions where kind = 'gas'`,
    )
    const [sweep] = await treasury.db.query<{ gas: bigint; max_fee: string }>(
      `select t.gas, b.max_fee from evm_transactions t join evm_broadcasts b using (network, id) where kind = 'sweep'`,
    )
    const limit = sweep?.gas as bigint
    assert.deepEqual(
      gas.map(({ units }) => BigInt(units)),
      [limit * feesAt(10n * gwei).maxFeePerGas + 2n * l1Fee],
    )
    assert.equal(BigInt(sweep?.max_fee as string), feesAt(10n * gwei).maxFeePerGas)
  })

  it('waits while gas costs more than sweeps may pay', async (t) => {
    const { treasury, parts } = await start(t)
    const { anvil, token, signer } = treasury
    const [one] = candidates(1) as [Candidate]
    await anvil.mint(token, one.address, 10_000_000n)
    const chain = wrapped(parts.chain, () => ({ fees: async () => feesAt(100n * gwei) }))
    const report = await sweepOnce({ ...parts, chain }, pages([one]))
    assert.deepEqual(report.troubles, [
      'sweeps on local wait: gas costs more than max_sweep_fee_gwei allows',
    ])
    const [count] = await treasury.db.query<{ count: bigint }>(
      `select count(*) from evm_transactions where kind = 'gas' or status <> 'queued'`,
    )
    assert.equal(count?.count, 0n)
    await all(treasury, () => sweepOnce(parts, pages()))
    assert.equal(await anvil.balance(token, signer.address), 10_000_000n)
  })

  it('sends more gas to a sweep that is signed and stuck, once at a time', async (t) => {
    const { treasury, parts } = await start(t)
    const { anvil, token, signer, clock } = treasury
    const [one] = candidates(1) as [Candidate]
    await anvil.mint(token, one.address, 10_000_000n)
    const orders = () => treasury.db.query(`select id from evm_transactions where kind = 'gas'`)
    await sweepOnce(parts, pages([one]))
    await treasury.tick()
    await anvil.node.setAutomine(false)
    assert.equal((await sweepOnce(parts, pages())).sent, 1)
    await anvil.node.setNextBlockBaseFeePerGas({ baseFeePerGas: 20n * gwei })
    await anvil.mine(1)
    clock.advance(61_000)
    const stuck = await sweepOnce(parts, pages())
    assert.match(stuck.troubles.join(), /is not mined, and 0x\w+ lacks the ETH for a higher fee/)
    assert.equal((await orders()).length, 1)
    await treasury.tick()
    for (let round = 0; round < 2; round++) await sweepOnce(parts, pages())
    assert.equal((await orders()).length, 2)
    await anvil.node.setAutomine(true)
    await all(treasury, () => sweepOnce(parts, pages()))
    assert.equal(await anvil.balance(token, signer.address), 10_000_000n)
    assert.equal((await orders()).length, 2)
  })
  it('counts what an OP-stack chain asks for the data of a transfer, and nothing where there is no oracle', async (t) => {
    const anvil = await startAnvil({ chainId: 10 })
    t.after(() => anvil.stop())
    const [one, token] = [wallet.deposit(0).address, wallet.deposit(1).address]
    const network = localNetwork([anvil.url], token, { chain_id: 10 })
    const call = { from: one, to: token, data: transferCall(one, 1n), value: 0n }
    const asked = (over = {}) =>
      openChain({ ...network, ...over }).on((endpoint) => endpoint.l1Fee(call))
    assert.equal(await asked(), 0n)
    // Returns 1,000.
    const bytecode = '0x6103e860005260206000f3'
    await anvil.node.setCode({ address: '0x420000000000000000000000000000000000000F', bytecode })
    assert.equal(await asked(), 1_000n)
    assert.equal(await asked({ chain_id: 1 }), 0n)
  })
})
