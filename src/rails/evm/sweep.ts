/**
 * Sweeping: what deposit addresses hold goes to the treasury. It is a move between accounts of one owner, so no merchant's money
 * changes and nothing is posted.
 *
 * Gas: a deposit address has none of the network's coin. When it lacks what its transfer costs by the fees of the moment, the treasury
 * sends it the difference and half of the cost as head-room, through the same queue as payouts. The transfer is signed once the coins are there.
 * What is left of them stays at the address, and is counted the next time. When fees rise above the head-room before the transfer
 * is signed, more is ordered, but only after the last order has ended.
 *
 * Once: an address has at most one open sweep, and a sweep at most one open order of gas; the database keeps both. So a crash, or two
 * sweepers at once, neither sweep twice nor send gas twice.
 */
import type { Hex } from 'viem'
import { transaction } from '../../db/db.ts'
import { newId } from '../../lib/ids.ts'
import { type CryptoCurrency, cryptoCurrencies } from '../../lib/money.ts'
import {
  callOf,
  follow,
  hand,
  isAnswer,
  isSqlFailure,
  onChecked,
  type SenderParts,
  type Signed,
  store,
} from './broadcasts.ts'
import { type Endpoint, type Fees, messageOf } from './chain.ts'
import type { Signer } from './keys.ts'
import { feesWithin, gasLimit, TooDear, unitsOf } from './purse.ts'
import type { Chore } from './sender.ts'
import {
  addSender,
  addTransaction,
  countSweeps,
  dropSweep,
  orderGas,
  selectSent,
  selectSweeps,
  touchSweeps,
} from './sender-sql.ts'

export type SweepParts = SenderParts & {
  /** The address that everything goes to. */
  treasury: string
  /** The signer of a deposit address. */
  deposit(index: number): Signer
  /** Least that is swept of a token. Cents. */
  minimum: bigint
}

/** A deposit address that may hold something, and its index below its key. */
export type Candidate = { address: string; index: number }

export type SweepReport = {
  /** What was begun now. In the tokens' own units. */
  started: { address: string; currency: CryptoCurrency; units: bigint }[]
  /** Sweeps that wait for gas, or for their turn. */
  waiting: number
  /** Sweeps that are signed and not final. */
  sent: number
  /** What keeps sweeps from going on, for people. */
  troubles: string[]
}

/** How many addresses are looked at in one batch of JSON-RPC calls. */
const addressesAtOnce = 50
/** How many signed sweeps are followed at once. */
const followedAtOnce = 100

/**
 * Moves every sweep on as far as it goes now, and begins those of addresses that hold enough. A sweep takes several rounds: gas is
 * mined, the transfer is mined, the transfer is final. `waiting` and `sent` of the report are 0 when all is done.
 * @param candidates pages of addresses that may hold something, such as those that were paid since the last time
 * @throws what the transport throws, when no endpoint can be reached; what was begun goes on the next time
 */
export async function sweepOnce(parts: SweepParts, candidates: AsyncIterable<Candidate[]>): Promise<SweepReport> {
  const { db, chain } = parts
  const before = await follow(parts, await db.rows(selectSent, [chain.network.id, ['sweep'], followedAtOnce]), (row) =>
    parts.deposit(Number(row.key_index)),
  )
  const { started, troubles } = await begin(parts, candidates)
  const after = await advance(parts)
  const open = await db.row(countSweeps, [chain.network.id])
  return {
    started,
    waiting: Number(open?.queued ?? 0),
    sent: Number(open?.sent ?? 0),
    troubles: [...before, ...troubles, ...after],
  }
}

/**
 * The chore that sweeps on a schedule: it begins sweeps every so often, and moves those that are open on in between.
 * @param candidates the same as of `sweepOnce`, made anew each time
 * @param everyMs how often addresses are looked through
 */
export function sweepChore(parts: SweepParts, candidates: () => AsyncIterable<Candidate[]>, everyMs: number): Chore {
  const { clock, log, chain } = parts
  let next = Number.NEGATIVE_INFINITY
  let told = ''
  return {
    name: `sweep on ${chain.network.id}`,
    everyMs: Math.min(everyMs, 5 * chain.network.pollMs),
    async run() {
      const now = clock.now().getTime()
      const due = now >= next
      let tell: string
      try {
        const { started, troubles } = await sweepOnce(parts, due ? candidates() : nobody())
        if (due) next = now + everyMs
        if (started.length > 0) log.info({ network: chain.network.id, sweeps: started.length }, 'sweeps have begun')
        tell = troubles.join('; ')
      } catch (error) {
        if (isSqlFailure(error)) throw error
        tell = `${chain.network.id} cannot be worked with: ${messageOf(error)}`
      }
      if (tell !== '' && tell !== told) log.error({ network: chain.network.id, trouble: tell }, 'sweeps are held up')
      told = tell
    },
  }
}

async function* nobody(): AsyncGenerator<Candidate[]> {}

/** The tokens of the network, and the least of each that is swept, in its own units. */
function tokensOf({ chain, minimum }: SweepParts) {
  return cryptoCurrencies.flatMap((currency) => {
    const token = chain.network.tokens[currency]
    return token ? [{ currency, contract: token.contract_address, least: unitsOf(minimum, token) }] : []
  })
}

