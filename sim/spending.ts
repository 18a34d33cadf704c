/**
 * What a business pays out on a chain, and what is swept there. The chain is the book: what it
 * holds in the end is what was paid, to whom, and what is left.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { getAddress, type Hex, parseAbiItem } from 'viem'
import type { Chance } from '../test/support/chance.ts'
import type { Chain, ChainPayout, Spending } from './chain.ts'
import type { Client } from './client.ts'
import { expectPayout, touched } from './model.ts'
import { ask } from './requests.ts'
import type { Tally } from './tally.ts'
import type { Shop, World } from './world.ts'

export const transferred = parseAbiItem(
  'event Transfer(address indexed from, address indexed to, uint256 value)',
)

/** Whom the first token refuses to pay. */
export const refusing = getAddress(`0x${'bad0'.repeat(10)}`)

/** The tokens of the chain, and how many units of each are a cent. */
export const tokensOf = ({ network: { usdc, usdt } }: Pick<Chain, 'network'>) => [
  { currency: 'usdc', contract: usdc, unitsOfCent: 10n ** 4n },
  { currency: 'usdt', contract: usdt, unitsOfCent: 10n ** 16n },
]

/** An address that nobody else has. */
const addressBy = (by: Chance): string =>
  getAddress(
    `0x${Array.from({ length: 20 }, () => by.below(256).toString(16).padStart(2, '0')).join('')}`,
  )

export async function spendOn(
  spending: Spending,
  chain: Chain,
  client: Client,
  until: () => boolean,
): Promise<void> {
  const { by, tally } = client
  const mine: string[] = []
  while (!until()) {
    try {
      const reference = await payOut(spending, chain, client)
      if (reference !== null) mine.push(reference)
      if (by.happens(0.15)) await cancel(client, mine.at(-1 - by.below(3)))
    } catch (error) {
      tally.finding('not answered', (error as Error).message)
    }
    await sleep(by.below(800))
  }
}

async function payOut({ payouts }: Spending, chain: Chain, client: Client): Promise<string | null> {
  const { by, model } = client
  const { currency, contract, unitsOfCent } = by.one(tokensOf(chain))
  const address = currency === 'usdc' && by.happens(0.05) ? refusing : addressBy(by)
  const reference = client.name('chain')
  const body = {
    reference,
    amount: 200_000 + by.below(5_000_000),
    currency: 'ngn',
    method: 'crypto',
    destination: { currency, chain: 'anvil', address },
  }
  const made = await client.write('createPayout (chain)', 'POST', '/payouts', body, [
    'insufficient_funds',
  ])
  if (!made) {
    model.absent.add(`/payouts/${reference}`)
    return null
  }
  expectPayout(model, made.data, false)
  // Which of the two it is, the chain says.
  touched(model, made.data.id).ends = new Set(['completed', 'failed'])
  const units = BigInt(made.data.destination_amount) * unitsOfCent
  payouts.push({ reference, to: address, contract, units, end: null })
  return reference
}

async function cancel(client: Client, reference: string | undefined): Promise<void> {
  const { model } = client
  if (reference === undefined) return
  const expected = touched(model, model.byReference.get(reference) as string)
  const done = await client.write(
    'cancelPayout (chain)',
    'POST',
    `/payouts/${reference}/cancel`,
    undefined,
    ['payout_not_cancelable'],
  )
  if (done) expected.ends = new Set(['canceled'])
}

/** Every transfer that is in the chain. */
async function transfersOf(chain: Chain) {
  const { node } = chain.network
  const logs = await node.node.getLogs({
    address: tokensOf(chain).map(({ contract }) => contract as Hex),
    event: transferred,
    strict: true,
    fromBlock: 0n,
    toBlock: 'latest',
  })
  return logs.map(({ address, args, transactionHash }) => ({
    contract: getAddress(address),
    hash: transactionHash,
    ...args,
  }))
}

/** Who was ever paid by somebody outside: the treasury, and the addresses that are swept to it. */
export async function holdersOf(chain: Chain): Promise<string[]> {
  const outside = [chain.network.node.account(1).address, getAddress(`0x${'00'.repeat(20)}`)]
  const paid = (await transfersOf(chain)).filter(
    ({ from, to }) => outside.includes(from) && !outside.includes(to),
  )
  return [...new Set(paid.map(({ to }) => to))]
}

const restMs = 90_000
/** Least that is swept, as the setting has it. */
const sweptCents = 1_000n

/**
 * Blocks come and time passes until all that was to be sent is in the chain for good, and nothing
 * is left to be swept.
 */
