/**
 * The public module of the EVM rail. API processes get addresses and rails, without private keys;
 * workers get the keys and the periodic tasks that read chains and send. Not loaded without
 * EVM_FILE.
 */
import { readFileSync, statSync } from 'node:fs'
import type { Database } from '../../db/db.ts'
import { type Config, ConfigError } from '../../lib/config.ts'
import type { Log } from '../../lib/log.ts'
import { modeOf } from '../../lib/mode.ts'
import type { PeriodicTask } from '../../lib/periodic.ts'
import type { Candidate, DepositBook, WatcherState } from '../ports/chains.ts'
import type { AddressRail, PayoutRail } from '../ports/rail.ts'
import type { Rails } from '../ports/routes.ts'
import { knownNetworks } from '../reference/networks.ts'
import { type Chain, openChain } from './chain.ts'
import { depositAddress, readXpub, type Signer, signerOf, type Wallet, walletOf } from './keys.ts'
import type { Parts } from './parts.ts'
import { evmPayoutRail, type SenderState, senderStates, sendTask } from './sender.ts'
import { type EvmMode, type EvmNetwork, type EvmSettings, tokensOf } from './settings.ts'
import { watcherStates } from './states.ts'
import { type SweepParts, type SweepReport, sweepOnce, sweepTask } from './sweep.ts'
import { watchTask } from './watcher.ts'

export { giveUp } from './following.ts'
export { type LostTransactions, lostTransactions } from './lost.ts'
export { networksWith, readEvmFile } from './settings.ts'
export { resume } from './watcher.ts'

/**
 * A mode's private keys: the treasury's, which pays out, and the wallet's, to sweep deposit
 * addresses.
 */
export type EvmKeys = { treasury: Signer | null; wallet: Wallet | null }

/** The settings and chains of a server. */
export type Evm = { settings: EvmSettings; chains: Chain[] }

/** Creates the chains of the settings; connects to none yet. */
export function openEvm(settings: EvmSettings): Evm {
  const networks = [...(settings.test?.networks ?? []), ...(settings.live?.networks ?? [])]
  return { settings, chains: networks.map((network) => openChain(network)) }
}

/** The name under which addresses of an extended public key are counted. */
export const keyOf = ({ xpub }: EvmMode): string =>
  `xpub ${Buffer.from(readXpub(xpub).identifier as Uint8Array).toString('hex')}`

/** Creates deposit addresses from a mode's extended public key. */
export function evmAddresses(mode: EvmMode): AddressRail {
  const key = readXpub(mode.xpub)
  return {
    name: 'evm',
    key: keyOf(mode),
    address: async (_owner, index) => depositAddress(key, index),
  }
}

/** Creates the payout rails of each mode's networks. */
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
 * Reads the private keys of both modes, in workers only. A mnemonic file that other users can read
 * is only a warning, because containers mount secrets that way.
 * @throws {ConfigError} when a file cannot be read, or does not match the mode's extended public
 * key
 */
export function readEvmKeys(
  config: Config,
  { test, live }: EvmSettings,
  log: Log,
): { test: EvmKeys; live: EvmKeys } {
  if (test) warnIfOpen('EVM_TEST_MNEMONIC_FILE', config.EVM_TEST_MNEMONIC_FILE, log)
  if (live) warnIfOpen('EVM_MNEMONIC_FILE', config.EVM_MNEMONIC_FILE, log)
  return {
    test: readKeys(
      test,
      'EVM_TEST_MNEMONIC_FILE',
      config.EVM_TEST_MNEMONIC_FILE,
      config.EVM_TEST_PAYOUT_KEY,
    ),
    live: readKeys(live, 'EVM_MNEMONIC_FILE', config.EVM_MNEMONIC_FILE, config.EVM_PAYOUT_KEY),
  }
}

function readKeys(
  mode: EvmMode | null,
  name: string,
  file: string | null,
  payoutKey: string | null,
): EvmKeys {
  let wallet: Wallet | null = null
  if (mode !== null && file !== null) {
    wallet = readMnemonic(name, file)
    if (wallet.xpub !== mode.xpub)
      throw new ConfigError(
        `${name}: its extended public key is ${wallet.xpub}, not the xpub of EVM_FILE`,
      )
  }
  return { treasury: payoutKey === null ? (wallet?.treasury ?? null) : signerOf(payoutKey), wallet }
}

