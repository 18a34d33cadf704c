/**
 * A chain with tokens that a business' payers send: it is reorganised, stands still, and is behind. What its blocks hold in the end is what must have been
 * credited, and nothing else.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Hex, parseAbiItem } from 'viem'
import type { Chance } from '../test/chance.ts'
import { type LocalNetwork, startNetwork } from '../test/evm.ts'
import type { Found } from './looks.ts'
import { expectDeposit, touched } from './model.ts'
import { type Asking, ask } from './requests.ts'
import type { Tally } from './tally.ts'
import type { Shop, World } from './world.ts'

export type Chain = {
  /** Settings of a server that speaks to it. */
  env: Record<string, string>
  /** Opens the addresses that are paid to. */
  open(asking: Asking): Promise<void>
  /** Payers pay, blocks come, and what breaks of it does. */
  goOn(by: Chance, tally: Tally, until: () => boolean): Promise<void>
  /** Lets all that is in it become final. */
  settle(): Promise<void>
  /** What came to the addresses, in cents. */
  paidIn(): Promise<bigint[]>
  stop(): Promise<void>
}

const transferred = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')
/** Of a token with six decimals. What is less than a cent is not what is tried here. */
const unitsOfCent = 10_000n

export async function startChain(): Promise<Chain> {
  const network: LocalNetwork = await startNetwork({ poll: '400ms' })
  const { node, usdc, confirmations } = network
  const addresses: string[] = []
  const pay = (by: Chance): Promise<unknown> =>
    node.transfer(usdc, 1, by.one(addresses), BigInt(1 + by.below(500_000)) * unitsOfCent)
  return {
    env: network.env,
    async open(asking) {
      for (let n = 0; n < 3; n++) {
        const { data, message } = await ask(asking, 'POST', '/crypto/wallets', { label: `Chain ${n}` }, `chain-${n}`)
        if (!data?.address) throw new Error(`no address: ${message}`)
        addresses.push(data.address)
      }
    },
    async goOn(by, tally, until) {
      while (!until()) {
        for (let payers = by.below(3); payers > 0; payers--) {
          await pay(by)
          tally.operation('transfer on a chain')
        }
        await node.mine(1 + by.below(2))
        if (by.happens(0.2)) {
          // Less deep than what is final: deeper, a person has to look.
          await node.reorg(1 + by.below(confirmations - 1))
          tally.fault('chain reorganised')
        }
        if (by.happens(0.1)) {
          node.signal('SIGSTOP')
          await sleep(200 + by.below(2_000))
          node.signal('SIGCONT')
          tally.fault('chain node hangs')
        }
        await sleep(300 + by.below(700))
      }
    },
    settle: () => node.mine(confirmations + 3).then(() => {}),
    async paidIn() {
      const logs = await node.node.getLogs({
        ...{ address: usdc as Hex, event: transferred, args: { to: addresses as Hex[] } },
        ...{ fromBlock: 0n, toBlock: 'latest' },
      })
      return logs.map(({ args }) => (args.value ?? 0n) / unitsOfCent)
    },
    stop: () => network.stop(),
  }
}

const withinMs = 60_000

/** The model learns of what came by the chain, and each transfer that is in it for good must have been credited once. */
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
    [...model.chain.values()].filter(({ status }) => status === 'completed').map(({ amount }) => amount)
  for (const deadline = performance.now() + withinMs; performance.now() < deadline; await sleep(500)) {
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