export async function spendToRest({ chain, clock, database }: World, tally: Tally): Promise<void> {
  const left = async (): Promise<string[]> => {
    const open = await database.ask<{ what: string }>(
      `select concat_ws(' ', kind, id, status, 'of the sender', sender, 'nonce', nonce) as what from evm_transactions where status in ('queued', 'sent')
       union all select concat_ws(' ', 'payout', id, status) from payouts where method = 'crypto' and status in ('pending', 'processing')
       union all select concat_ws(' ', 'deposit', id, status) from chain_deposits where status = 'pending'`,
    )
    return [...open.map(({ what }) => what), ...(await unswept(chain))]
  }
  let waiting: string[] = []
  for (
    const deadline = performance.now() + restMs;
    performance.now() < deadline;
    await sleep(400)
  ) {
    await chain.settle()
    waiting = await left()
    if (waiting.length === 0) break
    clock.move(60_000)
  }
  for (const what of waiting)
    tally.finding('waits for nothing', `${what}, ${restMs / 1000} s after all was well`)
}

async function unswept(chain: Chain): Promise<string[]> {
  const { node, wallet } = chain.network
  const found: string[] = []
  for (const { contract, unitsOfCent } of tokensOf(chain))
    for (const address of await holdersOf(chain)) {
      const units = address === wallet.treasury.address ? 0n : await node.balance(contract, address)
      if (units >= sweptCents * unitsOfCent)
        found.push(`${units} units of ${contract} at ${address}`)
    }
  return found
}

/**
 * What was paid out is in the chain once, as it was asked, and nothing else is; and what came and
 * was not paid out is there.
 */
export async function judgeSpending(
  { chain, database }: World,
  { model, asking }: Shop,
  tally: Tally,
): Promise<void> {
  const { payouts, counted } = chain.spending
  const { node, wallet } = chain.network
  const treasury = wallet.treasury.address
  const wrong = (what: string): void => tally.finding('chain', `${model.name}: ${what}`)
  for (const payout of payouts)
    if (payout.end === null) {
      const { data } = await ask(asking, 'GET', `/payouts/${payout.reference}`)
      // That it waits is found elsewhere.
      if (data.status === 'pending' || data.status === 'processing') continue
      payout.end = { status: data.status, hash: data.tx_hash }
      tally.check(`payouts on a chain that are ${data.status}`)
      if (data.status === 'failed') await judgeFailed(chain, payout, wrong)
    }
  const [transfers, holders] = [await transfersOf(chain), await holdersOf(chain)]
  const sent = Map.groupBy(
    transfers.filter(({ from, to }) => holders.includes(from) && !holders.includes(to)),
    ({ to }) => to,
  )
  for (const { reference, to, contract, units, end } of payouts) {
    const paid = sent.get(to as Hex) ?? []
    const asked = paid.filter(
      (one) => one.contract === contract && one.value === units && one.from === treasury,
    )
    const right =
      end?.status === 'completed' ? asked.length === 1 && asked[0]?.hash === end.hash : true
    const times = end?.status === 'completed' ? 1 : 0
    if (!right || paid.length !== times)
      wrong(
        `payout ${reference} is ${end?.status} by ${end?.hash}, and the chain has ${paid.map(({ value, hash }) => `${value} by ${hash}`).join(' and ') || 'nothing'} of ${units} to ${to}`,
      )
  }
  const known = new Set(payouts.map(({ to }) => to))
  for (const [to, paid] of sent)
    if (!known.has(to)) wrong(`${paid.length} transfers to ${to}, which nobody has asked for`)
  for (const { from, to, hash } of transfers)
    if (holders.includes(from) && from !== treasury && to !== treasury)
      wrong(`${from} was swept to ${to} by ${hash}`)
  for (const { currency, contract } of tokensOf(chain)) {
    const sum = (all: bigint[]): bigint => all.reduce((total, units) => total + units, 0n)
    const came = transfers.filter(
      (one) => one.contract === contract && !holders.includes(one.from) && holders.includes(one.to),
    )
    const out = payouts.filter(
      (one) => one.contract === contract && one.end?.status === 'completed',
    )
    const should = sum(came.map(({ value }) => value)) - sum(out.map(({ units }) => units))
    const held = sum(await Promise.all(holders.map((holder) => node.balance(contract, holder))))
    if (held !== should) wrong(`${held} units of ${currency} are held, and should be ${should}`)
  }
  const [found] = await database.ask<Spending['counted']>(
    `select (select count(*)::integer from evm_transactions where kind = 'sweep' and status = 'completed') as sweeps,
            (select count(*)::integer from (select from evm_broadcasts group by id having count(*) > 1) as several) as replaced`,
  )
  const now = found as Spending['counted']
  tally.check('sweeps', now.sweeps - counted.sweeps)
  tally.check('transactions sent again at a higher fee', now.replaced - counted.replaced)
  chain.spending.counted = now
}

/**
 * A payout fails because the token refuses whom it goes to, or because the chain has its
 * transaction, reverted.
 */
async function judgeFailed(
  { network: { node } }: Chain,
  payout: ChainPayout,
  wrong: (what: string) => void,
): Promise<void> {
  const hash = payout.end?.hash as Hex | null
  if (hash === null && payout.to === refusing) return
  const status =
    hash &&
    (await node.node.getTransactionReceipt({ hash }).then(
      (found) => found.status,
      () => 'not there',
    ))
  if (status !== 'reverted')
    wrong(`payout ${payout.reference} has failed, and its transaction ${hash} is ${status}`)
}
