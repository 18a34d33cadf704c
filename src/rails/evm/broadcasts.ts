/**
 * The life of a signed transaction: stored, sent, replaced when it is stuck, ended when it is deep. One transaction has one nonce
 * through all of its versions, so at most one of them is ever mined.
 *
 * Nothing is sent that is not stored and committed. After a crash the same bytes are sent again.
 */
import type { Hex } from 'viem'
import { type Database, transaction } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'
import { isAnswer, ofEach, onChecked, poll, type Vote } from './asking.ts'
import { type Chain, type Endpoint, type Fees, hashOf, messageOf, type Receipt, transferCall } from './chain.ts'
import type { Signer, Unsigned } from './keys.ts'
import { dearer, gasLimit } from './purse.ts'
import {
  addBroadcast,
  advanceNonce,
  endTransaction,
  lockSender,
  noteBlock,
  noteReplacement,
  type SentRow,
  selectSent,
  type TransactionRow,
  takeNonce,
} from './sender-sql.ts'

/** The logger's face. */
export type Log = {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export type SenderParts = { db: Database; clock: Clock; log: Log; chain: Chain }

/** A transaction that is ready to be stored. */
export type Signed = { id: string; raw: Hex; unsigned: Unsigned; units: bigint }

/** How many receipts one round asks for at most. */
const receiptsAtOnce = 50

/** What a queued transaction does on the chain. */
export function callOf(row: Pick<TransactionRow, 'contract_address' | 'recipient'>, units: bigint) {
  return row.contract_address === null
    ? { to: row.recipient as Hex, data: '0x' as Hex, value: units }
    : { to: row.contract_address as Hex, data: transferCall(row.recipient, units), value: 0n }
}

/**
 * Stores signed transactions and takes their nonces, in one commit.
 * @param seen the sender's next nonce when they were signed
 * @param block the newest block then
 * @returns false, and nothing is stored, when another process has moved on the nonce or one of the transactions
 */
export async function store(
  { db, clock, chain }: SenderParts,
  sender: string,
  seen: bigint,
  block: bigint,
  signed: Signed[],
): Promise<boolean> {
  const network = chain.network.id
  const now = clock.now()
  const overtaken = new Error('another process was first')
  const last = signed.at(-1)
  if (!last) return true
  return transaction(db, async (tx) => {
    const row = await tx.row(lockSender, [network, sender])
    if (row?.next_nonce !== seen) return false
    for (const { id, raw, unsigned, units } of signed) {
      const { nonce, gas, maxFeePerGas, maxPriorityFeePerGas } = unsigned
      const taken = await tx.row(takeNonce, [network, id, sender, nonce, gas, units, hashOf(raw), now])
      if (!taken) throw overtaken
      await tx.rows(addBroadcast, [network, hashOf(raw), id, raw, maxFeePerGas, maxPriorityFeePerGas, block, now])
    }
    await tx.rows(advanceNonce, [network, sender, BigInt(last.unsigned.nonce) + 1n])
    return true
  }).catch((error) => {
    if (error === overtaken) return false
    throw error
  })
}

/**
 * Hands stored transactions to the network. A node that has one already is content.
 * @returns what the node has against them
 * @throws what the transport throws, when no endpoint can be reached
 */
export async function hand(chain: Chain, transactions: { id: string; raw: string }[]): Promise<string[]> {
  if (transactions.length === 0) return []
  return onChecked(chain, async (endpoint) => {
    const answers = await Promise.all(
      transactions.map(async ({ id, raw }) => {
        try {
          await endpoint.send(raw as Hex)
          return null
        } catch (error) {
          if (!isAnswer(error)) throw error
          // A nonce that is used is looked into by its receipt.
          if (/already (known|imported|exists)|known transaction|nonce (is )?too low/i.test(messageOf(error)))
            return null
          return `the node does not take transaction ${id}: ${messageOf(error)}`
        }
      }),
    )
    return answers.filter((answer) => answer !== null)
  })
}

type Nonces = { latest: bigint; pending: bigint }
type Mined = Receipt & { hash: string }
type Look = {
  tip: bigint
  nonces: Map<string, Nonces>
  /** Of the transactions that were looked for; null: none of its hashes is mined. */
  receipts: Map<string, Mined | null>
  canonical: Map<bigint, string | undefined>
  fees: Fees | null
  coins: Map<string, bigint>
  /** What those that are stuck would be given today. */
  limits: Map<string, bigint>
}

/**
 * Looks after transactions that are signed: ends those that are deep enough, notes those that are mined, sends again what the network
 * does not have, and replaces what is stuck.
 * @param signerOf the key of a sender, or null where it is not at hand: then nothing of it is replaced
 * @param onShort told what a sender lacks to replace one, in wei, with head-room
 * @returns what keeps some of them from being mined, for people
 * @throws what the transport throws, when no endpoint can be reached
 */
export async function follow(
  parts: SenderParts,
  rows: SentRow[],
  signerOf: (row: SentRow) => Signer | null,
  onShort: (row: SentRow, wei: bigint) => Promise<void> = async () => {},
): Promise<string[]> {
  if (rows.length === 0) return []
  const { db, clock, log, chain } = parts
  const { network } = chain
  const stuckSince = clock.now().getTime() - network.stuckMs
  const look = await onChecked(chain, (endpoint) => lookAt(parts, endpoint, rows, stuckSince))
  const latestOf = (row: SentRow): Nonces => look.nonces.get(row.sender) as Nonces
  const troubles: string[] = []
  let again: { id: string; raw: string }[] = []
  const reverted: { row: SentRow; mined: Mined }[] = []
  const end = async (row: SentRow, mined: Mined, status: 'completed' | 'failed', failure: string | null) => {
    await db.rows(endTransaction, [
      ...[network.id, row.id, status, failure, mined.hash, mined.blockNumber, clock.now(), 'sent'],
    ])
    log.info({ network: network.id, id: row.id, hash: mined.hash, end: status }, 'a transaction is final')
  }

  for (const row of rows) {
    const note = (block: bigint | null, passed: bigint | null, hash: string | null) =>
      db.rows(noteBlock, [network.id, row.id, block, passed, hash, clock.now()])
    if (row.nonce >= latestOf(row).latest) {
      if (row.block_number !== null || row.passed_at !== null) await note(null, null, null)
      if (row.nonce >= latestOf(row).pending) again.push(row)
      continue
    }
    const mined = look.receipts.get(row.id)
    if (mined === undefined) continue
    if (mined === null) {
      // Nodes behind one URL may be apart: it is believed after as many blocks as make a transaction final.
      const since = row.passed_at ?? look.tip
      if (row.passed_at === null || row.block_number !== null) await note(null, since, null)
      if (look.tip > since && look.tip - since >= network.confirmations)
        troubles.push(
          `nonce ${row.nonce} of ${row.sender} on ${network.id} was used by a transaction that is not ours, and ${row.kind} ${row.id} was not sent with it: find out who else has the key`,
        )
      continue
    }
    const deep = look.tip - mined.blockNumber >= network.confirmations
    if (!deep) {
      if (row.block_number !== mined.blockNumber || row.hash !== mined.hash)
        await note(mined.blockNumber, null, mined.hash)
    } else if (look.canonical.get(mined.blockNumber) === mined.blockHash) {
      if (mined.success) await end(row, mined, 'completed', null)
      else reverted.push({ row, mined })
    }
  }
  // What has failed gives its money back for good, and what is signed can be mined for ever.
  for (const [i, { yes, of, certain }] of (await confirm(chain, reverted)).entries()) {
    const { row, mined } = reverted[i] as (typeof reverted)[0]
    if (certain) await end(row, mined, 'failed', 'reverted')
    else
      troubles.push(
        `${row.kind} ${row.id} has failed in block ${mined.blockNumber} of ${network.id} by the word of ${yes} of ${of} endpoints: it waits until all that answer say so, and two at least`,
      )
  }

  for (const row of rows.filter((row) => isStuck(row, look, stuckSince))) {
    const answer = await replace(parts, row, look, signerOf(row), onShort)
    if ('raw' in answer) again = [...again.filter((one) => one.id !== row.id), answer]
    else if (answer.trouble) troubles.push(answer.trouble)
  }
  return [...troubles, ...(await hand(chain, again))]
}

/** Everything that one round needs to know, from one endpoint. */
async function lookAt({ chain }: SenderParts, endpoint: Endpoint, rows: SentRow[], stuckSince: number): Promise<Look> {
  const senders = [...new Set(rows.map((row) => row.sender))]
  const [tip, ...found] = await Promise.all([
    endpoint.tip(),
    ...senders.map(async (sender) => {
      const [latest, pending] = await Promise.all([endpoint.nonce(sender, 'latest'), endpoint.nonce(sender, 'pending')])
      return [sender, { latest: BigInt(latest), pending: BigInt(pending) }] as const
    }),
  ])
  const nonces = new Map(found)
  const isDeep = (block: bigint): boolean => tip.number - block >= chain.network.confirmations
  const used = rows.filter((row) => row.nonce < (nonces.get(row.sender) as Nonces).latest)
  const asked = used.filter((row) => row.block_number === null || isDeep(row.block_number)).slice(0, receiptsAtOnce)
  const receipts = await receiptsOf(endpoint, asked)
  const deep = [...receipts.values()].flatMap((one) => (one && isDeep(one.blockNumber) ? [one.blockNumber] : []))
  const canonical = new Map(
    await Promise.all(
      [...new Set(deep)].map(async (number) => [number, (await endpoint.block(number))?.hash] as const),
    ),
  )
  const look: Look = { tip: tip.number, nonces, receipts, canonical, fees: null, coins: new Map(), limits: new Map() }
  const stuck = rows.filter((row) => isStuck(row, look, stuckSince))
  if (stuck.length > 0) {
    look.fees = await endpoint.fees()
    const poor = [...new Set(stuck.map((row) => row.sender))]
    look.coins = new Map(
      await Promise.all(poor.map(async (sender) => [sender, await endpoint.nativeBalance(sender)] as const)),
    )
    look.limits = new Map(await Promise.all(stuck.map(async (row) => [row.id, await limitOf(endpoint, row)] as const)))
  }
  return look
}

/** The gas limit of the next version: never less than before, and more when the transfer takes more by now. */
async function limitOf(endpoint: Endpoint, row: SentRow): Promise<bigint> {
  const now = await endpoint
    .gas({ from: row.sender, ...callOf(row, BigInt(row.units)) })
    .then(gasLimit)
    .catch(() => row.gas)
  return now > row.gas ? now : row.gas
}

/** One that cannot be had is looked for the next time. @throws when none can be had */
async function receiptsOf(endpoint: Endpoint, rows: SentRow[]): Promise<Look['receipts']> {
  const { had } = await ofEach(rows, async (row) => [row.id, await minedOf(endpoint, row.hashes)] as const)
  return new Map(had)
}

/** Whether each endpoint tells of the same failures, in the same blocks. */
async function confirm(chain: Chain, reverted: { row: SentRow; mined: Mined }[]) {
  if (reverted.length === 0) return []
  const rows = reverted.map(({ row }) => row)
  return poll(chain, rows.length, async (endpoint) => {
    const receipts = await receiptsOf(endpoint, rows)
    return reverted.map(({ row, mined }) => {
      const there = receipts.get(row.id)
      if (there === undefined) return null
      return there?.success === false && there.hash === mined.hash && there.blockHash === mined.blockHash
    })
  })
}

async function minedOf(endpoint: Endpoint, hashes: string[]): Promise<Mined | null> {
  const receipts = await Promise.all(
    hashes.map(async (hash) => {
      const receipt = await endpoint.receipt(hash)
      return receipt && { ...receipt, hash }
    }),
  )
  return receipts.find((receipt) => receipt !== null) ?? null
}

/** Whether it waits longer than it should, and blocks were made that could have taken it. */
function isStuck(row: SentRow, { tip, nonces }: Look, stuckSince: number): boolean {
  return (
    row.nonce >= (nonces.get(row.sender) as Nonces).latest &&
    row.signed_at.getTime() <= stuckSince &&
    tip > row.signed_block
  )
}

/** Signs and stores a dearer version, which the caller sends. */
async function replace(
  { db, clock, log, chain }: SenderParts,
  row: SentRow,
  look: Look,
  signer: Signer | null,
  onShort: (row: SentRow, wei: bigint) => Promise<void>,
): Promise<{ id: string; raw: string } | { trouble: string | null }> {
  const { network } = chain
  const last = { maxFeePerGas: BigInt(row.max_fee), maxPriorityFeePerGas: BigInt(row.priority_fee) }
  const current = look.fees as Fees
  const { latest } = look.nonces.get(row.sender) as Nonces
  // What waits behind another is not stuck itself, unless its fee has become too low too.
  if (row.nonce > latest && last.maxFeePerGas >= current.maxFeePerGas) return { trouble: null }
  const what = `${row.kind} ${row.id} on ${network.id}, nonce ${row.nonce} of ${row.sender}, is not mined`
  if (signer === null) return { trouble: `${what}, and the key to replace it is not here` }
  const [highest, setting] =
    row.kind === 'sweep' ? [network.maxSweepFeePerGas, 'max_sweep_fee_gwei'] : [network.maxFeePerGas, 'max_fee_gwei']
  const fees = dearer(last, current, highest)
  if (fees === null) return { trouble: `${what} at ${row.max_fee} wei for gas, the most that ${setting} allows` }
  const units = BigInt(row.units)
  const gas = look.limits.get(row.id) ?? row.gas
  const cost = gas * fees.maxFeePerGas + (row.contract_address === null ? units : 0n)
  const lack = cost - (look.coins.get(row.sender) ?? 0n)
  if (lack > 0n) {
    await onShort(row, lack + cost / 2n)
    return { trouble: `${what}, and ${row.sender} lacks the ${network.native_symbol} for a higher fee` }
  }
  const raw = await signer.sign({
    chainId: network.chain_id,
    nonce: Number(row.nonce),
    ...callOf(row, units),
    gas,
    ...fees,
  })
  const hash = hashOf(raw)
  const now = clock.now()
  const stored = await transaction(db, async (tx) => {
    const noted = await tx.row(noteReplacement, [network.id, row.id, row.hash, hash, now, gas])
    if (!noted) return false
    const { maxFeePerGas, maxPriorityFeePerGas } = fees
    await tx.rows(addBroadcast, [network.id, hash, row.id, raw, maxFeePerGas, maxPriorityFeePerGas, look.tip, now])
    return true
  })
  if (!stored) return { trouble: null }
  log.info({ network: network.id, id: row.id, hash, replaces: row.hash }, 'a stuck transaction is sent at a higher fee')
  return { id: row.id, raw }
}

/**
 * Gives up a transaction whose nonce was used by one that is not ours: it fails, and a payout's money goes back. For an operator who
 * has found out what that transaction was; when it was the same payment, sent from a database that is lost, it must not be given up.
 * @returns whether it was given up: it is not before its nonce was used as deep as the network wants, and none of its hashes is mined
 * @throws when too few endpoints answer to be certain of that
 */
export async function giveUp({ db, clock, log, chain }: SenderParts, id: string): Promise<boolean> {
  const { network } = chain
  const row = (await db.rows(selectSent, [network.id, ['payout', 'gas', 'sweep'], null])).find((one) => one.id === id)
  if (!row || row.passed_at === null) return false
  const [lost] = (await poll(chain, 1, async (endpoint) => {
    const [tip, latest, mined] = await Promise.all([
      endpoint.tip(),
      endpoint.nonce(row.sender, 'latest'),
      minedOf(endpoint, row.hashes),
    ])
    return [mined === null && row.nonce < latest && tip.number - (row.passed_at as bigint) >= network.confirmations]
  })) as [Vote]
  if (lost.no > 0) return false
  if (!lost.certain) throw new Error(`only ${lost.yes} of ${lost.of} endpoints of ${network.id} answer: too few`)
  const ended = await db.row(endTransaction, [network.id, id, 'failed', 'lost', null, null, clock.now(), 'sent'])
  if (ended) log.warn({ network: network.id, id }, 'a transaction whose nonce was used by another is given up')
  return ended !== null
}
