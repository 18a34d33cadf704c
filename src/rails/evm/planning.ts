/**
 * What one round of payouts may sign: which of the queue the treasury can pay, with which nonces
 * and at which fees, read from one endpoint.
 */
import type { Hex } from 'viem'
import { type CryptoCurrency, larger } from '../../lib/money.ts'
import { isAnswer } from './asking.ts'
import { callOf } from './broadcasts.ts'
import type { Chain } from './chain.ts'
import type { Endpoint, Fees } from './endpoint.ts'
import {
  affordable,
  type Funds,
  feesWithin,
  feeTooHigh,
  gasLimit,
  leastFee,
  shortOfGas,
  shortOfToken,
} from './funds.ts'
import { messageOf, WouldRevert } from './rpc-errors.ts'
import type { SentRow, TransactionRow } from './sender-sql.ts'
import { type EvmNetwork, tokensOf } from './settings.ts'

/** What a treasury holds, and what gas costs it: at least, and the fees that would be paid. */
export type TreasuryBalance = {
  native: bigint
  tokens: Partial<Record<CryptoCurrency, bigint>>
  leastFee: bigint
  fees: Fees
}
type Estimated = { row: TransactionRow; gas: bigint } | { row: TransactionRow; refused: string }
type Unclear = { own: string }
export type Plan = {
  balance: TreasuryBalance
  block: bigint
  /** The nonce of the first that is signed. */
  first: bigint
  ready: Estimated[]
  troubles: string[]
  /** Wei that nothing signed will take. */
  spendable: bigint
}

/**
 * How many of our transactions wait in the network's pool at most: go-ethereum keeps sixteen of one
 * account for sure.
 */
export const atOnce = 16
/** How many of those that cannot be estimated are named. */
const unclearNamed = 3

/**
 * @param expected the treasury's next nonce, by our books
 * @param sent what it has signed that is not final
 */
export async function makePlan(
  { network }: Chain,
  endpoint: Endpoint,
  {
    address,
    expected,
    queued,
    sent,
  }: { address: Hex; expected: bigint; queued: TransactionRow[]; sent: SentRow[] },
): Promise<Plan> {
  const { tip, latest, pending, balance, funds } = await readTreasury(network, endpoint, address)
  const unmined = sent.filter((row) => row.nonce >= latest)
  const free = withoutSigned(funds, unmined)
  // With nothing of ours on its way, what somebody else has in the pool comes first.
  const known = unmined.length === 0 ? larger(latest, pending) : latest
  const first = larger(expected, known)
  const spendable = free.get(null) as bigint
  const plan: Plan = { balance, block: tip.number, first, ready: [], troubles: [], spendable }
  if (queued.length === 0) return plan
  const blocked = (trouble: string): Plan => ({ ...plan, troubles: [trouble] })
  // Each nonce from the chain's to ours must be one that waits; signing behind a gap would only
  // wait for ever.
  if (latest < expected && BigInt(unmined.length) !== expected - latest)
    return blocked(
      `${address} has used ${latest} nonces on ${network.id} and ours begin at ${expected}, with ${unmined.length} on their way: the node is behind, the chain was reset, or a transaction that is not ours is awaited`,
    )
  const fees = feesWithin(network.maxFeePerGas, balance.fees)
  if (fees === null) return blocked(feeTooHigh(network, balance.leastFee))
  balance.fees = fees

  const estimateOf = (row: TransactionRow) => estimate(endpoint, tip.number, address, row)
  const { ready, short, unclear } = await choose(queued, free, atOnce - unmined.length, estimateOf)
  plan.ready = ready
  for (const [contract, lack] of short) {
    const has = funds.get(contract) ?? 0n
    if (contract === null) plan.troubles.push(shortOfGas(network, address, has, has + lack))
    else plan.troubles.push(shortOfToken(network, address, contract, has, has + lack))
  }
  plan.troubles.push(...unclear.slice(0, unclearNamed).map(({ own }) => `${own} on ${network.id}`))
  if (unclear.length > unclearNamed)
    plan.troubles.push(`${unclear.length - unclearNamed} more on ${network.id} cannot be estimated`)
  return plan
}

