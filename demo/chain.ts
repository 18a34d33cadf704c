/**
 * A local node that plays Base, to rehearse live stablecoins: its chain id is Base's, and a token
 * of ours stands where USDC is there. Its money is worth nothing. docs/stablecoins.md has the
 * steps.
 *
 *   npm run demo:chain                             runs the node on port 8545, until ^C
 *   npm run demo:chain -- send <address> <usdc>    sends tokens to an address
 *   npm run demo:chain -- fund <address>           gives an address a coin, for gas
 *   npm run demo:chain -- mine <blocks>            mines blocks
 */
import {
  createTestClient,
  createWalletClient,
  getAddress,
  type Hex,
  http,
  pad,
  parseAbi,
  parseUnits,
} from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { knownNetworks } from '../src/rails/reference/networks.ts'
import { startAnvil, testMnemonic } from '../test/support/anvil.ts'

const port = 8545
const base = knownNetworks.find(({ id }) => id === 'base') as (typeof knownNetworks)[number]
const token = base.tokens.usdc?.contract_address as Hex
const transport = http(`http://127.0.0.1:${port}`)
const node = createTestClient({ mode: 'anvil', transport })

/** The node, with its token in the place of Base's. */
async function run(): Promise<void> {
  if (await isTaken()) throw new Error(`something answers on port ${port} already`)
  const anvil = await startAnvil({ chainId: base.chain_id, port })
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void anvil.stop().then(() => process.exit(0)))
  const deployed = (await anvil.deploy('USDC', 6)) as Hex
  await anvil.node.setCode({
    address: token,
    bytecode: (await anvil.node.getCode({ address: deployed })) as Hex,
  })
  // Name, symbol and decimals.
  for (const slot of ['0x0', '0x1', '0x2'] as const) {
    const value = (await anvil.node.getStorageAt({ address: deployed, slot })) as Hex
    await anvil.node.setStorageAt({ address: token, index: pad(slot), value })
  }
  await anvil.mint(token, anvil.account(1).address, parseUnits('1000000', 6))
  console.log(
    `${anvil.url} plays ${base.name}, chain ${base.chain_id}, with USDC at ${token}. ^C ends it.`,
  )
}

const isTaken = (): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}`).then(
    () => true,
    () => false,
  )

async function send(to: string, usdc: string): Promise<void> {
  const client = createWalletClient({
    account: mnemonicToAccount(testMnemonic, { addressIndex: 1 }),
    transport,
  })
  const abi = parseAbi(['function transfer(address to, uint256 units) returns (bool)'])
  const args = [getAddress(to), parseUnits(usdc, 6)] as const
  console.log(
    await client.writeContract({
      address: token,
      abi,
      functionName: 'transfer',
      args,
      chain: null,
    }),
  )
}

const [command, first = '', second = ''] = process.argv.slice(2)
if (command === undefined) await run()
else if (command === 'send') await send(first, second)
else if (command === 'fund')
  await node.setBalance({ address: getAddress(first), value: 10n ** 18n })
else if (command === 'mine') await node.mine({ blocks: Number(first) })
else throw new Error(`'${command}' is none of send, fund, mine`)
