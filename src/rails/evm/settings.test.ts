import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { HDKey } from '@scure/bip32'
import { testMnemonic } from '../../../test/support/anvil.ts'
import { silent } from '../../../test/support/treasury.ts'
import { unusedKeys } from '../../app/rails.ts'
import { ConfigError, readConfig } from '../../lib/config.ts'
import { knownNetworks } from '../reference/networks.ts'
import { openEvm, readEvmKeys } from './evm.ts'
import { walletOf } from './keys.ts'
import { networksWith, readEvmFile } from './settings.ts'

const dir = mkdtempSync(join(tmpdir(), 'bursar-evm-'))
after(() => rmSync(dir, { recursive: true, force: true }))

const file = join(dir, 'evm.json')
function read(content: unknown) {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return readEvmFile(file)
}

const { xpub } = walletOf(testMnemonic)
const other = walletOf(
  'legal winner thank year wave sausage worth useful legal winner thank yellow',
).xpub
const rpc = ['https://rpc.example']
const token = { contract_address: '0x5FbDB2315678afecb367f032d93F642f64180aa3', decimals: 6 }
const own = { rpc, chain_id: 31_337, tokens: { usdc: token } }

describe('the file of networks', () => {
  it('is not needed', () => assert.deepEqual(readEvmFile(null), { test: null, live: null }))

  it('names networks below their mode, with the defaults of the table', () => {
    const settings = read({
      live: {
        xpub,
        networks: { base: { rpc, finalized_above: 100_000 }, bsc: { rpc, confirmations: 40 } },
      },
      test: {
        xpub: other,
        networks: {
          'base-sepolia': { rpc, stuck_after: '90s', max_fee_gwei: 5, poll: '500ms' },
          local: own,
        },
      },
    })
    const [base, bsc] = settings.live?.networks ?? []
    assert.deepEqual(
      [
        base?.chain_id,
        base?.confirmations,
        base?.livemode,
        base?.finalizedAbove,
        base?.startBlock,
        base?.maxRange,
      ],
      [8453, 20, true, 100_000n, null, 1_000],
    )
    assert.deepEqual(
      [bsc?.confirmations, bsc?.tokens.usdc?.decimals, bsc?.connected],
      [40, 18, true],
    )
    const [sepolia, local] = settings.test?.networks ?? []
    assert.deepEqual(
      [sepolia?.stuckMs, sepolia?.maxFeePerGas, sepolia?.pollMs, sepolia?.livemode],
      [90_000, 5_000_000_000n, 500, false],
    )
    assert.deepEqual(
      [local?.id, local?.testnet, local?.confirmations, local?.name],
      ['local', true, 12, 'local'],
    )
    const networks = networksWith(settings)
    assert.equal(networks.length, knownNetworks.length + 1)
    assert.deepEqual(
      networks.filter((network) => network.connected).map((network) => network.id),
      ['base', 'bsc', 'base-sepolia', 'local'],
    )
  })

  it('bounds what is paid for gas by what the network costs', () => {
    const gas = (networks: object) => {
      const settings = read({ live: { xpub, networks } })
      return settings.live?.networks.map(({ id, maxFeePerGas }) => [
        id,
        maxFeePerGas / 1_000_000_000n,
      ])
    }
    assert.deepEqual(
      gas({ ethereum: { rpc }, polygon: { rpc }, base: { rpc }, bsc: { rpc }, celo: { rpc } }),
      [
        ['ethereum', 300n],
        ['polygon', 1_000n],
        ['base', 20n],
        ['bsc', 20n],
        ['celo', 200n],
      ],
    )
    assert.deepEqual(
      gas({ arbitrum: { rpc }, optimism: { rpc }, avalanche: { rpc, max_fee_gwei: 7 } }),
      [
        ['arbitrum', 20n],
        ['optimism', 20n],
        ['avalanche', 7n],
      ],
    )
    const [capped, other] =
      read({
        live: { xpub, networks: { base: { rpc }, bsc: { rpc, max_sweep_fee_gwei: 3 } } },
      }).live?.networks ?? []
    assert.deepEqual(
      [capped?.maxSweepFeePerGas, other?.maxSweepFeePerGas],
      [4_000_000_000n, 3_000_000_000n],
    )
    const test = read({ test: { xpub, networks: { 'base-sepolia': { rpc }, local: own } } }).test
    assert.deepEqual(
      test?.networks.map(({ maxFeePerGas }) => maxFeePerGas),
      [500_000_000_000n, 500_000_000_000n],
    )
  })

  const xprv = HDKey.fromMasterSeed(new Uint8Array(32).fill(7)).privateExtendedKey
  const live = (id: string, network: unknown) => ({ live: { xpub, networks: { [id]: network } } })
  const test = (id: string, network: unknown) => ({ test: { xpub, networks: { [id]: network } } })
  const cases: [string, unknown, RegExp][] = [
    [
      'a test network below live',
      live('base-sepolia', { rpc }),
      /live\.networks\.base-sepolia: is a test network; it belongs below test/,
    ],
    [
      'a main network below test',
      test('base', { rpc }),
      /test\.networks\.base: is a main network; it belongs below live/,
    ],
    [
      'a network of its own below live',
      live('local', own),
      /live\.networks\.local: is not a known main network/,
    ],
    ['a private key', { live: { xpub: xprv, networks: {} } }, /live\.xpub: is a private key/],
    ['no key', { test: { xpub: 'xpub1', networks: {} } }, /test\.xpub: /],
    [
      'one key for both modes',
      { live: { xpub, networks: {} }, test: { xpub, networks: {} } },
      /are the same; each mode needs a key/,
    ],
    [
      'another contract for a known token',
      live('base', { rpc, tokens: { usdc: token } }),
      /tokens is known and cannot be changed/,
    ],
    [
      'another chain id',
      live('base', { rpc, chain_id: 1 }),
      /chain_id is known and cannot be changed/,
    ],
    [
      'a known chain under another name',
      test('mine', { ...own, chain_id: 8453 }),
      /chain_id 8453 is base/,
    ],
    [
      'a contract whose checksum is wrong',
      test('mine', {
        ...own,
        tokens: { usdc: { ...token, contract_address: token.contract_address.replace('F', 'f') } },
      }),
      /fails its EIP-55 checksum/,
    ],
    ['no tokens', test('mine', { rpc, chain_id: 31_337 }), /chain_id and tokens are required/],
    [
      'a name that no URL can carry',
      test('My Chain', own),
      /must be lower-case letters, digits and dashes/,
    ],
    ['no URL', live('base', { rpc: [] }), /live\.networks\.base\.rpc /],
    ['a URL that is none', live('base', { rpc: ['ws://x'] }), /live\.networks\.base\.rpc\.0 /],
    [
      'a setting that does not exist',
      live('base', { rpc, confirmation: 3 }),
      /live\.networks\.base\.confirmation is not a known setting; there are rpc, confirmations, max_range, /,
    ],
    [
      'it before what it may mean',
      live('base', { rpcs: rpc }),
      /live\.networks\.base\.rpcs is not a known setting; there are rpc, /,
    ],
    [
      'a mode that does not exist',
      { main: { xpub, networks: {} } },
      /^EVM_FILE: main is not a known setting; there are test, live$/,
    ],
    [
      'a token that does not exist',
      test('mine', { ...own, tokens: { dai: token } }),
      /test\.networks\.mine\.tokens\.dai is not a known setting; there are usdc, usdt$/,
    ],
    [
      'a duration that is none',
      live('base', { rpc, stuck_after: 'soon' }),
      /live\.networks\.base: stuck_after 'soon': must be a duration from 1ms to 365d, such as 2s$/,
    ],
    ...['25d', '60d', '999999999d', '0s', '"2s"', ' 2s', '2s\r', ''].map(
      (poll): [string, object, RegExp] => [
        `a poll that no timer can wait for: ${JSON.stringify(poll)}`,
        live('base', { rpc, poll }),
        /^EVM_FILE: live\.networks\.base: poll '.*must be a duration from 1ms to 1d, such as 2s$/,
      ],
    ),
    ['no JSON', '{', /EVM_FILE '.*evm\.json': /],
  ]
  for (const [what, content, expected] of cases)
    it(`refuses ${what}`, () =>
      assert.throws(
        () => read(content),
        (error: Error) => {
          assert.ok(error instanceof ConfigError)
          assert.match(error.message, expected)
          assert.ok(!error.message.includes('\n') && !error.message.includes(xprv))
          return true
        },
      ))

  it('refuses what is not there', () =>
    assert.throws(() => readEvmFile(join(dir, 'none.json')), ConfigError))

  it('is documented, setting by setting', () => {
    const guide = readFileSync('docs/stablecoins.md', 'utf8')
    const table = guide.slice(
      guide.indexOf('\n| Field '),
      guide.indexOf('\n\nFor networks that `GET /crypto/tokens`'),
    )
    const documented = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)
    assert.throws(
      () => read(live('base', { rpc, nonsense: 1 })),
      (error: Error) => {
        const known = error.message.split('there are ')[1]?.split(', ')
        assert.deepEqual([...documented].sort(), known?.sort())
        return true
      },
    )
  })
})

