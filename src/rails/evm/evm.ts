/**
 * The face of this rail: what the composition takes from a server's settings for EVM networks. An API process gets addresses and
 * rails, which need no private key; a worker gets the chores that read chains and send, with the keys. A server without EVM_FILE
 * does not load it.
 */
import { readFileSync } from 'node:fs'
import type { Database } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Config, ConfigError } from '../../lib/config.ts'
import { cryptoCurrencies } from '../../lib/money.ts'
import { knownNetworks } from '../networks.ts'
import type { AddressRail, PayoutRail, Rails } from '../rail.ts'
import { type Chain, openChain } from './chain.ts'
import { depositAddress, readXpub, type Signer, signerOf, type Wallet, walletOf } from './keys.ts'
import { type Chore, evmPayoutRail, type SenderState, sendChore, senderStates } from './sender.ts'
import type { EvmMode, EvmNetwork, EvmSettings } from './settings.ts'
import { type WatcherState, watcherStates } from './states.ts'
import { type Candidate, type SweepParts, type SweepReport, sweepChore, sweepOnce } from './sweep.ts'
import { type DepositBook, type WatchLog, watchChore } from './watcher.ts'

export { giveUp } from './broadcasts.ts'
export { networksWith, readEvmFile } from './settings.ts'
export { resume } from './watcher.ts'

type Parts = { db: Database; clock: Clock; log: WatchLog }

/** The private keys of a mode: what pays out, and what deposit addresses are swept with. */
export type EvmKeys = { treasury: Signer | null; wallet: Wallet | null }

/** Addresses that may hold something to sweep, in pages. */
export type Candidates = (network: EvmNetwork, key: string) => AsyncIterable<Candidate[]>

/** All that a server speaks to. */
export type Evm = { settings: EvmSettings; chains: Chain[] }

/** The chains of the settings; nothing is connected yet. */
export function openEvm(settings: EvmSettings): Evm {
  const networks = [...(settings.test?.networks ?? []), ...(settings.live?.networks ?? [])]
  return { settings, chains: networks.map(openChain) }
}

/** The name that addresses of an extended public key are counted under. */
export const keyOf = ({ xpub }: EvmMode): string =>
  `xpub ${Buffer.from(readXpub(xpub).identifier as Uint8Array).toString('hex')}`

/** Deposit addresses of a mode's extended public key. */
export function evmAddresses(mode: EvmMode): AddressRail {
  const key = readXpub(mode.xpub)
  return { name: 'evm', key: keyOf(mode), address: async (_owner, index) => depositAddress(key, index) }
}

/** What pays out on the networks of each mode. */
export function evmRails({ chains }: Evm, parts: Parts): Rails['chains'] {
  const of = (livemode: boolean): Record<string, PayoutRail> =>
    Object.fromEntries(
      chains
        .filter(({ network }) => network.livemode === livemode)
        .map((chain) => [chain.network.id, evmPayoutRail({ ...parts, chain })]),
    )
  return { test: of(false), live: of(true) }
}

/**
 * Reads the private keys of both modes. Only workers do.
 * @throws {ConfigError} when a file cannot be read, or is not the mnemonic of the mode's extended public key
 */
export function readEvmKeys(config: Config, { test, live }: EvmSettings): { test: EvmKeys; live: EvmKeys } {
  return {
    test: readKeys(test, 'EVM_TEST_MNEMONIC_FILE', config.EVM_TEST_MNEMONIC_FILE, config.EVM_TEST_PAYOUT_KEY),
    live: readKeys(live, 'EVM_MNEMONIC_FILE', config.EVM_MNEMONIC_FILE, config.EVM_PAYOUT_KEY),
  }
}

function readKeys(mode: EvmMode | null, name: string, file: string | null, payoutKey: string | null): EvmKeys {
  let wallet: Wallet | null = null
  if (mode !== null && file !== null) {
    wallet = readMnemonic(name, file)
    if (wallet.xpub !== mode.xpub)
      throw new ConfigError(`${name}: its extended public key is ${wallet.xpub}, not the xpub of EVM_FILE`)
  }
  return { treasury: payoutKey === null ? (wallet?.treasury ?? null) : signerOf(payoutKey), wallet }
}

