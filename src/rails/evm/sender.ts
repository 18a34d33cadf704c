/**
 * Payouts on one EVM network. The rail only writes down what is to be paid; the chore signs it with the treasury's key, once each,
 * and follows it to its end. They meet in the database alone, so that the key need not be where orders are taken.
 */
import type { Hex } from 'viem'
import type { Database } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'
import { type CryptoCurrency, cryptoCurrencies } from '../../lib/money.ts'
import { isChecksumAddress } from '../eip55.ts'
import type { OrderState, PayoutOrder, PayoutRail } from '../rail.ts'
import { isAnswer, isSqlFailure, onChecked } from './asking.ts'
import { callOf, follow, hand, type SenderParts, type Signed, store } from './broadcasts.ts'
import { type Chain, type Endpoint, type Fees, messageOf, WouldRevert } from './chain.ts'
import type { Signer } from './keys.ts'
import {
  affordable,
  feesWithin,
  gasLimit,
  larger,
  obstacleOf,
  type Purse,
  shortOfGas,
  shortOfToken,
  TooDear,
  unitsOf,
} from './purse.ts'
import {
  addSender,
  addTransaction,
  endTransaction,
  noteSender,
  type SenderRow,
  type SentRow,
  selectQueued,
  selectSender,
  selectSent,
  selectTransaction,
  selectTreasuries,
  type TransactionRow,
} from './sender-sql.ts'
import { noteObstacle } from './states.ts'

/** Something that is done again and again by a worker. */
export type Chore = { name: string; everyMs: number; run(): Promise<void> }

/** How many of our transactions wait in the network's pool at most: go-ethereum keeps sixteen of one account for sure. */
const atOnce = 16
/** How many of each token's queue are looked at: more, since some of them may be such as cannot be estimated. */
const lookedAt = 2 * atOnce
/** How many of those are named. */
const oddSaid = 3
/** How many signed transactions are followed at once. */
const followedAtOnce = 500
/** How long a balance is good for when there is nothing to do. */
const idleMs = 15_000
/** What a transfer takes, before any was estimated: more than those of the supported tokens do. */
const usualGas = 100_000n
/** How long a payout that waits is left alone at most. */
const longestWaitMs = 60_000
/** About how long a block takes. Ethereum and its test network: https://ethereum.org; Arbitrum a quarter of a second; most others two. */
const blockMs: Record<number, number> = { 1: 12_000, 11155111: 12_000, 42161: 250 }

/** The rail that pays out on one network, from the treasury. It needs no key: it writes orders down, and reads how they stand. */
export function evmPayoutRail(parts: { db: Database; clock: Clock; chain: Chain }): PayoutRail {
  const { db, clock, chain } = parts
  const { network } = chain

  const meant = (order: PayoutOrder) => {
    const { destination } = order
    if (destination.type !== 'crypto' || destination.chain !== network.id || !isChecksumAddress(destination.address))
      throw new Error(`order ${order.id} is not for an account of ${network.id}`)
    const token = network.tokens[destination.currency]
    if (token?.contract_address !== destination.contract_address || destination.currency !== order.currency)
      throw new Error(
        `order ${order.id}: ${destination.contract_address} is not the ${order.currency} of ${network.id}`,
      )
    return { recipient: destination.address, contract: token.contract_address, units: unitsOf(order.amount, token) }
  }

  const stateOf = async (order: PayoutOrder): Promise<OrderState> => {
    const row = await db.row(selectTransaction, [network.id, order.id])
    if (!row) return { state: 'not_found' }
    const { recipient, contract, units } = meant(order)
    const same =
      row.kind === 'payout' &&
      row.recipient === recipient &&
      row.contract_address === contract &&
      BigInt(row.units) === units
    if (!same) throw new Error(`order ${order.id} was taken on ${network.id} as another one`)
    switch (row.status) {
      case 'completed':
        return { state: 'completed', providerReference: row.hash as string, txHash: row.hash }
      case 'failed':
        return {
          state: 'failed',
          // The token refused it outright, or, when it was mined, for a reason that the chain does not keep.
          reason: row.hash === null ? 'rejected' : 'network_error',
          providerReference: row.hash,
        }
      default: {
        const waited = clock.now().getTime() - row.created_at.getTime()
        const askAgainInMs = Math.min(longestWaitMs, Math.max(network.pollMs, Math.floor(waited / 4)))
        return { state: 'processing', providerReference: row.hash, txHash: row.hash, askAgainInMs }
      }
    }
  }

  return {
    name: 'evm',
    holdMs: 0,
    arrivalMs: (network.confirmations + 1) * (blockMs[network.chain_id] ?? 2_000),

    async send(order) {
      const { recipient, contract, units } = meant(order)
      const now = clock.now()
      await db.rows(addTransaction, [network.id, order.id, 'payout', null, null, recipient, contract, units, now])
      return stateOf(order)
    },
    ask: stateOf,
    async obstacle(order) {
      const reason = await obstacleOf(parts, meant(order))
      if (reason !== null) await noteObstacle(db, network.id, reason, clock.now())
      return reason
    },
    lookup: async () => ({ found: 'unavailable' }),
  }
}

