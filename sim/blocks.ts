/**
 * Starts a chain, makes its blocks and replaces some, with tokens that a business' payers send. The
 * product must credit what the blocks hold in the end, and nothing else.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import { type Chance, chance } from '../test/support/chance.ts'
import { startNetwork } from '../test/support/evm.ts'
import { block } from '../test/support/treasury.ts'
import type { Chain, Spending } from './chain.ts'
import { newClient } from './client.ts'
import type { Found } from './looks.ts'
import { expectDeposit, touched } from './model.ts'
import { startChainNode } from './nodes.ts'
import { ask } from './requests.ts'
import { refusing, spendOn, transferred } from './spending.ts'
import { breakTransactions, tipOf } from './stuck.ts'
import type { Tally } from './tally.ts'
import type { Shop, World } from './world.ts'

/** Of a token with six decimals. What is less than a cent is not what is tried here. */
const unitsOfCent = 10_000n

/** What the treasury holds of each token when it begins, in cents. */
const treasuryCents = 10n ** 9n
/** Enough for gas, whatever it costs. */
const coins = 10n ** 24n
const clients = 2
/** How many transactions the network remembers that no block has taken. */
const remembered = 60

/** @param seed fixes what is paid out, and what breaks of that */
export async function startChain(seed: number): Promise<Chain> {
  let url = ''
  const broadcasts: string[] = []
  const hear = (raw: string): void => void broadcasts.splice(0, broadcasts.push(raw) - remembered)
  const nodes = await Promise.all([0, 1].map(() => startChainNode(() => url, hear)))
  const network = await startNetwork({ poll: '400ms', rpc: nodes.map((one) => one.url) })
  const { node, usdc, usdt, confirmations } = network
  url = node.url
  const treasury = network.wallet.treasury.address
  for (const [token, decimals] of [
    [usdc, 6n],
    [usdt, 18n],
  ] as const)
    await node.mint(token, treasury, treasuryCents * 10n ** (decimals - 2n))
  for (const rich of [treasury, node.account(1).address]) await node.fund(rich, coins)
  await block(node, usdc, 'to', refusing)
  // What was set and not sent is in the blocks from now on, and no reorganisation reaches below.
  await node.mine(confirmations)
  await node.node.setAutomine(false)
  const addresses: string[] = []
  const spending: Spending = { clients: [], payouts: [], counted: { sweeps: 0, replaced: 0 } }
  const breaking = chance(seed + 33)
  const spoiled = new Set<bigint>()
  let held = 0
  let last: Promise<unknown> = Promise.resolve()
  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work)
    last = mine.catch(() => {})
    return mine
  }
  /** @returns whether a payer could pay: one who offers too little for gas is refused */
  const pay = (by: Chance): Promise<boolean> =>
    node.transfer(usdc, 1, by.one(addresses), BigInt(1 + by.below(500_000)) * unitsOfCent).then(
      () => true,
      () => false,
    )
  /** Replaces the last blocks, and counts what that takes out. */
  const reorganise = async (depth: number, tally: Tally): Promise<void> => {
    const kept = (await tipOf(node)) - BigInt(depth)
    if (spoiled.has(kept)) return
    const within = {
      address: [usdc, usdt] as Hex[],
      event: transferred,
      fromBlock: kept + 1n,
      toBlock: 'latest',
    } as const
    const [paid, swept] = await Promise.all([
      node.node.getLogs({ ...within, args: { from: treasury } }),
      node.node.getLogs({ ...within, args: { to: treasury } }),
    ])
    await node.reorg(depth)
    for (const one of spoiled) if (one > kept) spoiled.delete(one)
    tally.fault('chain reorganised')
    if (paid.length > 0) tally.fault('payout taken out by a reorganisation', paid.length)
    if (swept.length > 0) tally.fault('sweep taken out by a reorganisation', swept.length)
  }
  const goOn: Chain['goOn'] = async (by, tally, until) => {
    while (!until()) {
      for (let payers = by.below(3); payers > 0; payers--)
        if (await pay(by)) tally.operation('transfer on a chain')
      const blocks = 1 + by.below(2)
      if (held === 0) await alone(() => node.mine(blocks))
      if (by.happens(0.2)) {
        // Less deep than what is final: deeper, a person has to look.
        const depth = 1 + by.below(confirmations - 1)
        await alone(() => reorganise(depth, tally))
      }
      if (by.happens(0.1)) {
        node.signal('SIGSTOP')
        await sleep(200 + by.below(2_000))
        node.signal('SIGCONT')
        tally.fault('chain node hangs')
      }
      await sleep(300 + by.below(700))
    }
  }
  const chain: Chain = {
    env: { ...network.env, EVM_SWEEP_EVERY: '10m' },
    network,
    nodes,
    broadcasts,
    spending,
    alone,
    async open(asking, model) {
      for (let n = 0; n < 3; n++) {
        const { data, message } = await ask(
          asking,
          'POST',
          '/crypto/wallets',
          { label: `Chain ${n}` },
          `chain-${n}`,
        )
        if (!data?.address) throw new Error(`no address: ${message}`)
        addresses.push(data.address)
      }
      for (let n = 0; n < clients; n++)
        spending.clients.push(newClient({ ...asking, by: chance(seed + 31 + n) }, model, 2_000 + n))
    },
    async goOn(by, tally, until) {
      await Promise.all([
        goOn(by, tally, until),
        breakTransactions(chain, breaking, tally, until),
        ...spending.clients.map((client) => spendOn(spending, chain, client, until)),
      ])
    },
    async withoutBlocks(work) {
      held++
      try {
        return await work()
      } finally {
        held--
      }
    },
    spoil: (block) => void spoiled.add(block),
    settle: () => alone(() => node.mine(confirmations + 3)).then(() => {}),
    async paidIn() {
      const logs = await node.node.getLogs({
        address: usdc as Hex,
        event: transferred,
        args: { to: addresses as Hex[] },
        fromBlock: 0n,
        toBlock: 'latest',
      })
      return logs.map(({ args }) => (args.value ?? 0n) / unitsOfCent)
    },
    async stop() {
      await Promise.all(nodes.map((one) => one.stop()))
      await network.stop()
    },
  }
  return chain
}

