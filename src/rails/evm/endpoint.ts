/**
 * One JSON-RPC endpoint of an EVM network: reads blocks, transfers of supported tokens, balances,
 * fees and receipts. It makes no decisions.
 */
import {
  createPublicClient,
  erc20Abi,
  getAddress,
  type Hex,
  http,
  type Log,
  type PublicClient,
  parseAbi,
  parseAbiItem,
  serializeTransaction,
  TransactionReceiptNotFoundError,
  type Block as ViemBlock,
} from 'viem'
import type { CryptoCurrency } from '../../lib/money.ts'
import type { Transfer } from '../ports/chains.ts'
import { fetchWhole } from './batching.ts'
import {
  ChainMismatch,
  isBehind,
  isOfContract,
  isRangeError,
  isRevert,
  messageOf,
  NodeBehind,
  RangeTooWide,
  WouldRevert,
} from './rpc-errors.ts'
import { type EvmNetwork, tokensOf } from './settings.ts'

export type Block = { number: bigint; hash: string; parentHash: string }

/** A transaction's result and block. */
export type Receipt = { success: boolean; blockNumber: bigint; blockHash: string }

/** A transaction without nonce and gas. */
export type Call = { from: string; to: string; data: Hex; value: bigint }

export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

/** One JSON-RPC endpoint of a network. Every method may throw transport errors. */
export type Endpoint = {
  /** Checks chain id and decimals against the table. @throws {ChainMismatch} */
  check(): Promise<void>
  tip(): Promise<Block>
  finalized(): Promise<bigint>
  /**
   * Returns a block of the current chain by its number, or null if the endpoint does not have it.
   */
  block(number: bigint): Promise<Block | null>
  /**
   * Returns the transfers in a block by its hash; throws when the endpoint does not know the block
   * (any more). @param to only to these addresses
   */
  transfersIn(blockHash: string, to: string[] | null): Promise<Transfer[]>
  /**
   * Returns the transfers in a range of blocks, both ends included. @throws {RangeTooWide} @throws
   * {NodeBehind}
   */
  transfersBetween(from: bigint, through: bigint, to: string[] | null): Promise<Transfer[]>
  /** Returns an account's nonce: of mined transactions only, or pending ones included. */
  nonce(address: string, which: 'latest' | 'pending'): Promise<number>
  nativeBalance(address: string): Promise<bigint>
  tokenBalance(contract: string, address: string): Promise<bigint>
  /** Estimates the gas of a call. @throws {WouldRevert} */
  gas(call: Call): Promise<bigint>
  /**
   * Returns why a call would fail after a block, or null if it would succeed; throws when the
   * endpoint does not have the block.
   */
  refusal(call: Call, block: bigint): Promise<string | null>
  /** Returns a call's cost besides gas, in wei: on OP-stack chains, the fee for its data on L1. */
  l1Fee(call: Call): Promise<bigint>
  /** Returns fees with which a transaction is mined soon. */
  fees(): Promise<Fees>
  /**
   * Broadcasts a signed transaction. @throws the node's error, among them "already known" and
   * "nonce too low"
   */
  send(raw: Hex): Promise<void>
  receipt(hash: string): Promise<Receipt | null>
}

const timeoutMs = 10_000
/** Requests per HTTP call; some providers reject more. */
const batchSize = 10
/** OP Mainnet, Base, its test network, Celo: https://docs.optimism.io/stack/transactions/fees */
const opStack = new Set([10, 8_453, 84_532, 42_220])
const gasPriceOracle = '0x420000000000000000000000000000000000000F'
const oracleAbi = parseAbi(['function getL1Fee(bytes transaction) view returns (uint256)'])
const transferEvent = parseAbiItem(
  'event Transfer(address indexed from, address indexed to, uint256 value)',
)

/** Opens an endpoint of a network. Opens no connection yet. */
export function openEndpoint(network: EvmNetwork, url: string): Endpoint {
  const client: PublicClient = createPublicClient({
    transport: http(url, {
      batch: { wait: 0, batchSize },
      fetchFn: fetchWhole,
      maxResponseBodySize: false,
      timeout: timeoutMs,
      retryCount: 0,
    }),
  })
  const contracts = new Map(
    tokensOf(network).map((token) => [token.contract_address, token.currency]),
  )
  return {
    check: () => assertChain(client, new URL(url).host, network, contracts),
    ...blocksOf(client),
    ...transfersOf(client, contracts),
    ...accountsOf(client),
    ...callsOf(client, network),
  }
}

async function assertChain(
  client: PublicClient,
  host: string,
  network: EvmNetwork,
  contracts: Map<string, CryptoCurrency>,
): Promise<void> {
  const chainId = await client.getChainId()
  if (chainId !== network.chain_id)
    throw new ChainMismatch(`${host} is chain ${chainId}, not ${network.chain_id}`)
  for (const [contract, currency] of contracts) {
    const decimals = await client
      .readContract({ address: contract as Hex, abi: erc20Abi, functionName: 'decimals' })
      .catch((error: Error) => {
        // No code at the address, or another contract: a wrong answer, but an answer.
        if (isOfContract(error)) return null
        throw error
      })
    if (decimals !== network.tokens[currency]?.decimals)
      throw new ChainMismatch(
        `${currency} at ${contract} has ${decimals} decimals there, not ${network.tokens[currency]?.decimals}`,
      )
  }
}

const blocksOf = (client: PublicClient): Pick<Endpoint, 'tip' | 'finalized' | 'block'> => ({
  tip: async () => toBlock(await client.getBlock({ blockTag: 'latest' })),
  finalized: async () => (await client.getBlock({ blockTag: 'finalized' })).number,

  async block(number) {
    try {
      return toBlock(await client.getBlock({ blockNumber: number }))
    } catch (error) {
      if ((error as Error).name === 'BlockNotFoundError') return null
      throw error
    }
  },
})

