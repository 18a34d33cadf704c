/**
 * One EVM network, spoken to over JSON-RPC. Facts in, facts out: blocks, transfers of the supported tokens, balances, fees and
 * receipts. It decides nothing.
 */
import {
  BaseError,
  createPublicClient,
  ExecutionRevertedError,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  http,
  keccak256,
  type Log,
  type PublicClient,
  parseAbi,
  parseAbiItem,
  serializeTransaction,
  TransactionReceiptNotFoundError,
  type Block as ViemBlock,
} from 'viem'
import { type CryptoCurrency, cryptoCurrencies } from '../../lib/money.ts'
import { fetchWhole } from './batching.ts'
import type { EvmNetwork } from './settings.ts'

export type Block = { number: bigint; hash: string; parentHash: string }

/** A `Transfer` event of a supported token's contract. Addresses with their EIP-55 checksums. */
export type Transfer = {
  currency: CryptoCurrency
  contract: string
  from: string
  to: string
  /** In the token's own units. */
  units: bigint
  txHash: string
  logIndex: number
  /** The how many-th such event of its transaction to this address in this contract: the same when it is mined again. */
  position: number
  blockNumber: bigint
  blockHash: string
}

/** How a transaction ended, and in which block. */
export type Receipt = { success: boolean; blockNumber: bigint; blockHash: string }

/** What a transaction does, without its nonce and gas. */
export type Call = { from: string; to: string; data: Hex; value: bigint }

export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

/** The chain is not what the table says: nothing of it can be believed. */
export class ChainMismatch extends Error {}
/** A range of blocks that this provider does not answer in one piece. */
export class RangeTooWide extends Error {}
/** The call would fail on the chain. */
export class WouldRevert extends Error {}

/** One JSON-RPC endpoint of a network. Every method may throw what the transport throws. */
export type Endpoint = {
  /** Where it is: host only, since paths of providers carry keys. */
  host: string
  /** Holds chain id and decimals against the table. @throws {ChainMismatch} */
  check(): Promise<void>
  tip(): Promise<Block>
  finalized(): Promise<bigint>
  /** A block by its number on the chain as it is, or null when the endpoint has none. */
  block(number: bigint): Promise<Block | null>
  /** Transfers in one block, by its hash; throws when the endpoint does not know the block (any more). @param to only to these */
  transfersIn(blockHash: string, to: string[] | null): Promise<Transfer[]>
  /** Transfers in a range of blocks, both ends included. @throws {RangeTooWide} */
  transfersBetween(from: bigint, through: bigint, to: string[] | null): Promise<Transfer[]>
  /** How many transactions of an account are mined, or are mined and waiting. */
  nonce(address: string, which: 'latest' | 'pending'): Promise<number>
  nativeBalance(address: string): Promise<bigint>
  tokenBalance(contract: string, address: string): Promise<bigint>
  /** Gas that a call takes. @throws {WouldRevert} */
  gas(call: Call): Promise<bigint>
  /** Why a call fails on what a block left, or null when it does not; throws when the endpoint does not have the block. */
  refusal(call: Call, block: bigint): Promise<string | null>
  /** What a call costs besides its gas, in wei: on OP-stack chains, its place on the chain below. */
  l1Fee(call: Call): Promise<bigint>
  /** Fees that a transaction is mined with soon. */
  fees(): Promise<Fees>
  /** Hands a signed transaction to the network. @throws what the node says, among it "already known" and "nonce too low" */
  send(raw: Hex): Promise<void>
  receipt(hash: string): Promise<Receipt | null>
}

/** A network behind one or more endpoints. */
export type Chain = {
  network: EvmNetwork
  /**
   * Runs work on one endpoint, the same one throughout: answers of different nodes must not be mixed. When it fails, the next
   * endpoint has its turn, each once; errors of this module's own kinds are answers, and pass through. What the transport throws
   * comes out as one line, without the URL.
   */
  on<T>(work: (endpoint: Endpoint) => Promise<T>): Promise<T>
  /** Runs work on every endpoint, for what the word of one is not enough for. Answers are in the order of the settings. */
  everywhere<T>(work: (endpoint: Endpoint) => Promise<T>): Promise<PromiseSettledResult<T>[]>
}