/** @throws {ConfigError} when the file cannot be read or holds no mnemonic; the words are not shown */
export function readMnemonic(name: string, file: string): Wallet {
  let words: string
  try {
    words = readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError(`${name}: ${(error as Error).message}`)
  }
  try {
    return walletOf(words)
  } catch {
    throw new ConfigError(`${name}: '${file}' does not hold a BIP-39 mnemonic`)
  }
}

type Work = Parts & {
  book: DepositBook
  keys: { test: EvmKeys; live: EvmKeys }
  /** Of this process. */
  name: string
  sweep: Sweeping & { everyMs: number | null }
}

type Sweeping = {
  /** Least that is swept of a token, in cents. */
  minimum: bigint
  candidates: Candidates
}

/** What a worker does again and again for each network: watch, send, and sweep where there is a schedule. */
export function evmChores({ settings, chains }: Evm, { book, keys, name, sweep, ...parts }: Work): Chore[] {
  return chains.flatMap((chain) => {
    const { treasury, wallet } = keys[chain.network.livemode ? 'live' : 'test']
    const chores: Chore[] = [watchChore({ ...parts, chain, book, name })]
    if (treasury) chores.push(sendChore({ ...parts, chain, signer: treasury }))
    if (treasury && wallet && sweep.everyMs !== null) {
      const { sweeper, candidates } = sweeping(settings, chain, parts, { treasury, wallet }, sweep)
      chores.push(sweepChore(sweeper, candidates, sweep.everyMs))
    }
    return chores
  })
}

function sweeping(
  settings: EvmSettings,
  chain: Chain,
  parts: Parts,
  { treasury, wallet }: { treasury: Signer; wallet: Wallet },
  { minimum, candidates }: Sweeping,
): { sweeper: SweepParts; candidates: () => AsyncIterable<Candidate[]> } {
  const mode = (chain.network.livemode ? settings.live : settings.test) as EvmMode
  return {
    sweeper: { ...parts, chain, treasury: treasury.address, deposit: wallet.deposit, minimum },
    candidates: () => candidates(chain.network, keyOf(mode)),
  }
}

/**
 * Sweeps once, on all networks or one: begins what is due and moves on what is open.
 * @throws {ConfigError} when no mnemonic is configured for a network's mode
 */
export async function sweepNow(
  { settings, chains }: Evm,
  { keys, only, sweep, ...parts }: Parts & { keys: Work['keys']; only: string | null; sweep: Sweeping },
): Promise<{ network: EvmNetwork; report: SweepReport }[]> {
  const reports: { network: EvmNetwork; report: SweepReport }[] = []
  for (const chain of chains) {
    const { network } = chain
    if (only !== null && network.id !== only) continue
    const { treasury, wallet } = keys[network.livemode ? 'live' : 'test']
    if (!treasury || !wallet)
      throw new ConfigError(`${network.livemode ? 'EVM_MNEMONIC_FILE' : 'EVM_TEST_MNEMONIC_FILE'} is needed to sweep`)
    const { sweeper, candidates } = sweeping(settings, chain, parts, { treasury, wallet }, sweep)
    reports.push({ network, report: await sweepOnce(sweeper, candidates()) })
  }
  return reports
}

/** Something that a person should look at: for everyone, and for the operator, with addresses and amounts. */
type Warning = { said: string; detail: string }

/** How the rail stands, for health and metrics: from the database, whichever process does the work. */
export async function evmStates({ chains }: Evm, db: Database, now: Date) {
  if (chains.length === 0) return { watchers: [], senders: [], warnings: [] }
  const networks = chains.map(({ network }) => network)
  const [watchers, all] = await Promise.all([watcherStates(db, networks, now), senderStates(db)])
  const newest = (sender: SenderState): boolean =>
    all.every((one) => one.network !== sender.network || one.updatedAt <= sender.updatedAt)
  // The treasury of a former key counts only while it has something on its way.
  const senders = all.filter(
    (sender) => networks.some(({ id }) => id === sender.network) && (sender.sent > 0 || newest(sender)),
  )
  const warnings = networks.flatMap((network) => {
    const { id } = network
    const troubles = senders.filter((one) => one.network === id).flatMap(({ trouble }) => trouble ?? [])
    const watcher = watchers.find((one) => one.network === id)
    const wait = watcher?.obstacle ? [`payouts on ${id} wait: ${watcher.obstacle}`] : []
    const sweeps = watcher?.sweepTrouble
      ? [
          {
            said: `sweeps on ${id} are held up: bursar evm status says why`,
            detail: `sweeps on ${id} are held up: ${watcher.sweepTrouble}`,
          },
        ]
      : []
    return [
      ...sweeps,
      ...troubles.map((detail): Warning => ({ said: `payouts on ${id} are held up: ${lackOf(detail)}`, detail })),
      ...wait.map((detail): Warning => ({ said: `payouts on ${id} wait: ${lackOf(detail)}`, detail })),
      ...watcherWarnings(network, watcher, now),
    ]
  })
  return { watchers, senders, warnings }
}

