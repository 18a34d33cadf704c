import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HDKey } from '@scure/bip32'
import { hexToBytes, parseTransaction, recoverTransactionAddress } from 'viem'
import { testMnemonic } from '../../../test/support/anvil.ts'
import { depositAddress, readXpub, signerOf, walletOf } from './keys.ts'

/**
 * Test vectors 1 and 2 of BIP-32:
 * https://github.com/bitcoin/bips/blob/master/bip-0032.mediawiki#test-vectors
 */
const vectors: { seed: `0x${string}`; chains: Record<string, string> }[] = [
  {
    seed: '0x000102030405060708090a0b0c0d0e0f',
    chains: {
      m: 'xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8',
      "m/0'":
        'xpub68Gmy5EdvgibQVfPdqkBBCHxA5htiqg55crXYuXoQRKfDBFA1WEjWgP6LHhwBZeNK1VTsfTFUHCdrfp1bgwQ9xv5ski8PX9rL2dZXvgGDnw',
      "m/0'/1":
        'xpub6ASuArnXKPbfEwhqN6e3mwBcDTgzisQN1wXN9BJcM47sSikHjJf3UFHKkNAWbWMiGj7Wf5uMash7SyYq527Hqck2AxYysAA7xmALppuCkwQ',
      "m/0'/1/2'":
        'xpub6D4BDPcP2GT577Vvch3R8wDkScZWzQzMMUm3PWbmWvVJrZwQY4VUNgqFJPMM3No2dFDFGTsxxpG5uJh7n7epu4trkrX7x7DogT5Uv6fcLW5',
      "m/0'/1/2'/2":
        'xpub6FHa3pjLCk84BayeJxFW2SP4XRrFd1JYnxeLeU8EqN3vDfZmbqBqaGJAyiLjTAwm6ZLRQUMv1ZACTj37sR62cfN7fe5JnJ7dh8zL4fiyLHV',
    },
  },
  {
    seed: '0xfffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a29f9c999693908d8a8784817e7b7875726f6c696663605d5a5754514e4b484542',
    chains: {
      m: 'xpub661MyMwAqRbcFW31YEwpkMuc5THy2PSt5bDMsktWQcFF8syAmRUapSCGu8ED9W6oDMSgv6Zz8idoc4a6mr8BDzTJY47LJhkJ8UB7WEGuduB',
      'm/0':
        'xpub69H7F5d8KSRgmmdJg2KhpAK8SR3DjMwAdkxj3ZuxV27CprR9LgpeyGmXUbC6wb7ERfvrnKZjXoUmmDznezpbZb7ap6r1D3tgFxHmwMkQTPH',
    },
  },
]

/** BIP-44 accounts of the public test mnemonic, as every local node prints them. */
const accounts = [
  '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
]

describe('extended public keys', () => {
  it('are the published ones', () => {
    for (const { seed, chains } of vectors) {
      const root = HDKey.fromMasterSeed(hexToBytes(seed))
      for (const [path, xpub] of Object.entries(chains)) {
        assert.equal(root.derive(path).publicExtendedKey, xpub, path)
        assert.equal(readXpub(xpub).publicExtendedKey, xpub)
      }
    }
    // A public child of a public parent is the published one as well.
    const [first] = vectors as [(typeof vectors)[0]]
    const parent = readXpub(first.chains["m/0'"] as string)
    assert.equal(parent.deriveChild(1).publicExtendedKey, first.chains["m/0'/1"])
  })

  it('make the known addresses, without any private key', () => {
    const { xpub } = walletOf(testMnemonic)
    const key = readXpub(xpub)
    assert.equal(key.privateKey, null)
    for (const [index, address] of accounts.entries())
      assert.equal(depositAddress(key, index), address)
    assert.throws(() => key.deriveChild(0x80000000))
  })

  it('are refused when they are private, or none', () => {
    const root = HDKey.fromMasterSeed(hexToBytes('0x000102030405060708090a0b0c0d0e0f'))
    assert.throws(() => readXpub(root.privateExtendedKey), /is a private key; give the public one/)
    const [first] = vectors as [(typeof vectors)[0]]
    const xpub = first.chains.m as string
    for (const bad of ['', 'xpub', `${xpub}x`, xpub.slice(0, -1), xpub.replace('y', 'z')])
      assert.throws(() => readXpub(bad), Error, bad)
  })
})

describe('a wallet', () => {
  it('signs for its deposit addresses and its treasury, which is none of them', async () => {
    const wallet = walletOf(`  ${testMnemonic.replaceAll(' ', '\n ')} `)
    for (const [index, address] of accounts.entries())
      assert.equal(wallet.deposit(index).address, address)
    const many = Array.from({ length: 20 }, (_, index) =>
      depositAddress(readXpub(wallet.xpub), index),
    )
    assert.ok(!many.includes(wallet.treasury.address))
    assert.throws(() => walletOf('test test test'), Error)
    assert.throws(() => walletOf(testMnemonic.replace('junk', 'test')), Error)
  })

  it('signs what it is given, and nothing else', async () => {
    const signer = signerOf(`0x${'11'.repeat(32)}`)
    const unsigned = {
      chainId: 8453,
      nonce: 7,
      to: accounts[0] as `0x${string}`,
      value: 5n,
      data: '0xabcd' as const,
      gas: 50_000n,
      maxFeePerGas: 30n,
      maxPriorityFeePerGas: 2n,
    }
    const raw = (await signer.sign(unsigned)) as `0x02${string}`
    assert.equal(await recoverTransactionAddress({ serializedTransaction: raw }), signer.address)
    const { chainId, nonce, to, value, data, gas, maxFeePerGas, maxPriorityFeePerGas } =
      parseTransaction(raw)
    const read = { chainId, nonce, to, value, data, gas, maxFeePerGas, maxPriorityFeePerGas }
    assert.deepEqual(
      { ...read, to: to?.toLowerCase() },
      { ...unsigned, to: unsigned.to.toLowerCase() },
    )
    assert.throws(() => signerOf('0x12'), Error)
  })
})