const timeoutMs = 10_000
/** Most requests of one HTTP call: more is refused by some providers. */
const batchSize = 10
/** OP Mainnet, Base, its test network, Celo: https://docs.optimism.io/stack/transactions/fees */
const opStack = new Set([10, 8_453, 84_532, 42_220])
const gasPriceOracle = '0x420000000000000000000000000000000000000F'
const oracleAbi = parseAbi(['function getL1Fee(bytes transaction) view returns (uint256)'])
const transferEvent = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')

/** The chain of a network's settings. Opens no connection yet. */
export function openChain(network: EvmNetwork): Chain {
  const endpoints = network.rpc.map((url) => openEndpoint(network, url))
  let current = 0
  return {
    network,
    async on(work) {
      for (let tried = 1; ; tried++) {
        const endpoint = endpoints[current % endpoints.length] as Endpoint
        const used = current
        try {
          return await work(endpoint)
        } catch (error) {
          if (error instanceof ChainMismatch || error instanceof RangeTooWide || error instanceof WouldRevert)
            throw error
          if (current === used) current++
          if (tried >= endpoints.length) throw withoutUrl(error)
        }
      }
    },
    everywhere: (work) =>
      Promise.allSettled(
        endpoints.map((endpoint) =>
          work(endpoint).catch((error: unknown) => {
            throw withoutUrl(error)
          }),
        ),
      ),
  }
}

/** viem's errors carry the URL in their text, stack and fields, and whoever logs an error logs all of it. */
const withoutUrl = (error: unknown): unknown => (error instanceof BaseError ? new Error(messageOf(error)) : error)

/** The call data of an ERC-20 transfer. */
export function transferCall(to: string, units: bigint): Hex {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to as Hex, units] })
}

/** The hash that a signed transaction has on the chain. */
export const hashOf = (raw: Hex): Hex => keccak256(raw)