function warnIfOpen(name: string, file: string | null, log: Log): void {
  const mode = (file === null ? undefined : statSync(file, { throwIfNoEntry: false }))?.mode ?? 0
  // Windows has no such modes and shows all files as open.
  if ((mode & 0o077) === 0 || process.platform === 'win32') return
  const octal = (mode & 0o777).toString(8).padStart(4, '0')
  log.warn(
    { file, mode: octal },
    `${name}: others than its owner can open '${file}' (mode ${octal}); chmod 600 it`,
  )
}

/**
 * @throws {ConfigError} when the file cannot be read or has no mnemonic; the words are not shown
 */
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

type WorkerParts = Parts & {
  book: DepositBook
  keys: { test: EvmKeys; live: EvmKeys }
  /** This process's name. */
  name: string
  sweep: Sweeping & { everyMs: number | null }
}

type Sweeping = {
  /** The smallest token amount to sweep, in cents. */
  minimum: bigint
  /** Pages of addresses that may hold funds. @param key the name they are counted under */
  candidates(network: EvmNetwork, key: string): AsyncIterable<Candidate[]>
}

/** A worker's periodic tasks for each network: watch, send, and sweep if there is a schedule. */
export function evmTasks(
  { settings, chains }: Evm,
  { book, keys, name, sweep, ...parts }: WorkerParts,
): PeriodicTask[] {
  return chains.flatMap((chain) => {
    const { treasury, wallet } = keys[modeOf(chain.network.livemode)]
    const tasks: PeriodicTask[] = [watchTask({ ...parts, chain, book, name })]
    if (treasury) tasks.push(sendTask({ ...parts, chain, signer: treasury }))
    if (treasury && wallet && sweep.everyMs !== null) {
      const { sweeper, candidates } = sweeping(settings, chain, parts, { treasury, wallet }, sweep)
      tasks.push(sweepTask(sweeper, candidates, sweep.everyMs))
    }
    return tasks
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
 * Sweeps once, on all networks or one: starts due sweeps and advances open ones.
 * @throws {ConfigError} when no mnemonic is configured for a network's mode
 */
export async function sweepNow(
  { settings, chains }: Evm,
  {
    keys,
    only,
    sweep,
    ...parts
  }: Parts & { keys: WorkerParts['keys']; only: string | null; sweep: Sweeping },
): Promise<{ network: EvmNetwork; report: SweepReport }[]> {
  const reports: { network: EvmNetwork; report: SweepReport }[] = []
  for (const chain of chains) {
    const { network } = chain
    if (only !== null && network.id !== only) continue
    const { treasury, wallet } = keys[modeOf(network.livemode)]
    if (!treasury || !wallet)
      throw new ConfigError(
        `${network.livemode ? 'EVM_MNEMONIC_FILE' : 'EVM_TEST_MNEMONIC_FILE'} is needed to sweep`,
      )
    const { sweeper, candidates } = sweeping(settings, chain, parts, { treasury, wallet }, sweep)
    reports.push({ network, report: await sweepOnce(sweeper, candidates()) })
  }
  return reports
}

/**
 * A warning for a person: `said` for everyone, `detail` for the operator, with addresses and
 * amounts.
 */
type Warning = { said: string; detail: string }

/**
 * Returns the rail's state for health and metrics from the database, whichever process does the
 * work.
 */
export async function evmStates({ chains }: Evm, db: Database, now: Date) {
  if (chains.length === 0) return { watchers: [], senders: [], warnings: [] }
  const networks = chains.map(({ network }) => network)
  const [watchers, all] = await Promise.all([watcherStates(db, networks, now), senderStates(db)])
  const newest = (sender: SenderState): boolean =>
    all.every((one) => one.network !== sender.network || one.updatedAt <= sender.updatedAt)
  // The treasury of a former key counts only while it has open transactions.
  const senders = all.filter(
    (sender) =>
      networks.some(({ id }) => id === sender.network) && (sender.sent > 0 || newest(sender)),
  )
  const warnings = networks.flatMap((network) => {
    const { id } = network
    const troubles = senders
      .filter((one) => one.network === id)
      .flatMap(({ trouble }) => trouble ?? [])
    const watcher = watchers.find((one) => one.network === id)
    const wait = watcher?.obstacle ? [`payouts on ${id} wait: ${watcher.obstacle}`] : []
    const held = `sweeps on ${id} are held up`
    const sweeps = watcher?.sweepTrouble
      ? [
          {
            said: `${held}: bursar evm status says why`,
            detail: `${held}: ${watcher.sweepTrouble}`,
          },
        ]
      : []
    return [
      ...sweeps,
      ...troubles.map(
        (detail): Warning => ({ said: `payouts on ${id} are held up: ${lackOf(detail)}`, detail }),
      ),
      ...wait.map(
        (detail): Warning => ({ said: `payouts on ${id} wait: ${lackOf(detail)}`, detail }),
      ),
      ...watcherWarnings(network, watcher, now),
    ]
  })
  return { watchers, senders, warnings }
}

/** What a treasury lacks, without its address and amounts. */
function lackOf(detail: string): string {
  if (/ needed for gas/.test(detail)) return 'the treasury lacks gas'
  if (/max_fee_gwei allows/.test(detail)) return 'gas costs more than max_fee_gwei'
  return / needed/.test(detail) ? 'the treasury lacks tokens' : 'bursar evm status says why'
}

function watcherWarnings(
  network: EvmNetwork,
  watcher: WatcherState | undefined,
  now: Date,
): Warning[] {
  const { id } = network
  const warn = (said: string, detail = said): Warning[] => [{ said, detail }]
  if (!watcher) return warn(`${id} has not been read yet`)
  if (watcher.halted)
    return warn(`${id} is halted: bursar evm status says why`, `${id} is halted: ${watcher.halted}`)
  const silent = now.getTime() - watcher.updated_at.getTime() > silentMs + 10 * network.pollMs
  if (silent) return warn(`${id} was last read at ${watcher.updated_at.toISOString()}`)
  if (watcher.trouble)
    return warn(`${id} cannot be read`, `${id} cannot be read: ${watcher.trouble}`)
  const idle =
    now.getTime() - watcher.tip_at.getTime() > idleMs &&
    knownNetworks.some((known) => known.id === id)
  return idle
    ? warn(
        `${id} shows no new block since ${watcher.tip_at.toISOString()}: its RPC may have stopped`,
      )
    : []
}

/** A network not read for this long is worth a warning. */
const silentMs = 60_000
/**
 * The known networks make a block within seconds at any load; the operator's own test chain may
 * not.
 */
const idleMs = 300_000

/** Returns the states as numbers. Balances are in whole coins and tokens, rounded to a float. */
export function evmMeasures(
  { watchers, senders }: Awaited<ReturnType<typeof evmStates>>,
  { chains }: Evm,
) {
  const measureOf =
    (labels: Record<string, string>) => (name: string, help: string, value: number | boolean) => {
      return { name: `evm_${name}`, help, value: Number(value), labels }
    }
  return [
    ...watchers.flatMap(({ network, behind, halted, trouble, obstacle, sweepTrouble, tip_at }) => {
      const measure = measureOf({ network })
      return [
        measure('blocks_behind', 'Blocks that are not read yet.', behind),
        measure(
          'tip_seconds',
          'When the newest block was first seen, in Unix time.',
          tip_at.getTime() / 1_000,
        ),
        measure('halted', '1: the watcher has stopped and a person has to look.', Boolean(halted)),
        measure('trouble', '1: the last look failed.', Boolean(trouble)),
        measure(
          'sweeps_held_up',
          '1: something keeps sweeps from going on.',
          Boolean(sweepTrouble),
        ),
        measure(
          'payouts_waiting',
          '1: payouts are left pending, for the reason in /health.',
          Boolean(obstacle),
        ),
      ]
    }),
    ...senders.flatMap(
      ({ network, address, nativeBalance, tokenBalances, queued, sent, trouble }) => {
        const measure = measureOf({ network, address })
        const tokens = chains
          .filter((chain) => chain.network.id === network)
          .flatMap((chain) => tokensOf(chain.network))
        return [
          measure(
            'treasury_gas',
            'Coins for gas that the treasury holds.',
            Number(nativeBalance ?? 0n) / 1e18,
          ),
          measure('payouts_queued', 'Transactions that are not signed yet.', queued),
          measure('payouts_sent', 'Transactions that are signed and not final.', sent),
          measure(
            'payouts_held_up',
            '1: something keeps payouts from being sent.',
            Boolean(trouble),
          ),
          ...tokens.map(({ currency, decimals }) => {
            const units = Number(tokenBalances[currency] ?? 0n) / 10 ** decimals
            return measureOf({ network, address, currency })(
              'treasury_tokens',
              'Tokens that the treasury holds.',
              units,
            )
          }),
        ]
      },
    ),
  ]
}
