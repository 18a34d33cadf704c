/**
 * A local EVM node for tests: anvil, with tokens on it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createTestClient,
  createWalletClient,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  type Hex,
  http,
  parseAbi,
  publicActions,
} from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { freePort } from './ports.ts'

/** The mnemonic that anvil's own accounts come from: public, and worth nothing anywhere else. */
export const testMnemonic = 'test test test test test test test test test test test junk'

const artifact = JSON.parse(
  readFileSync(new URL('./fixtures/TestToken.json', import.meta.url), 'utf8'),
) as {
  abi: never
  bytecode: Hex
}
const tokenAbi = parseAbi([
  'function mint(address to, uint256 units)',
  'function transfer(address to, uint256 units) returns (bool)',
  'function balanceOf(address owner) view returns (uint256)',
])

export type Anvil = Awaited<ReturnType<typeof startAnvil>>

/**
 * Starts a node, on a free port where none is named. It mines a block for each transaction, unless
 * `mine` is told otherwise.
 */
export async function startAnvil(
  options: { chainId?: number; blockTime?: number; port?: number } = {},
) {
  const port = options.port ?? (await freePort())
  const url = `http://127.0.0.1:${port}`
  // A node that is killed leaves the states of its blocks behind: hundreds of megabytes where
  // thousands were mined.
  const states = mkdtempSync(join(tmpdir(), 'bursar-anvil-'))
  const child: ChildProcess = spawn(
    findAnvil(),
    [
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--chain-id',
      String(options.chainId ?? 31_337),
      '--slots-in-an-epoch',
      '1',
      '--silent',
      // Else it writes each state beyond the first hundreds to disk, which takes longer than to
      // mine the block.
      '--prune-history',
      '500',
      '--cache-path',
      states,
      ...(options.blockTime ? ['--block-time', String(options.blockTime)] : []),
    ],
    { stdio: 'ignore' },
  )
  let missing = false
  child.once('error', () => {
    missing = true
  })
  const chain = {
    id: options.chainId ?? 31_337,
    name: 'anvil',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  } as const
  // Not again by itself: blocks that are slow to be made would be made twice.
  const transport = http(url, { timeout: 120_000, retryCount: 0 })
  const node = createTestClient({ mode: 'anvil', chain, transport }).extend(publicActions)
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await gone
    }
    rmSync(states, { recursive: true, force: true })
  }
  process.once('exit', () => {
    child.kill('SIGKILL')
    rmSync(states, { recursive: true, force: true, maxRetries: 3 })
  })
  const late = performance.now() + 60_000
  for (;;)
    try {
      await node.getChainId()
      break
    } catch (error) {
      if (missing)
        throw new Error('there is no anvil here: install Foundry, or name the program in ANVIL')
      if (performance.now() > late || child.exitCode !== null) {
        await stop()
        throw error
      }
      await new Promise((resolve) => setTimeout(resolve, 25))
    }

  /** The node's own accounts, each with ten thousand coins. */
  const accounts: ReturnType<typeof mnemonicToAccount>[] = []
  const account = (index: number) =>
    (accounts[index] ??= mnemonicToAccount(testMnemonic, { addressIndex: index }))
  const wallet = (index: number) =>
    createWalletClient({ account: account(index), chain, transport })
  const send = async (from: number, to: string | null, data: Hex, value = 0n): Promise<Hex> => {
    const client = wallet(from)
    return client.sendTransaction({ to: to as Hex | null, data, value } as never)
  }

  return {
    url,
    port,
    node,
    account,
    wallet,
    stop,
    /** Deploys a token. @returns its address */
    async deploy(symbol: string, decimals: number): Promise<string> {
      const data = encodeDeployData({ ...artifact, args: [symbol, symbol, decimals] } as never)
      const hash = await send(0, null, data)
      const receipt = await node.waitForTransactionReceipt({ hash })
      return getAddress(receipt.contractAddress as Hex)
    },
    async mint(token: string, to: string, units: bigint): Promise<void> {
      const hash = await wallet(0).writeContract({
        address: token as Hex,
        abi: tokenAbi,
        functionName: 'mint',
        args: [to as Hex, units],
      } as never)
      await node.waitForTransactionReceipt({ hash })
    },
    /** Sends tokens from an account of the node; @returns the transaction's hash */
    transfer(token: string, from: number, to: string, units: bigint): Promise<Hex> {
      return wallet(from).writeContract({
        address: token as Hex,
        abi: tokenAbi,
        functionName: 'transfer',
        args: [to as Hex, units],
      } as never)
    },
    /**
     * A transfer, signed and not sent: what a reorganisation takes out of the chain can be sent
     * again.
     */
    async signTransfer(token: string, from: number, to: string, units: bigint): Promise<Hex> {
      const client = wallet(from)
      const data = encodeFunctionData({
        abi: tokenAbi,
        functionName: 'transfer',
        args: [to as Hex, units],
      })
      const request = await client.prepareTransactionRequest({
        to: token as Hex,
        data,
        maxFeePerGas: 10n ** 11n,
      } as never)
      return (await client.signTransaction(request as never)) as Hex
    },
    balance(token: string, of: string): Promise<bigint> {
      return node.readContract({
        address: token as Hex,
        abi: tokenAbi,
        functionName: 'balanceOf',
        args: [of as Hex],
      })
    },
    mine: (blocks: number) => node.mine({ blocks }),
    /** SIGSTOP or SIGCONT. */
    signal: (name: 'SIGSTOP' | 'SIGCONT') => child.kill(name),
    /**
     * Replaces the last blocks by empty ones of the same heights; what they held does not come back
     * by itself.
     */
    reorg: (depth: number) => node.request({ method: 'anvil_reorg', params: [depth, []] } as never),
    /** Sends an EVM account's coins. */
    fund: (address: string, wei: bigint) =>
      node.setBalance({ address: address as Hex, value: wei }),
  }
}

/** The node's program: what ANVIL names, the one from npm (Linux), or one on the path. */
function findAnvil(): string {
  const own = new URL('../../node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil', import.meta.url)
    .pathname
  return process.env.ANVIL ?? (existsSync(own) ? own : 'anvil')
}