/**
 * The chore that pays what is queued on one network: payouts, and gas for sweeps. Any number of processes may run it at once.
 */
export function sendChore(parts: SenderParts & { signer: Signer }): Chore {
  const { db, clock, log, chain, signer } = parts
  const { network } = chain
  return {
    name: `send on ${network.id}`,
    everyMs: network.pollMs,
    async run() {
      const known = await db.row(selectSender, [network.id, signer.address])
      if (!known) await db.rows(addSender, [network.id, signer.address, 'treasury', clock.now()])
      const before = known ?? ((await db.row(selectSender, [network.id, signer.address])) as SenderRow)
      let result: { troubles: string[]; held: Held | null }
      try {
        const troubles = await followOwn(parts)
        result = await pay(parts, before, troubles)
      } catch (error) {
        if (isSqlFailure(error)) throw error
        result = { troubles: [`${network.id} cannot be worked with: ${messageOf(error)}`], held: null }
      }
      const { held } = result
      const trouble = result.troubles.length === 0 ? null : result.troubles.join('; ')
      if (trouble !== before.trouble) {
        if (trouble === null) log.info({ network: network.id }, 'payouts are sent again')
        else log.error({ network: network.id, trouble }, 'payouts are held up')
      }
      if (held === null && trouble === before.trouble) return
      await db.rows(noteSender, [
        network.id,
        signer.address,
        held?.native ?? null,
        held && JSON.stringify(held.tokens, (_key, value) => (typeof value === 'bigint' ? value.toString() : value)),
        held && usualGas * held.fees.maxFeePerGas,
        trouble,
        clock.now(),
      ])
    },
  }
}

async function followOwn(parts: SenderParts & { signer: Signer }): Promise<string[]> {
  const { db, chain, signer } = parts
  const rows = await db.rows(selectSent, [chain.network.id, ['payout', 'gas'], followedAtOnce])
  return follow(parts, rows, (row) => (row.sender === signer.address ? signer : null))
}

type Held = { native: bigint; tokens: Partial<Record<CryptoCurrency, bigint>>; fees: Fees }
type Estimated = { row: TransactionRow; gas: bigint } | { row: TransactionRow; refused: string }
type Plan = { held: Held; block: bigint; first: bigint; ready: Estimated[]; troubles: string[]; spendable: bigint }