const toBlock = (
  block: Pick<ViemBlock<bigint, false, 'latest'>, 'number' | 'hash' | 'parentHash'>,
): Block => ({
  number: block.number,
  hash: block.hash,
  parentHash: block.parentHash,
})

function transfersOf(
  client: PublicClient,
  contracts: Map<string, CryptoCurrency>,
): Pick<Endpoint, 'transfersIn' | 'transfersBetween'> {
  const filterOf = (to: string[] | null) => ({
    address: [...contracts.keys()] as Hex[],
    event: transferEvent,
    strict: true as const,
    ...(to === null ? {} : { args: { to: to as Hex[] } }),
  })
  return {
    transfersIn: async (blockHash, to) =>
      toTransfers(
        await client.getLogs({ blockHash: blockHash as Hex, ...filterOf(to) }),
        contracts,
      ),

    async transfersBetween(from, through, to) {
      try {
        const logs = await client.getLogs({ fromBlock: from, toBlock: through, ...filterOf(to) })
        // Some providers silently truncate long answers.
        if (from < through && logs.length > 0 && logs.length % 1_000 === 0)
          throw new RangeTooWide(`the answer may be cut off at ${logs.length} logs`)
        return toTransfers(logs, contracts)
      } catch (error) {
        if (error instanceof RangeTooWide) throw error
        if (isBehind(error)) throw new NodeBehind(messageOf(error))
        if (from < through && isRangeError(error)) throw new RangeTooWide(messageOf(error))
        throw error
      }
    },
  }
}

function toTransfers(
  logs: Log<bigint, number, false, typeof transferEvent, true>[],
  contracts: Map<string, CryptoCurrency>,
): Transfer[] {
  const counts = new Map<string, number>()
  const listed = new Set<string>()
  return logs
    .toSorted((a, b) => Number(a.blockNumber - b.blockNumber) || a.logIndex - b.logIndex)
    .flatMap((log) => {
      const contract = getAddress(log.address)
      const currency = contracts.get(contract)
      // A node's filter is not trusted: only contracts of the table count.
      if (currency === undefined || log.removed) return []
      // A node may list a log twice.
      const logKey = `${log.blockHash} ${log.logIndex}`
      if (listed.has(logKey)) return []
      listed.add(logKey)
      const to = getAddress(log.args.to)
      const key = `${log.blockHash} ${log.transactionHash} ${contract} ${to}`
      const position = counts.get(key) ?? 0
      counts.set(key, position + 1)
      return [
        {
          currency,
          contract,
          from: getAddress(log.args.from),
          to,
          units: log.args.value,
          txHash: log.transactionHash,
          logIndex: log.logIndex,
          position,
          blockNumber: log.blockNumber,
          blockHash: log.blockHash,
        },
      ]
    })
}

const accountsOf = (
  client: PublicClient,
): Pick<Endpoint, 'nonce' | 'nativeBalance' | 'tokenBalance'> => ({
  nonce: (account, which) =>
    client.getTransactionCount({ address: account as Hex, blockTag: which }),
  nativeBalance: (account) => client.getBalance({ address: account as Hex }),
  tokenBalance: (contract, account) =>
    client.readContract({
      address: contract as Hex,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [account as Hex],
    }),
})

const callsOf = (
  client: PublicClient,
  network: EvmNetwork,
): Pick<Endpoint, 'gas' | 'refusal' | 'l1Fee' | 'fees' | 'send' | 'receipt'> => ({
  async gas({ from, to, data, value }) {
    try {
      return await client.estimateGas({ account: from as Hex, to: to as Hex, data, value })
    } catch (error) {
      throw isRevert(error) ? new WouldRevert(messageOf(error)) : error
    }
  },

  async refusal({ from, to, data, value }, block) {
    try {
      await client.call({ account: from as Hex, to: to as Hex, data, value, blockNumber: block })
      return null
    } catch (error) {
      if (isRevert(error)) return messageOf(error)
      throw error
    }
  },

  async l1Fee({ to, data, value }) {
    if (!opStack.has(network.chain_id)) return 0n
    const fees = { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 10n ** 6n }
    const raw = serializeTransaction({
      chainId: network.chain_id,
      to: to as Hex,
      data,
      value,
      gas: 100_000n,
      ...fees,
    })
    return client
      .readContract({
        address: gasPriceOracle,
        abi: oracleAbi,
        functionName: 'getL1Fee',
        args: [raw],
      })
      .catch((error: Error) => {
        // A chain without the oracle has no such fee.
        if (isOfContract(error)) return 0n
        throw error
      })
  },

  async fees() {
    const [block, priority] = await Promise.all([
      client.getBlock({ blockTag: 'latest' }),
      client.request({ method: 'eth_maxPriorityFeePerGas' }),
    ])
    const maxPriorityFeePerGas = BigInt(priority)
    // Twice the base fee is enough for six full blocks in a row, each of which raises it by an
    // eighth (EIP-1559).
    return {
      maxFeePerGas: 2n * (block.baseFeePerGas ?? 0n) + maxPriorityFeePerGas,
      maxPriorityFeePerGas,
    }
  },

  async send(raw) {
    await client.sendRawTransaction({ serializedTransaction: raw })
  },

  async receipt(hash) {
    try {
      const found = await client.getTransactionReceipt({ hash: hash as Hex })
      return {
        success: found.status === 'success',
        blockNumber: found.blockNumber,
        blockHash: found.blockHash,
      }
    } catch (error) {
      if (error instanceof TransactionReceiptNotFoundError) return null
      throw error
    }
  },
})
