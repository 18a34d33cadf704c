/**
 * What befalls transactions that are on their way into a chain: no block takes them, the gas price
 * rises above what they offer, nodes forget them or stand behind, and the token refuses them once
 * they are in a block.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Hex, parseGwei } from 'viem'
import type { Anvil } from '../test/support/anvil.ts'
import type { Chance } from '../test/support/chance.ts'
import { setTokens } from '../test/support/treasury.ts'
import type { Chain } from './chain.ts'
import { holdersOf, tokensOf } from './spending.ts'
import type { Tally } from './tally.ts'

/** How long what breaks transactions waits for one to break. */
const patienceMs = 4_000
const calmGwei = 1

/** The number of the newest block: what the client would else remember for a while may be gone. */
export const tipOf = ({ node }: Anvil): Promise<bigint> => node.getBlockNumber({ cacheTime: 0 })

type Fault = (chain: Chain, by: Chance, tally: Tally) => Promise<void>

/** One fault after another. Each has ended when it returns. */
export async function breakTransactions(
  chain: Chain,
  by: Chance,
  tally: Tally,
  until: () => boolean,
): Promise<void> {
  while (!until()) {
    await by.one(faults)(chain, by, tally)
    await sleep(500 + by.below(2_000))
  }
}

/** Waits until the treasury has something on its way. @returns whether it has */
async function somethingWaits({ network: { node, wallet } }: Chain): Promise<boolean> {
  const { address } = wallet.treasury
  for (
    const deadline = performance.now() + patienceMs;
    performance.now() < deadline;
    await sleep(150)
  ) {
    const [pending, latest] = await Promise.all([
      node.node.getTransactionCount({ address, blockTag: 'pending' }),
      node.node.getTransactionCount({ address }),
    ])
    if (pending > latest) return true
  }
  return false
}

/** The next block has this base fee, and is made. */
const priceGas = ({ alone, network: { node } }: Chain, gwei: number): Promise<void> =>
  alone(async () => {
    await node.node.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei(String(gwei)) })
    await node.mine(1)
  })

/**
 * Others on the network still have what a node has dropped: they send it again, also where a
 * version at a higher fee was sent meanwhile.
 */
async function sendAgain({ broadcasts, network: { node } }: Chain, tally: Tally): Promise<void> {
  let taken = 0
  for (const raw of [...new Set(broadcasts)])
    await node.node.sendRawTransaction({ serializedTransaction: raw as Hex }).then(
      () => taken++,
      () => {},
    )
  if (taken > 0) tally.fault('what was dropped is sent again by others', taken)
}

const makeNoBlocks: Fault = async (chain, by, tally) => {
  const ms = 1_000 + by.below(5_000)
  const waits = await chain.withoutBlocks(async () => {
    const found = await somethingWaits(chain)
    await sleep(ms)
    return found
  })
  if (waits) tally.fault('chain without blocks')
}

/**
 * What is on its way offers less than the next blocks take; as here, a node drops what it cannot
 * put into a block.
 */
const raiseGas: Fault = async (chain, by, tally) => {
  const [gwei, ms] = [10 + by.below(80), 1_000 + by.below(4_000)]
  const waits = await chain.withoutBlocks(async () => {
    const found = await somethingWaits(chain)
    if (found) await priceGas(chain, gwei)
    return found
  })
  if (!waits) return
  tally.fault('gas price above what was offered')
  await sleep(ms)
  await priceGas(chain, calmGwei)
  await sendAgain(chain, tally)
}

const raiseGasTooHigh: Fault = async (chain, by, tally) => {
  const [gwei, ms] = [600 + by.below(1_500), 500 + by.below(3_000)]
  await priceGas(chain, gwei)
  tally.fault('gas price above what is paid at most')
  await sleep(ms)
  await priceGas(chain, calmGwei)
}

const forget: Fault = async (chain, by, tally) => {
  const ms = 500 + by.below(4_000)
  const waits = await chain.withoutBlocks(async () => {
    const found = await somethingWaits(chain)
    if (found)
      await chain.network.node.node.request({ method: 'anvil_dropAllTransactions' } as never)
    return found
  })
  if (!waits) return
  tally.fault('chain node forgets what waits')
  await sleep(ms)
  await sendAgain(chain, tally)
}

/**
 * All that is ours is taken away just before a block, and is back after it: what the block takes of
 * us is reverted.
 */
const revert: Fault = async (chain, _, tally) => {
  const { node } = chain.network
  await chain.withoutBlocks(async () => {
    if (!(await somethingWaits(chain))) return
    await chain.alone(async () => {
      const before = await tipOf(node)
      const taken: { token: string; owner: string; units: bigint }[] = []
      for (const { contract: token } of tokensOf(chain))
        for (const owner of await holdersOf(chain))
          taken.push({ token, owner, units: await node.balance(token, owner) })
      // What is set is of no block: those on both sides of it are not what their transactions made
      // of the chain.
      for (const block of [before, before + 1n]) chain.spoil(block)
      for (const { token, owner } of taken) await setTokens(node, token, owner, 0n)
      await node.mine(1)
      for (const { token, owner, units } of taken)
        await setTokens(node, token, owner, units + (await node.balance(token, owner)))
      const { transactions } = await node.node.getBlock({ blockNumber: before + 1n })
      const receipts = await Promise.all(
        transactions.map((hash) => node.node.getTransactionReceipt({ hash: hash as Hex })),
      )
      const reverted = receipts.filter(({ status }) => status === 'reverted').length
      if (reverted > 0) tally.fault('transaction reverted', reverted)
    })
  })
}

const standBehind: Fault = async ({ nodes, network: { node } }, by, tally) => {
  const [one, blocks, ms] = [by.one(nodes), 1 + by.below(6), 1_000 + by.below(4_000)]
  one.standAt((await tipOf(node)) - BigInt(blocks))
  await sleep(ms)
  one.standAt(null)
  tally.fault('chain node behind')
}

const goAway: Fault = async ({ nodes }, by, tally) => {
  const [one, ms] = [by.one(nodes), 500 + by.below(3_000)]
  one.goAway(true)
  await sleep(ms)
  one.goAway(false)
  tally.fault('chain node away')
}

const faults: Fault[] = [
  makeNoBlocks,
  raiseGas,
  raiseGasTooHigh,
  forget,
  revert,
  standBehind,
  goAway,
]