function openEndpoint(network: EvmNetwork, url: string): Endpoint {
  const client: PublicClient = createPublicClient({
    transport: http(url, {
      batch: { wait: 0, batchSize },
      fetchFn: fetchWhole,
      maxResponseBodySize: false,
      timeout: timeoutMs,
      retryCount: 0,
    }),
  })
  const contracts = new Map<string, CryptoCurrency>()
  for (const currency of cryptoCurrencies) {
    const token = network.tokens[currency]
    if (token) contracts.set(token.contract_address, currency)
  }
  const address = [...contracts.keys()] as Hex[]
  const filterOf = (to: string[] | null) => ({
    address,
    event: transferEvent,
    strict: true as const,
    ...(to === null ? {} : { args: { to: to as Hex[] } }),
  })

  const toTransfers = (logs: Log<bigint, number, false, typeof transferEvent, true>[]): Transfer[] => {
    const seen = new Map<string, number>()
    const listed = new Set<string>()
    return logs
      .toSorted((a, b) => Number(a.blockNumber - b.blockNumber) || a.logIndex - b.logIndex)
      .flatMap((log) => {
        const contract = getAddress(log.address)
        const currency = contracts.get(contract)
        // A node's filter is not believed: what is no contract of the table is no transfer.
        if (currency === undefined || log.removed) return []
        // A log that a node lists twice is one.
        const place = `${log.blockHash} ${log.logIndex}`
        if (listed.has(place)) return []
        listed.add(place)
        const to = getAddress(log.args.to)
        const key = `${log.blockHash} ${log.transactionHash} ${contract} ${to}`
        const position = seen.get(key) ?? 0
        seen.set(key, position + 1)
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

  return {
    host: new URL(url).host,

    async check() {
      const chainId = await client.getChainId()
      if (chainId !== network.chain_id)
        throw new ChainMismatch(`${new URL(url).host} is chain ${chainId}, not ${network.chain_id}`)
      for (const [contract, currency] of contracts) {
        const decimals = await client
          .readContract({ address: contract as Hex, abi: erc20Abi, functionName: 'decimals' })
          .catch((error: Error) => {
            // No code at the address, or another contract: an answer, and a wrong one.
            if (isOfContract(error)) return null
            throw error
          })
        if (decimals !== network.tokens[currency]?.decimals)
          throw new ChainMismatch(
            `${currency} at ${contract} has ${decimals} decimals there, not ${network.tokens[currency]?.decimals}`,
          )
      }
    },

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

    transfersIn: async (blockHash, to) =>
      toTransfers(await client.getLogs({ blockHash: blockHash as Hex, ...filterOf(to) })),

    async transfersBetween(from, through, to) {
      try {
        const logs = await client.getLogs({ fromBlock: from, toBlock: through, ...filterOf(to) })
        // Some providers cut a long answer off, and say nothing.
        if (from < through && logs.length > 0 && logs.length % 1_000 === 0)
          throw new RangeTooWide(`the answer may be cut off at ${logs.length} logs`)
        return toTransfers(logs)
      } catch (error) {
        if (error instanceof RangeTooWide) throw error
        if (from < through && isRangeError(error)) throw new RangeTooWide(messageOf(error))
        throw error
      }
    },

    nonce: (account, which) => client.getTransactionCount({ address: account as Hex, blockTag: which }),
    nativeBalance: (account) => client.getBalance({ address: account as Hex }),
    tokenBalance: (contract, account) =>
      client.readContract({
        address: contract as Hex,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [account as Hex],
      }),

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
        .readContract({ address: gasPriceOracle, abi: oracleAbi, functionName: 'getL1Fee', args: [raw] })
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
      // Twice the base fee outlasts six full blocks in a row, each of which raises it by an eighth (EIP-1559).
      return { maxFeePerGas: 2n * (block.baseFeePerGas ?? 0n) + maxPriorityFeePerGas, maxPriorityFeePerGas }
    },

    async send(raw) {
      await client.sendRawTransaction({ serializedTransaction: raw })
    },

    async receipt(hash) {
      try {
        const found = await client.getTransactionReceipt({ hash: hash as Hex })
        return { success: found.status === 'success', blockNumber: found.blockNumber, blockHash: found.blockHash }
      } catch (error) {
        if (error instanceof TransactionReceiptNotFoundError) return null
        throw error
      }
    },
  }
}

const toBlock = (block: Pick<ViemBlock<bigint, false, 'latest'>, 'number' | 'hash' | 'parentHash'>): Block => ({
  number: block.number,
  hash: block.hash,
  parentHash: block.parentHash,
})

/** An error in one line, without the URLs that viem's own texts carry: providers' keys are in them. */
export function messageOf(error: unknown): string {
  const text =
    error instanceof BaseError
      ? error.details || error.shortMessage
      : error instanceof Error
        ? error.message
        : String(error)
  const line = (text.split('\n')[0] as string).replaceAll(/\b(https?|wss?):\/\/\S+/gi, 'a URL')
  return keysOf(error)
    .reduce((shown, key) => shown.replaceAll(key, '…'), line)
    .slice(0, 300)
}

/** What may be a key in the URL that an error came from: servers like to repeat the path that they were asked for. */
function keysOf(error: unknown): string[] {
  if (!(error instanceof BaseError)) return []
  const from = error.walk((cause) => URL.canParse((cause as { url?: string } | null)?.url ?? '')) as {
    url: string
  } | null
  if (from === null) return []
  const { pathname, search } = new URL(from.url)
  return `${pathname}${search}`.split(/[/?&=]/).filter((part) => part.length >= 8)
}

const isRevert = (error: unknown): boolean =>
  error instanceof BaseError && error.walk((cause) => cause instanceof ExecutionRevertedError) !== null

/** Whether a call was made, and the contract is what failed: a node in trouble must not pass for a wrong contract. */
const isOfContract = (error: Error): boolean =>
  error instanceof BaseError &&
  error.walk((cause) => {
    const { name, code, details = '' } = cause as { name: string; code?: number; details?: string }
    return (
      /^AbiDecoding|^PositionOutOfBounds/.test(name) || code === 3 || /execution reverted|invalid opcode/i.test(details)
    )
  }) !== null

/**
 * Providers say in their own words that a range, or its answer, is too large; in much the same words they say that they were asked
 * too often, where smaller ranges would be the wrong thing to do.
 */
const isRangeError = (error: unknown): boolean => {
  const text = messageOf(error)
  return (
    /range|limit|too many|too large|too big|more than|exceed|response size|10,?000|query timeout/i.test(text) &&
    !/\brate\b|rate.?limit|too many requests|per (second|minute|day)|request (count|limit)|compute unit|credits|quota|throughput|throttl|capacity/i.test(
      text,
    )
  )
}
