/**
 * Sweeps funds from deposit addresses to the treasury. Both belong to one owner, so no merchant's
 * money changes and nothing is posted.
 */
import type { Hex } from 'viem'
import { transaction } from '../../db/db.ts'
import { newId } from '../../lib/ids.ts'
import type { CryptoCurrency } from '../../lib/money.ts'
import type { PeriodicTask } from '../../lib/periodic.ts'
import type { Candidate } from '../ports/chains.ts'
import { isSqlFailure, ofEach, onChecked } from './asking.ts'
import { broadcast, callOf, type Signed, sign, store } from './broadcasts.ts'
import type { Endpoint } from './endpoint.ts'
import { follow } from './following.ts'
import { feesFrom, feesWithin, gasLimit, TooMuchGas, unitsOf } from './funds.ts'
import type { Signer } from './keys.ts'
import type { ChainParts } from './parts.ts'
import { messageOf, WouldRevert } from './rpc-errors.ts'
import * as sql from './sender-sql.ts'
import { tokensOf } from './settings.ts'
import { recordSweepTrouble } from './states.ts'

export type SweepParts = ChainParts & {
  /** The address that receives everything. */
  treasury: string
  /** The signer of a deposit address. */
  deposit(index: number): Signer
  /** The smallest token amount to sweep, in cents. */
  minimum: bigint
}

export type SweepReport = {
  /** Sweeps started now. In the tokens' own units. */
  started: { address: string; currency: CryptoCurrency; units: bigint }[]
  /** Sweeps waiting for gas or for an earlier one. */
  waiting: number
  /** Signed sweeps that are not final. */
  sent: number
  /** Addresses whose balances could not be read: read them again. */
  unread: Candidate[]
  /** Obstacles to sweeps, for people. */
  troubles: string[]
  /** Obstacles that only the next reading of addresses can end. */
  lasting: string[]
}

/** Addresses per batch of JSON-RPC calls. */
const addressesAtOnce = 50
/** The most signed sweeps followed at once. */
const followedAtOnce = 100
/** The longest backoff for addresses that could not be read. */
const longestBackoffMs = 60_000

/**
 * Advances every open sweep, and starts sweeps of addresses with enough funds. A sweep takes
 * several rounds: gas mined, transfer mined, transfer final. `waiting` and `sent` of the report are
 * 0 when all is done.
 * Gas: a deposit address has none of the network's coin. If it lacks the cost of its transfer at
 * twice the current base fee, the treasury sends the difference, through the same queue as payouts.
 * The transfer is signed once the coins arrive, with the fees they cover. Remaining coins stay at
 * the address for its next sweep. If fees rise above that headroom, before signing or before
 * mining, more gas is ordered after the last order has ended. While gas is expensive, sweeps wait.
 * Uniqueness: the database allows one open sweep per address and one open gas order per sweep. So
 * neither a crash nor concurrent sweepers sweep twice or send gas twice.
 * @param candidates pages of addresses that may hold funds, such as those paid since the last time
 * @throws transport errors, when no endpoint can be reached; started sweeps continue next time
 */
export async function sweepOnce(
  parts: SweepParts,
  candidates: AsyncIterable<Candidate[]>,
): Promise<SweepReport> {
  const { db, chain } = parts
  const before = await follow(
    parts,
    await db.rows(sql.selectSent, [chain.network.id, ['sweep'], followedAtOnce]),
    (row) => parts.deposit(Number(row.key_index)),
    async (row, wei) => {
      if (!isComing(row)) await topUp(parts, row, wei)
    },
  )
  const { started, unread, troubles } = await start(parts, candidates)
  const after = await advance(parts)
  const open = await db.row(sql.countSweeps, [chain.network.id])
  return {
    started,
    unread,
    waiting: Number(open?.queued ?? 0),
    sent: Number(open?.sent ?? 0),
    troubles: [...troubles, ...before, ...after],
    lasting: troubles,
  }
}

/**
 * The periodic task that sweeps on a schedule: starts sweeps at each interval, and advances open
 * ones in between. Unreadable addresses are retried with backoff.
 * @param candidates as of `sweepOnce`, created again for each listing
 * @param everyMs the interval between listings of addresses
 */