const withinMs = 60_000

/**
 * The model learns of what came by the chain, and each transfer that is in it for good must have
 * been credited once.
 */
export async function judgeChain(
  { chain, database }: World,
  { model }: Shop,
  recordsOf: () => Promise<Map<string, Found>>,
  tally: Tally,
): Promise<void> {
  const left = async (): Promise<number> => {
    await chain.settle()
    const [row] = await database.ask<{ open: number }>(
      "select count(*)::integer as open from chain_deposits where status = 'pending'",
    )
    return row?.open ?? 0
  }
  const sorted = (amounts: (bigint | number)[]): string =>
    amounts
      .map(Number)
      .sort((a, b) => a - b)
      .join()
  const paid = await chain.paidIn()
  /** Learns of deposits that came by the chain: what was simulated is known already. */
  const learn = async (): Promise<void> => {
    for (const { kind, record } of (await recordsOf()).values())
      if (kind === 'deposit' && (model.chain.has(record.id) || !model.records.has(record.id)))
        model.chain.set(record.id, record)
  }
  const credited = (): number[] =>
    [...model.chain.values()]
      .filter(({ status }) => status === 'completed')
      .map(({ amount }) => amount)
  for (
    const deadline = performance.now() + withinMs;
    performance.now() < deadline;
    await sleep(500)
  ) {
    if ((await left()) > 0) continue
    await learn()
    if (sorted(paid) === sorted(credited())) break
  }
  if (sorted(paid) !== sorted(credited()))
    tally.finding(
      'chain',
      `${paid.length} transfers are in the chain, ${credited().length} were credited, ${await left()} wait`,
    )
  for (const record of model.chain.values()) {
    if (model.records.has(record.id)) continue
    expectDeposit(model, record)
    if (record.status === 'completed') continue
    const expected = touched(model, record.id)
    expected.ends = new Set(['failed'])
    expected.available = () => []
  }
  tally.check('transfers on a chain', paid.length)
}
