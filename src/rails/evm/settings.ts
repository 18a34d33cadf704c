/**
 * Reads the operator's `EVM_FILE`: the chains of a server. Test networks stand below `test`, main
 * networks below `live`, so that the two cannot mix.
 */
import { ConfigError } from '../../lib/config.ts'
import { modeOf } from '../../lib/mode.ts'
import { cryptoCurrencies } from '../../lib/money.ts'
import { type Static, Type } from '../../lib/schema.ts'
import { duration } from '../../lib/setting-readers.ts'
import { readSettingsFile } from '../../lib/settings-file.ts'
import type { ChainNetwork } from '../ports/chains.ts'
import { isChecksumAddress } from '../reference/eip55.ts'
import { knownNetworks, type Network, type Token } from '../reference/networks.ts'
import { readXpub } from './keys.ts'

/** A network that this server uses. */
export type EvmNetwork = ChainNetwork & {
  /** JSON-RPC URLs, the preferred one first. */
  rpc: string[]
  /** The most blocks per `eth_getLogs`. */
  maxRange: number
  pollMs: number
  /**
   * Deposits of more cents than this also wait for the chain's `finalized` block; null: none do.
   */
  finalizedAbove: bigint | null
  /** The block to read from at the very first start; null: the newest. */
  startBlock: bigint | null
  /** How long our transaction may stay unmined before it is replaced with a higher fee. */
  stuckMs: number
  /** The most that we pay for a unit of gas, in wei. */
  maxFeePerGas: bigint
  /** The same for sweeps, which can wait. */
  maxSweepFeePerGas: bigint
}

/** The networks of one mode, and the extended public key of its deposit addresses. */
export type EvmMode = { xpub: string; networks: EvmNetwork[] }

export type EvmSettings = { test: EvmMode | null; live: EvmMode | null }

const closed = { additionalProperties: false }
const Whole = (minimum: number) => Type.Integer({ minimum })
const TokenIn = Type.Object(
  { contract_address: Type.String(), decimals: Type.Integer({ minimum: 2, maximum: 18 }) },
  closed,
)
const NetworkIn = Type.Object(
  {
    rpc: Type.Array(Type.String({ pattern: '^https?://' }), { minItems: 1, maxItems: 5 }),
    confirmations: Type.Optional(Whole(0)),
    max_range: Type.Optional(Whole(1)),
    poll: Type.Optional(Type.String()),
    finalized_above: Type.Optional(Whole(0)),
    start_block: Type.Optional(Whole(0)),
    stuck_after: Type.Optional(Type.String()),
    max_fee_gwei: Type.Optional(Whole(1)),
    max_sweep_fee_gwei: Type.Optional(Whole(1)),
    name: Type.Optional(Type.String()),
    chain_id: Type.Optional(Whole(1)),
    native_symbol: Type.Optional(Type.String()),
    explorer: Type.Optional(Type.String()),
    tokens: Type.Optional(
      Type.Object({ usdc: Type.Optional(TokenIn), usdt: Type.Optional(TokenIn) }, closed),
    ),
  },
  closed,
)
const ModeIn = Type.Object(
  { xpub: Type.String(), networks: Type.Record(Type.String(), NetworkIn) },
  closed,
)
const FileIn = Type.Object({ test: Type.Optional(ModeIn), live: Type.Optional(ModeIn) }, closed)

const defaults = { maxRange: 1_000, poll: '2s', stuckAfter: '3m' }
/**
 * The default limit for a unit of gas by network: just above its price on busy days, because fees
 * from a faulty node are believed up to here. A cheap price on Ethereum is a fortune on its L2s.
 */
const maxFeeGwei: Record<string, number> = {
  ethereum: 300,
  polygon: 1_000,
  avalanche: 200,
  celo: 200,
  bsc: 20,
  base: 20,
  arbitrum: 20,
  optimism: 20,
}
/** For test networks, whose coins are worthless. */
const otherMaxFeeGwei = 500
/**
 * Sweeps wait while gas costs more than this fraction of the payouts' limit, because they are less
 * urgent.
 */
const sweepShare = 5n
const gwei = 1_000_000_000n

/**
 * Reads the file; without one, no chain is used.
 * @throws {ConfigError} one line that names the error
 */
export function readEvmFile(file: string | null): EvmSettings {
  if (file === null) return { test: null, live: null }
  const { test, live } = readSettingsFile('EVM_FILE', file, FileIn)
  if (test && live && test.xpub === live.xpub)
    throw new ConfigError(
      'EVM_FILE: test.xpub and live.xpub are the same; each mode needs a key of its own',
    )
  return { test: test ? readMode(test, false) : null, live: live ? readMode(live, true) : null }
}