export function sweepTask(
  parts: SweepParts,
  candidates: () => AsyncIterable<Candidate[]>,
  everyMs: number,
) {
  const { db, clock, log, chain } = parts
  const roundMs = Math.min(everyMs, 5 * chain.network.pollMs)
  let listing = Number.NEGATIVE_INFINITY
  let next = listing
  let unread: Candidate[] = []
  let failures = 0
  let lasting: string[] = []
  let logged = ''
  const sweep = async (now: number): Promise<SweepReport> => {
    if (now < next) return sweepOnce(parts, pagesOf([]))
    // Set before the attempt, so that one that throws is not repeated each round.
    next = now + Math.min(longestBackoffMs, roundMs * 2 ** Math.min(++failures, 16))
    const isListing = now >= listing
    const report = await sweepOnce(parts, isListing ? candidates() : pagesOf(unread))
    if (isListing) listing = now + everyMs
    unread = report.unread
    lasting = report.lasting
    if (unread.length > 0) return report
    failures = 0
    next = listing
    return report
  }
  return {
    name: `sweep on ${chain.network.id}`,
    everyMs: roundMs,
    async run() {
      let trouble: string
      try {
        const { started, troubles } = await sweep(clock.now().getTime())
        if (started.length > 0)
          log.info({ network: chain.network.id, sweeps: started.length }, 'sweeps have started')
        trouble = [...new Set([...lasting, ...troubles])].join('; ')
      } catch (error) {
        if (isSqlFailure(error)) throw error
        trouble = `${chain.network.id} cannot be worked with: ${messageOf(error)}`
      }
      if (trouble !== '' && trouble !== logged)
        log.error({ network: chain.network.id, trouble }, 'sweeps are held up')
      logged = trouble
      if (trouble !== '')
        await db.rows(recordSweepTrouble, [chain.network.id, trouble, clock.now()])
    },
  } satisfies PeriodicTask
}

async function* pagesOf(page: Candidate[]): AsyncGenerator<Candidate[]> {
  yield page
}

/** The network's tokens, with the smallest amount to sweep in their own units. */
const sweptTokens = ({ chain, minimum }: SweepParts) =>
  tokensOf(chain.network).map((token) => ({ ...token, least: unitsOf(minimum, token) }))

/** Stores the sweeps to do. Stops at the first address when no endpoint answers. */
async function start(
  parts: SweepParts,
  candidates: AsyncIterable<Candidate[]>,
): Promise<Pick<SweepReport, 'started' | 'unread' | 'troubles'>> {
  const { chain } = parts
  const tokens = sweptTokens(parts)
  const started: SweepReport['started'] = []
  const troubles: string[] = []
  const failed: { item: Candidate; reason: unknown }[] = []
  const behind: Candidate[] = []
  let silent = false
  for await (const page of candidates)
    for (let from = 0; from < page.length; from += addressesAtOnce) {
      const some = page.slice(from, from + addressesAtOnce)
      if (silent) {
        behind.push(...some)
        continue
      }
      const found = await onChecked(chain, (endpoint) =>
        ofEach(some, (one) => holdingsOf(endpoint, one, tokens)),
      ).catch((reason: unknown) => ({ had: [], failed: some.map((item) => ({ item, reason })) }))
      silent = found.had.length === 0
      failed.push(...found.failed)
      for (const one of found.had.flat()) {
        const answer = await startOne(parts, one)
        if (typeof answer === 'string') troubles.push(answer)
        else if (answer) started.push(one)
      }
    }
  const [first] = failed
  if (first)
    troubles.push(
      `${failed.length} of the addresses on ${chain.network.id} could not be read: ${messageOf(first.reason)}`,
    )
  return { started, unread: [...behind, ...failed.map(({ item }) => item)], troubles }
}

type TokenHolding = Candidate & ReturnType<typeof sweptTokens>[number] & { units: bigint }

const holdingsOf = (
  endpoint: Endpoint,
  one: Candidate,
  tokens: ReturnType<typeof sweptTokens>,
): Promise<TokenHolding[]> =>
  Promise.all(
    tokens.map(async (token) => ({
      ...one,
      ...token,
      units: await endpoint.tokenBalance(token.contract_address, one.address),
    })),
  )

/** Starts a sweep of a large enough balance. @returns whether it started, or why it cannot */
async function startOne(parts: SweepParts, holding: TokenHolding): Promise<boolean | string> {
  const { db, clock, chain } = parts
  const { address, index, contract_address: contract, units, least } = holding
  if (units < least || units === 0n || address === parts.treasury) return false
  if (parts.deposit(index).address !== address)
    return `${address} is not the address of index ${index}: the mnemonic is not that of its key`
  const now = clock.now()
  await db.rows(sql.addSender, [chain.network.id, address, 'deposit', now])
  const sweep = {
    network: chain.network.id,
    id: newId(now),
    kind: 'sweep',
    sender: address,
    key_index: index,
  }
  const wanted = sql.transactionOf({
    ...sweep,
    recipient: parts.treasury,
    contract,
    units,
    attempt: 0,
    now,
  })
  return (await db.row(sql.addTransaction, wanted)) !== null
}

type Sweep = Awaited<ReturnType<typeof waiting>>[number]

const waiting = ({ db, chain }: SweepParts) =>
  db.rows(sql.selectSweeps, [chain.network.id, addressesAtOnce])

/** Whether gas is on its way for this sweep; a new sweep would order it again. */
const isComing = ({ gas_status }: Pick<Sweep, 'gas_status'>): boolean =>
  gas_status === 'queued' || gas_status === 'sent'