describe('keys that pay on networks', () => {
  const words = join(dir, 'words')
  const key = `0x${'ab'.repeat(32)}`

  it('are named where no network of their mode is connected', () => {
    const config = readConfig({ EVM_PAYOUT_KEY: key, EVM_TEST_MNEMONIC_FILE: words })
    assert.deepEqual(unusedKeys(config, null), [
      'EVM_PAYOUT_KEY is given and not used: EVM_FILE is not set, so no live payout goes to a network',
      'EVM_TEST_MNEMONIC_FILE is given and not used: EVM_FILE is not set, so no test payout goes to a network',
    ])
    const evm = openEvm(read({ test: { xpub, networks: { local: own } } }))
    assert.deepEqual(unusedKeys(config, evm), [
      "EVM_PAYOUT_KEY is given and not used: EVM_FILE has no 'live', so no live payout goes to a network",
    ])
    assert.deepEqual(unusedKeys(readConfig({}), null), [])
  })

  it('are read with a warning when others can open the file', () => {
    const warned: string[] = []
    const log = { ...silent, warn: (_fields: object, message: string) => warned.push(message) }
    const settings = read({ test: { xpub, networks: { local: own } } })
    writeFileSync(words, testMnemonic)
    for (const [mode, warnings] of [
      [0o600, []],
      [0o400, []],
      [
        0o640,
        [
          `EVM_TEST_MNEMONIC_FILE: others than its owner can open '${words}' (mode 0640); chmod 600 it`,
        ],
      ],
      [
        0o604,
        [
          `EVM_TEST_MNEMONIC_FILE: others than its owner can open '${words}' (mode 0604); chmod 600 it`,
        ],
      ],
    ] as const) {
      chmodSync(words, mode)
      warned.length = 0
      assert.equal(
        readEvmKeys(readConfig({ EVM_TEST_MNEMONIC_FILE: words }), settings, log).test.wallet?.xpub,
        xpub,
      )
      assert.deepEqual(warned, warnings)
    }
  })
})