/** The tokens of a network. */
export const tokensOf = ({ tokens }: Network) =>
  cryptoCurrencies.flatMap((currency) =>
    tokens[currency] ? [{ currency, ...tokens[currency] }] : [],
  )

/** The known networks with the operator's changes, and the operator's own networks. */
export function networksWith(settings: EvmSettings): Network[] {
  const connected = [...(settings.live?.networks ?? []), ...(settings.test?.networks ?? [])]
  const known = knownNetworks.map(
    (network) => connected.find((one) => one.id === network.id) ?? network,
  )
  return [
    ...known,
    ...connected.filter((one) => !knownNetworks.some((network) => network.id === one.id)),
  ]
}

function readMode(mode: Static<typeof ModeIn>, livemode: boolean): EvmMode {
  const name = modeOf(livemode)
  try {
    readXpub(mode.xpub)
  } catch (error) {
    throw new ConfigError(`EVM_FILE: ${name}.xpub: ${(error as Error).message}`)
  }
  const ids = Object.values(mode.networks).flatMap((given) => given.chain_id ?? [])
  if (new Set(ids).size < ids.length)
    throw new ConfigError(`EVM_FILE: ${name}.networks: two have the same chain_id`)
  return {
    xpub: mode.xpub,
    networks: Object.entries(mode.networks).map(([id, given]) => {
      try {
        return readNetwork(id, given, livemode)
      } catch (error) {
        throw new ConfigError(`EVM_FILE: ${name}.networks.${id}: ${(error as Error).message}`)
      }
    }),
  }
}

function readNetwork(id: string, given: Static<typeof NetworkIn>, livemode: boolean): EvmNetwork {
  const known = knownNetworks.find((network) => network.id === id)
  if (known && known.testnet === livemode)
    throw new RangeError(
      known.testnet
        ? 'is a test network; it belongs below test'
        : 'is a main network; it belongs below live',
    )
  const maxFeePerGas = BigInt(given.max_fee_gwei ?? maxFeeGwei[id] ?? otherMaxFeeGwei) * gwei
  return {
    ...(known ? knownAs(known, given) : ownNetwork(id, given, livemode)),
    confirmations: given.confirmations ?? known?.confirmations ?? 12,
    connected: true,
    livemode,
    rpc: given.rpc,
    maxRange: given.max_range ?? defaults.maxRange,
    pollMs: readDuration('poll', given.poll ?? defaults.poll, '1d'),
    finalizedAbove: given.finalized_above === undefined ? null : BigInt(given.finalized_above),
    startBlock: given.start_block === undefined ? null : BigInt(given.start_block),
    stuckMs: readDuration('stuck_after', given.stuck_after ?? defaults.stuckAfter, '365d'),
    maxFeePerGas,
    maxSweepFeePerGas:
      given.max_sweep_fee_gwei === undefined
        ? maxFeePerGas / sweepShare
        : BigInt(given.max_sweep_fee_gwei) * gwei,
  }
}

/** @param to the maximum @throws {RangeError} that names the field */
function readDuration(field: 'poll' | 'stuck_after', text: string, to: string): number {
  try {
    return duration({ to }).read(text)
  } catch (error) {
    throw new RangeError(
      `${field} '${text.replace(/\p{Cc}/gu, ' ')}': ${(error as Error).message}, such as 2s`,
    )
  }
}

/**
 * The operator cannot change a known network's identity, because a wrong contract would be paid.
 */
function knownAs(known: Network, given: Static<typeof NetworkIn>): Network {
  for (const field of ['name', 'chain_id', 'native_symbol', 'explorer', 'tokens'] as const)
    if (given[field] !== undefined) throw new RangeError(`${field} is known and cannot be changed`)
  return known
}

/** A test chain of the operator's own. */
function ownNetwork(id: string, given: Static<typeof NetworkIn>, livemode: boolean): Network {
  if (livemode) throw new RangeError('is not a known main network')
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(id))
    throw new RangeError('the name must be lower-case letters, digits and dashes')
  if (given.chain_id === undefined || given.tokens === undefined)
    throw new RangeError('chain_id and tokens are required')
  const taken = knownNetworks.find((network) => network.chain_id === given.chain_id)
  if (taken) throw new RangeError(`chain_id ${given.chain_id} is ${taken.id}`)
  const tokens: Network['tokens'] = {}
  for (const currency of cryptoCurrencies) {
    const token: Token | undefined = given.tokens[currency]
    if (!token) continue
    if (!isChecksumAddress(token.contract_address))
      throw new RangeError(`tokens.${currency}.contract_address fails its EIP-55 checksum`)
    tokens[currency] = token
  }
  return {
    id,
    name: given.name ?? id,
    chain_id: given.chain_id,
    testnet: true,
    native_symbol: given.native_symbol ?? 'ETH',
    explorer: given.explorer ?? '',
    confirmations: 0,
    connected: true,
    tokens,
  }
}