type Holding = { sweep: Sweep; nonce: bigint; behind: boolean; coins: bigint; units: bigint }
type Costed = Holding & ({ gas: bigint; l1Fee: bigint } | { refused: string })

/** Signs sweeps whose addresses have gas, and orders gas for the others. */
async function advance(parts: SweepParts): Promise<string[]> {
  const { db, clock, chain } = parts
  const { network } = chain
  // Read before the chain, so that the balance includes every gas order that has ended.
  const sweeps = await waiting(parts)
  if (sweeps.length === 0) return []
  await db.rows(sql.touchSweeps, [network.id, sweeps.map((sweep) => sweep.id), clock.now()])
  const least = new Map(sweptTokens(parts).map((token) => [token.contract_address, token.least]))
  const [tip, current, { had, failed }] = await onChecked(chain, (endpoint) =>
    Promise.all([
      endpoint.tip(),
      endpoint.fees(),
      ofEach(sweeps, (sweep) => costOf(endpoint, sweep)),
    ]),
  )
  const fees = feesWithin(network.maxSweepFeePerGas, current)
  if (fees === null)
    return [`sweeps on ${network.id} wait: gas costs more than max_sweep_fee_gwei allows`]

  const troubles = failed.map(
    ({ item, reason }) => `${item.sender} on ${network.id} could not be read: ${messageOf(reason)}`,
  )
  const ready: Signed[] = []
  for (const one of had) {
    const { sweep, units } = one
    const address = sweep.sender as string
    const ordered = isComing(sweep)
    if (units < (least.get(sweep.contract_address as string) ?? 0n) || units === 0n) {
      if (!ordered) await db.rows(sql.dropSweep, [network.id, sweep.id])
    } else if (one.behind) {
      troubles.push(
        `${address} has used fewer nonces on ${network.id} than we have: the node is behind`,
      )
    } else if ('refused' in one) {
      // A sweep that another process has done also fails, but is no longer queued.
      const left = await db.row(ordered ? sql.selectQueuedSweep : sql.dropSweep, [
        network.id,
        sweep.id,
      ])
      if (left) troubles.push(`${address} on ${network.id} cannot be swept: ${one.refused}`)
    } else {
      // Twice, because it moves with L1 fees.
      const aside = 2n * one.l1Fee
      const own = feesFrom(one.coins - aside, one.gas, fees, current)
      if (own !== null) {
        const signer = parts.deposit(Number(sweep.key_index))
        const signed = await sign(chain, signer, sweep, {
          nonce: one.nonce,
          units,
          gas: one.gas,
          ...own,
        })
        if (await store(parts, address, sweep.next_nonce, tip.number, [signed])) ready.push(signed)
      } else if (!ordered) {
        await topUp(parts, sweep, one.gas * fees.maxFeePerGas + aside - one.coins)
      }
    }
  }
  return [...troubles, ...(await broadcast(chain, ready))]
}

/** Reads an address's holdings and its transfer's cost. */
async function costOf(endpoint: Endpoint, sweep: Sweep): Promise<Costed> {
  const from = sweep.sender as Hex
  const [latest, pending, coins, units] = await Promise.all([
    endpoint.nonce(from, 'latest').then(BigInt),
    endpoint.nonce(from, 'pending').then(BigInt),
    endpoint.nativeBalance(from),
    endpoint.tokenBalance(sweep.contract_address as string, from),
  ])
  const known = latest > pending ? latest : pending
  const nonce = known > sweep.next_nonce ? known : sweep.next_nonce
  const holding: Holding = { sweep, nonce, behind: latest < sweep.next_nonce, coins, units }
  try {
    const call = { from, ...callOf(sweep, units) }
    const [gas, l1Fee] = await Promise.all([endpoint.gas(call), endpoint.l1Fee(call)])
    return { ...holding, gas: gasLimit(gas), l1Fee }
  } catch (error) {
    if (error instanceof WouldRevert || error instanceof TooMuchGas)
      return { ...holding, refused: messageOf(error) }
    throw error
  }
}

/** Makes the treasury send coins to an address, unless another process has ordered them. */
async function topUp(
  { db, clock, chain }: SweepParts,
  sweep: Pick<Sweep, 'id' | 'sender' | 'gas_id'>,
  wei: bigint,
): Promise<void> {
  const network = chain.network.id
  const now = clock.now()
  const id = newId(now)
  await transaction(db, async (tx) => {
    if (!(await tx.row(sql.orderGas, [network, sweep.id, sweep.gas_id, id]))) return
    const gas = { network, id, kind: 'gas', sender: null, key_index: null, contract: null }
    await tx.rows(
      sql.addTransaction,
      sql.transactionOf({ ...gas, recipient: sweep.sender, units: wei, attempt: 0, now }),
    )
  })
}