/**
 * What the treasury has: nonces before balances, so that nothing is counted that is spent by then.
 */
async function readTreasury(network: EvmNetwork, endpoint: Endpoint, address: Hex) {
  const [tip, latest, pending] = await Promise.all([
    endpoint.tip(),
    endpoint.nonce(address, 'latest').then(BigInt),
    endpoint.nonce(address, 'pending').then(BigInt),
  ])
  const [native, fees, ...balances] = await Promise.all([
    endpoint.nativeBalance(address),
    endpoint.fees(),
    ...tokensOf(network).map(async ({ currency, contract_address: contract }) => {
      return { currency, contract, units: await endpoint.tokenBalance(contract, address) }
    }),
  ])
  const tokens = Object.fromEntries(balances.map(({ currency, units }) => [currency, units]))
  const funds: Funds = new Map(balances.map(({ contract, units }) => [contract, units]))
  const balance: TreasuryBalance = { native, tokens, leastFee: leastFee(fees), fees }
  return { tip, latest, pending, balance, funds: funds.set(null, native) }
}

/** Funds less what is signed and not mined takes. */
function withoutSigned(funds: Funds, unmined: SentRow[]): Funds {
  const free = new Map(funds)
  const take = (contract: string | null, units: bigint) =>
    free.set(contract, (free.get(contract) ?? 0n) - units)
  for (const row of unmined) {
    take(row.contract_address, BigInt(row.units))
    take(null, row.gas * BigInt(row.max_fee))
  }
  return free
}

/**
 * Which of a queue can be paid. What cannot be estimated leaves its capacity, and what it would
 * take, to those behind it.
 */
async function choose(
  queued: TransactionRow[],
  free: Funds,
  capacity: number,
  estimateOf: (row: TransactionRow) => Promise<Estimated | Unclear>,
): Promise<{ ready: Estimated[]; short: Funds; unclear: Unclear[] }> {
  const tried = new Map<string, Estimated | Unclear>()
  const isUnclear = (row: TransactionRow): boolean => 'own' in (tried.get(row.id) ?? {})
  for (;;) {
    const clear = queued.filter((row) => !isUnclear(row))
    const { payable, short } = affordable(clear, free, capacity)
    const untried = payable.filter((row) => !tried.has(row.id))
    await Promise.all(untried.map(async (row) => tried.set(row.id, await estimateOf(row))))
    if (untried.some(isUnclear)) continue
    const ready = payable.map((row) => tried.get(row.id) as Estimated)
    return { ready, short, unclear: [...tried.values()].filter((one) => 'own' in one) }
  }
}

/**
 * The gas of a transaction, or that it cannot succeed: because of whom it goes to, or because of
 * us.
 */
async function estimate(
  endpoint: Endpoint,
  block: bigint,
  from: Hex,
  row: TransactionRow,
): Promise<Estimated | Unclear> {
  const units = BigInt(row.units)
  const call = { from, ...callOf(row, units) }
  try {
    return { row, gas: gasLimit(await endpoint.gas(call)) }
  } catch (error) {
    if (!isAnswer(error)) throw error
    // One that cannot be estimated waits, and must not hold up the others.
    const unclear = { own: `${row.kind} ${row.id} cannot be estimated: ${messageOf(error)}` }
    if (!(error instanceof WouldRevert)) return unclear
    // The same to ourselves fails too when we lack the units, or the token is paused or has blocked
    // us: no fault of the recipient. Both are asked of one block: nodes behind one URL are apart,
    // and a payout that has failed does not come back.
    const toSelf = { from, ...callOf({ ...row, recipient: from }, units) }
    try {
      const own = await endpoint.refusal(toSelf, block)
      if (own !== null)
        return { own: `${row.contract_address ?? 'the network'} lets ${from} send nothing: ${own}` }
      const refused = await endpoint.refusal(call, block)
      return refused === null ? unclear : { row, refused }
    } catch (failure) {
      if (!isAnswer(failure)) throw failure
      return unclear
    }
  }
}