/** Signs what the treasury can pay, oldest first, and sends it. */
async function pay(
  parts: SenderParts & { signer: Signer },
  sender: SenderRow,
  troubles: string[],
): Promise<{ troubles: string[]; held: Held | null }> {
  const { db, clock, log, chain, signer } = parts
  const { network } = chain
  // Before anything is read of the chain: another process that signs afterwards moves the nonce, and nothing is stored here.
  const { next_nonce: seen } = (await db.row(selectSender, [network.id, signer.address])) as SenderRow
  const queued = await db.rows(selectQueued, [network.id, lookedAt])
  const sent = (await db.rows(selectSent, [network.id, ['payout', 'gas'], followedAtOnce])).filter(
    (row) => row.sender === signer.address,
  )
  const fresh = sender.native_balance !== null && clock.now().getTime() - sender.updated_at.getTime() < idleMs
  if (queued.length === 0 && sent.length === 0 && fresh && troubles.length === 0 && sender.trouble === null)
    return { troubles, held: null }

  const plan = await onChecked(chain, (endpoint) => makePlan(parts, endpoint, { seen, queued, sent }))
  const { held, block, first } = plan
  const signed: Signed[] = []
  let left = plan.spendable
  for (const estimated of plan.ready) {
    const { row } = estimated
    if ('refused' in estimated) {
      const end = ['failed', estimated.refused, null, null, clock.now(), 'queued']
      await db.rows(endTransaction, [network.id, row.id, ...end])
      log.warn({ network: network.id, id: row.id, reason: estimated.refused }, 'a transaction cannot succeed; not sent')
      continue
    }
    const units = BigInt(row.units)
    const cost = estimated.gas * held.fees.maxFeePerGas + (row.contract_address === null ? units : 0n)
    if (left < cost) {
      plan.troubles.push(shortOfGas(network, signer.address, held.native, held.native - left + cost))
      break
    }
    left -= cost
    const unsigned = {
      chainId: network.chain_id,
      nonce: Number(first) + signed.length,
      ...callOf(row, units),
      gas: estimated.gas,
      ...held.fees,
    }
    signed.push({ id: row.id, raw: await signer.sign(unsigned), unsigned, units })
  }
  const stored = await store(parts, signer.address, seen, block, signed)
  if (stored && signed.length > 0 && seen > 0n && first > seen)
    log.error(
      { network: network.id, sender: signer.address, nonce: seen },
      `somebody else has sent from the treasury: its next nonce was ${first}, not ${seen}`,
    )
  const refusals = stored ? await hand(chain, signed) : []
  return { troubles: [...troubles, ...plan.troubles, ...refusals], held }
}

/** Reads what signing needs, from one endpoint: nonces before balances, so that nothing is counted that is spent by then. */
async function makePlan(
  { chain, signer }: SenderParts & { signer: Signer },
  endpoint: Endpoint,
  { seen, queued, sent }: { seen: bigint; queued: TransactionRow[]; sent: SentRow[] },
): Promise<Plan> {
  const { network } = chain
  const { address } = signer
  const [tip, latest, pending] = await Promise.all([
    endpoint.tip(),
    endpoint.nonce(address, 'latest').then(BigInt),
    endpoint.nonce(address, 'pending').then(BigInt),
  ])
  const listed = cryptoCurrencies.flatMap((currency) => {
    const token = network.tokens[currency]
    return token ? [{ currency, token }] : []
  })
  const [native, fees, ...balances] = await Promise.all([
    endpoint.nativeBalance(address),
    endpoint.fees(),
    ...listed.map(({ token }) => endpoint.tokenBalance(token.contract_address, address)),
  ])
  const held: Held = { native, fees, tokens: {} }
  for (const [i, { currency }] of listed.entries()) held.tokens[currency] = balances[i] as bigint
  const balanceOf: Purse = new Map(listed.map(({ token }, i) => [token.contract_address, balances[i] as bigint]))
  balanceOf.set(null, native)
  const purse = new Map(balanceOf)

  const unmined = sent.filter((row) => row.nonce >= latest)
  let spendable = native
  for (const row of unmined) {
    const { contract_address: contract } = row
    spendable -= row.gas * BigInt(row.max_fee) + (contract === null ? BigInt(row.units) : 0n)
    purse.set(contract, (purse.get(contract) ?? 0n) - BigInt(row.units))
  }
  purse.set(null, spendable)

  // With nothing of ours on its way, what somebody else has in the pool comes first.
  const known = unmined.length === 0 ? larger(latest, pending) : latest
  const first = larger(seen, known)
  const plan: Plan = { held, block: tip.number, first, ready: [], troubles: [], spendable }
  if (queued.length === 0) return plan
  // Each nonce from the chain's to ours must be one that waits; signing behind a gap would only wait for ever.
  if (latest < seen && BigInt(unmined.length) !== seen - latest) {
    plan.troubles.push(
      `${address} has used ${latest} nonces on ${network.id} and ours begin at ${seen}, with ${unmined.length} on their way: the node is behind, the chain was reset, or a transaction that is not ours is awaited`,
    )
    return plan
  }
  try {
    held.fees = feesWithin(chain, fees)
  } catch (error) {
    if (!(error instanceof TooDear)) throw error
    plan.troubles.push(error.message)
    return plan
  }

  const room = atOnce - unmined.length
  const tried = new Map<string, Awaited<ReturnType<typeof estimate>>>()
  for (;;) {
    const isOdd = (row: TransactionRow): boolean => 'own' in (tried.get(row.id) ?? {})
    const { payable, short } = affordable(
      queued.filter((row) => !isOdd(row)),
      purse,
      room,
    )
    const untried = payable.filter((row) => !tried.has(row.id))
    await Promise.all(untried.map(async (row) => tried.set(row.id, await estimate(endpoint, tip.number, address, row))))
    // What cannot be estimated leaves its room, and what it would take, to those behind it.
    if (untried.some(isOdd)) continue
    plan.ready = payable.map((row) => tried.get(row.id) as Estimated)
    for (const [contract, lack] of short) {
      const has = balanceOf.get(contract) ?? 0n
      if (contract === null) plan.troubles.push(shortOfGas(network, address, has, has + lack))
      else plan.troubles.push(shortOfToken(network, address, contract, has, has + lack))
    }
    break
  }
  const odd = [...tried.values()].flatMap((one) => ('own' in one ? [`${one.own} on ${network.id}`] : []))
  plan.troubles.push(...odd.slice(0, oddSaid))
  if (odd.length > oddSaid) plan.troubles.push(`${odd.length - oddSaid} more on ${network.id} cannot be estimated`)
  return plan
}