/** Writes down what is to be swept. */
async function begin(
  parts: SweepParts,
  candidates: AsyncIterable<Candidate[]>,
): Promise<Pick<SweepReport, 'started' | 'troubles'>> {
  const { db, clock, chain } = parts
  const network = chain.network.id
  const tokens = tokensOf(parts)
  const started: SweepReport['started'] = []
  const troubles: string[] = []
  for await (const page of candidates)
    for (let from = 0; from < page.length; from += addressesAtOnce) {
      const found = await onChecked(chain, (endpoint) =>
        Promise.all(
          page.slice(from, from + addressesAtOnce).flatMap((candidate) =>
            tokens.map(async (token) => {
              const units = await endpoint.tokenBalance(token.contract, candidate.address)
              return { ...candidate, ...token, units }
            }),
          ),
        ),
      )
      for (const { address, index, contract, currency, units, least } of found) {
        if (units < least || units === 0n || address === parts.treasury) continue
        if (parts.deposit(index).address !== address) {
          troubles.push(`${address} is not the address of index ${index}: the mnemonic is not that of its key`)
          continue
        }
        const now = clock.now()
        await db.rows(addSender, [network, address, 'deposit', now])
        const sweep = [network, newId(now), 'sweep', address, index, parts.treasury, contract, units, now]
        if (await db.row(addTransaction, sweep)) started.push({ address, currency, units })
      }
    }
  return { started, troubles }
}

type Sweep = Awaited<ReturnType<typeof waiting>>[number]

const waiting = ({ db, chain }: SweepParts) => db.rows(selectSweeps, [chain.network.id, addressesAtOnce])

type Holding = { sweep: Sweep; nonce: bigint; behind: boolean; coins: bigint; units: bigint }
type Costed = Holding & ({ gas: bigint } | { refused: string })

/** Signs the sweeps whose addresses have gas, and orders gas for the others. */
async function advance(parts: SweepParts): Promise<string[]> {
  const { db, clock, chain } = parts
  const { network } = chain
  // Read before anything of the chain: an order of gas that has ended by then is in the balance that is read.
  const sweeps = await waiting(parts)
  if (sweeps.length === 0) return []
  await db.rows(touchSweeps, [network.id, sweeps.map((sweep) => sweep.id), clock.now()])
  const least = new Map(tokensOf(parts).map((token) => [token.contract, token.least]))
  const { block, current, costed } = await onChecked(chain, (endpoint) => look(endpoint, sweeps))
  let fees: Fees
  try {
    fees = feesWithin(chain, current)
  } catch (error) {
    if (error instanceof TooDear) return [error.message]
    throw error
  }

  const troubles: string[] = []
  const ready: Signed[] = []
  for (const one of costed) {
    const { sweep, units } = one
    const address = sweep.sender as string
    // Gas that is on its way belongs to this sweep: a new one would order it again.
    const ordered = sweep.gas_status === 'queued' || sweep.gas_status === 'sent'
    if (units < (least.get(sweep.contract_address as string) ?? 0n) || units === 0n) {
      if (!ordered) await db.rows(dropSweep, [network.id, sweep.id])
    } else if (one.behind) {
      troubles.push(`${address} has used fewer nonces on ${network.id} than we have: the node is behind`)
    } else if ('refused' in one) {
      if (!ordered) await db.rows(dropSweep, [network.id, sweep.id])
      troubles.push(`${address} on ${network.id} cannot be swept: ${one.refused}`)
    } else {
      const cost = one.gas * fees.maxFeePerGas
      if (one.coins >= cost) {
        const signed = await sign(parts, one, one.gas, fees)
        if (await store(parts, address, sweep.next_nonce, block, [signed])) ready.push(signed)
      } else if (!ordered) {
        await order(parts, sweep, (cost * 3n) / 2n - one.coins)
      }
    }
  }
  return [...troubles, ...(await hand(chain, ready))]
}

/** What each address holds, and what its transfer takes. */
async function look(endpoint: Endpoint, sweeps: Sweep[]): Promise<{ block: bigint; current: Fees; costed: Costed[] }> {
  const [tip, current, ...holdings] = await Promise.all([
    endpoint.tip(),
    endpoint.fees(),
    ...sweeps.map(async (sweep): Promise<Holding> => {
      const address = sweep.sender as string
      const [latest, pending, coins, units] = await Promise.all([
        endpoint.nonce(address, 'latest').then(BigInt),
        endpoint.nonce(address, 'pending').then(BigInt),
        endpoint.nativeBalance(address),
        endpoint.tokenBalance(sweep.contract_address as string, address),
      ])
      const known = latest > pending ? latest : pending
      const nonce = known > sweep.next_nonce ? known : sweep.next_nonce
      return { sweep, nonce, behind: latest < sweep.next_nonce, coins, units }
    }),
  ])
  const costed = await Promise.all(
    holdings.map(async (holding): Promise<Costed> => {
      try {
        const from = holding.sweep.sender as Hex
        return { ...holding, gas: gasLimit(await endpoint.gas({ from, ...callOf(holding.sweep, holding.units) })) }
      } catch (error) {
        if (isAnswer(error)) return { ...holding, refused: messageOf(error) }
        throw error
      }
    }),
  )
  return { block: tip.number, current, costed }
}

async function sign({ chain, deposit }: SweepParts, one: Holding, gas: bigint, fees: Fees): Promise<Signed> {
  const { sweep, units } = one
  const unsigned = {
    chainId: chain.network.chain_id,
    nonce: Number(one.nonce),
    ...callOf(sweep, units),
    gas,
    ...fees,
  }
  return { id: sweep.id, raw: await deposit(Number(sweep.key_index)).sign(unsigned), unsigned, units }
}

/** Has the treasury send coins to an address, unless another process has ordered them meanwhile. */
async function order({ db, clock, chain }: SweepParts, sweep: Sweep, wei: bigint): Promise<void> {
  const network = chain.network.id
  const now = clock.now()
  const id = newId(now)
  await transaction(db, async (tx) => {
    if (!(await tx.row(orderGas, [network, sweep.id, sweep.gas_id, id]))) return
    await tx.rows(addTransaction, [network, id, 'gas', null, null, sweep.sender, null, wei, now])
  })
}