/** What a treasury lacks, without its address and amounts. */
function lackOf(detail: string): string {
  if (/ needed for gas/.test(detail)) return 'the treasury lacks gas'
  return / needed/.test(detail) ? 'the treasury lacks tokens' : 'bursar evm status says why'
}

function watcherWarnings(network: EvmNetwork, watcher: WatcherState | undefined, now: Date): Warning[] {
  const { id } = network
  const warn = (said: string, detail = said): Warning[] => [{ said, detail }]
  if (!watcher) return warn(`${id} has not been read yet`)
  if (watcher.halted) return warn(`${id} is halted: bursar evm status says why`, `${id} is halted: ${watcher.halted}`)
  const silent = now.getTime() - watcher.updated_at.getTime() > silentMs + 10 * network.pollMs
  if (silent) return warn(`${id} was last read at ${watcher.updated_at.toISOString()}`)
  if (watcher.trouble) return warn(`${id} cannot be read`, `${id} cannot be read: ${watcher.trouble}`)
  const still = now.getTime() - watcher.tip_at.getTime() > stillMs && knownNetworks.some((known) => known.id === id)
  return still ? warn(`${id} shows no new block since ${watcher.tip_at.toISOString()}: its RPC may have stopped`) : []
}

/** How long nobody may look at a network before it is worth a warning. */
const silentMs = 60_000
/** The known networks make a block within seconds, whoever uses them; a test chain of the operator's own need not. */
const stillMs = 300_000

/** The states as numbers. Balances in whole coins and tokens, rounded as a float is. */
export function evmMeasures({ watchers, senders }: Awaited<ReturnType<typeof evmStates>>, { chains }: Evm) {
  const measure = (name: string, help: string, value: number, labels: Record<string, string>) => ({
    name: `evm_${name}`,
    help,
    value,
    labels,
  })
  return [
    ...watchers.flatMap(({ network, behind, halted, trouble, obstacle, sweepTrouble, tip_at }) => [
      measure('blocks_behind', 'Blocks that are not read yet.', behind, { network }),
      measure('tip_seconds', 'When the newest block was first seen, in Unix time.', tip_at.getTime() / 1_000, {
        network,
      }),
      measure('halted', '1: the watcher has stopped and a person has to look.', halted ? 1 : 0, { network }),
      measure('trouble', '1: the last look failed.', trouble ? 1 : 0, { network }),
      measure('sweeps_held_up', '1: something keeps sweeps from going on.', sweepTrouble ? 1 : 0, { network }),
      measure('payouts_waiting', '1: payouts are left pending, for the reason in /health.', obstacle ? 1 : 0, {
        network,
      }),
    ]),
    ...senders.flatMap(({ network, address, nativeBalance, tokenBalances, queued, sent, trouble }) => {
      const labels = { network, address }
      const tokens = chains.find((chain) => chain.network.id === network)?.network.tokens ?? {}
      return [
        measure('treasury_gas', 'Coins for gas that the treasury holds.', Number(nativeBalance ?? 0n) / 1e18, labels),
        measure('payouts_queued', 'Transactions that are not signed yet.', queued, labels),
        measure('payouts_sent', 'Transactions that are signed and not final.', sent, labels),
        measure('payouts_held_up', '1: something keeps payouts from being sent.', trouble ? 1 : 0, labels),
        ...cryptoCurrencies.flatMap((currency) => {
          const token = tokens[currency]
          if (!token) return []
          const units = Number(tokenBalances[currency] ?? 0n)
          return [
            measure('treasury_tokens', 'Tokens that the treasury holds.', units / 10 ** token.decimals, {
              ...labels,
              currency,
            }),
          ]
        }),
      ]
    }),
  ]
}