/** The gas of a transaction, or that it cannot succeed: because of whom it goes to, or because of us. */
async function estimate(
  endpoint: Endpoint,
  block: bigint,
  from: Hex,
  row: TransactionRow,
): Promise<Estimated | { own: string }> {
  const units = BigInt(row.units)
  const call = { from, ...callOf(row, units) }
  try {
    return { row, gas: gasLimit(await endpoint.gas(call)) }
  } catch (error) {
    if (!isAnswer(error)) throw error
    // One that cannot be estimated waits, and must not hold up the others.
    const unclear = { own: `${row.kind} ${row.id} cannot be estimated: ${messageOf(error)}` }
    if (!(error instanceof WouldRevert)) return unclear
    // The same to ourselves fails too when we lack the units, or the token is paused or has blocked us: no fault of the recipient.
    // Both are asked of one block: nodes behind one URL are apart, and a payout that has failed does not come back.
    const toSelf = { from, ...callOf({ ...row, recipient: from }, units) }
    try {
      const own = await endpoint.refusal(toSelf, block)
      if (own !== null) return { own: `${row.contract_address ?? 'the network'} lets ${from} send nothing: ${own}` }
      const refused = await endpoint.refusal(call, block)
      return refused === null ? unclear : { row, refused }
    } catch (failure) {
      if (!isAnswer(failure)) throw failure
      return unclear
    }
  }
}

/** How a treasury stands. Balances are what was last read of the chain; null before anything was. */
export type SenderState = {
  network: string
  address: string
  /** In wei. */
  nativeBalance: bigint | null
  /** In the tokens' own units. */
  tokenBalances: Partial<Record<CryptoCurrency, bigint>>
  /** Orders that are not signed yet. */
  queued: number
  /** Transactions that are signed and not final. */
  sent: number
  /** When the oldest order that is not signed was taken. */
  oldestQueuedAt: Date | null
  /** What holds payouts up, for people; null when nothing does. */
  trouble: string | null
  /** When the balances were read; a former key's treasury keeps its last ones. */
  updatedAt: Date
}

/** How each treasury stands, for health and metrics. Asks the database only. */
export async function senderStates(db: Database): Promise<SenderState[]> {
  return (await db.rows(selectTreasuries)).map((row) => ({
    network: row.network,
    address: row.address,
    nativeBalance: row.native_balance === null ? null : BigInt(row.native_balance),
    tokenBalances: Object.fromEntries(
      Object.entries(row.token_balances).map(([currency, units]) => [currency, BigInt(units)]),
    ),
    queued: Number(row.queued),
    sent: Number(row.sent),
    oldestQueuedAt: row.oldest_at,
    trouble: row.trouble,
    updatedAt: row.updated_at,
  }))
}
