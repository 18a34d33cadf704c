/**
 * A local EVM network with tokens, and the settings of a server that speaks to it in test mode.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { walletOf } from '../../src/rails/evm/keys.ts'
import { type Anvil, startAnvil } from './anvil.ts'

export type LocalNetwork = {
  node: Anvil
  /** Contract addresses: six decimals, and eighteen. */
  usdc: string
  usdt: string
  /** The wallet that deposit addresses and the treasury come from. */
  wallet: ReturnType<typeof walletOf>
  confirmations: number
  /** Settings for a server, and the worker's keys among them. */
  env: Record<string, string>
  stop(): Promise<void>
}

/** Public words of BIP-39's own test vectors. */
export const mnemonic =
  'legal winner thank year wave sausage worth useful legal winner thank yellow'

/** Starts a network of the id `anvil`. Account 1 of the node holds many tokens of both kinds. */
export async function startNetwork(more: Record<string, unknown> = {}): Promise<LocalNetwork> {
  const confirmations = 3
  const wallet = walletOf(mnemonic)
  const dir = mkdtempSync(join(tmpdir(), 'bursar-evm-'))
  const node = await startAnvil()
  const usdc = await node.deploy('USDC', 6)
  const usdt = await node.deploy('USDT', 18)
  await node.mint(usdc, node.account(1).address, 10n ** 15n)
  await node.mint(usdt, node.account(1).address, 10n ** 27n)
  writeFileSync(join(dir, 'words'), mnemonic, { mode: 0o600 })
  const network = {
    rpc: [node.url],
    name: 'Anvil',
    chain_id: 31_337,
    confirmations,
    poll: '50ms',
    tokens: {
      usdc: { contract_address: usdc, decimals: 6 },
      usdt: { contract_address: usdt, decimals: 18 },
    },
    ...more,
  }
  writeFileSync(
    join(dir, 'evm.json'),
    JSON.stringify({ test: { xpub: wallet.xpub, networks: { anvil: network } } }),
  )
  return {
    node,
    usdc,
    usdt,
    wallet,
    confirmations,
    env: { EVM_FILE: join(dir, 'evm.json'), EVM_TEST_MNEMONIC_FILE: join(dir, 'words') },
    async stop() {
      await node.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
