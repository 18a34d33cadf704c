import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cryptoCurrencies } from '../../lib/money.ts'
import { isChecksumAddress } from './eip55.ts'
import {
  findNetwork,
  legacyLookAlikes,
  knownNetworks as networks,
  networksOf,
  tokenNames,
} from './networks.ts'

const ids = (list: readonly { id: string }[]): string[] => list.map((network) => network.id)
const tokens = networks.flatMap((network) =>
  Object.values(network.tokens).map((token) => ({ network: network.id, ...token })),
)

describe('the token table', () => {
  it('has ten networks, each known by one id and one chain id', () => {
    assert.equal(networks.length, 10)
    assert.equal(tokens.length, 17)
    assert.equal(new Set(ids(networks)).size, networks.length)
    assert.equal(new Set(networks.map((network) => network.chain_id)).size, networks.length)
  })

  it('writes every address with its checksum', () => {
    for (const { network, contract_address } of [...tokens, ...legacyLookAlikes])
      assert.ok(isChecksumAddress(contract_address), `${network} ${contract_address}`)
  })

  it('has no contract twice on a network, look-alikes included', () => {
    const all = [...tokens, ...legacyLookAlikes].map(
      (one) => `${one.network} ${one.contract_address}`,
    )
    assert.equal(new Set(all).size, all.length)
  })

  it('names only networks that exist as homes of look-alikes', () => {
    assert.equal(legacyLookAlikes.length, 7)
    for (const { network } of legacyLookAlikes) assert.ok(ids(networks).includes(network), network)
  })

  it('gives tokens 18 decimals on bsc and 6 elsewhere', () => {
    for (const { network, decimals } of tokens)
      assert.equal(decimals, network === 'bsc' ? 18 : 6, network)
  })

  it('waits for confirmations everywhere', () => {
    for (const { id, confirmations } of networks) assert.ok(confirmations > 0, id)
  })

  it('names every currency', () => {
    assert.deepEqual(tokenNames, { usdc: 'USD Coin', usdt: 'Tether USD' })
  })
})

describe('networks of a token', () => {
  it('are main networks for a live key', () => {
    for (const currency of cryptoCurrencies)
      assert.ok(
        networksOf(networks, currency, true).every(
          (network) => !network.testnet && network.tokens[currency],
        ),
      )
    assert.equal(networksOf(networks, 'usdc', true).length, 8)
    assert.equal(networksOf(networks, 'usdt', true).length, 7)
  })

  it('are all that have the token for a test key', () => {
    assert.deepEqual(ids(networksOf(networks, 'usdc', false)), ids(networks))
    assert.deepEqual(
      ids(networksOf(networks, 'usdt', false)),
      ids(networks.filter((network) => network.tokens.usdt !== undefined)),
    )
  })

  it('are found by id', () => {
    const found = findNetwork(networks, 'usdt', 'bsc', true)
    assert.equal(found?.network.chain_id, 56)
    assert.deepEqual(found?.token, {
      contract_address: '0x55d398326f99059fF775485246999027B3197955',
      decimals: 18,
    })
  })

  it('are not found where the token, the network or the mode is missing', () => {
    for (const livemode of [true, false]) {
      assert.equal(findNetwork(networks, 'usdt', 'base', livemode), null)
      assert.equal(findNetwork(networks, 'usdc', 'solana', livemode), null)
      assert.equal(findNetwork(networks, 'usdc', 'Ethereum', livemode), null)
    }
    assert.equal(findNetwork(networks, 'usdc', 'base-sepolia', true), null)
    assert.equal(findNetwork(networks, 'usdc', 'base-sepolia', false)?.network.testnet, true)
    assert.equal(findNetwork(networks, 'usdt', 'base-sepolia', false), null)
  })
})
