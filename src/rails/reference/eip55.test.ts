import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isChecksumAddress, toChecksumAddress } from './eip55.ts'

/** The test cases of https://eips.ethereum.org/EIPS/eip-55: all capitals, all small, and mixed. */
const vectors = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
]
const mixed = vectors.slice(4)
const upper = (address: string): string => `0x${address.slice(2).toUpperCase()}`

describe('EIP-55', () => {
  it('gives its own test cases, whatever the case they come in', () => {
    for (const address of vectors) {
      assert.ok(isChecksumAddress(address), address)
      for (const form of [address, address.toLowerCase(), upper(address)])
        assert.equal(toChecksumAddress(form), address)
    }
  })

  it('refuses an address in one case, which carries no checksum', () => {
    for (const address of mixed) {
      assert.ok(!isChecksumAddress(address.toLowerCase()), address)
      assert.ok(!isChecksumAddress(upper(address)), address)
    }
  })

  it('refuses any one letter in the wrong case', () => {
    for (const address of vectors)
      for (let i = 2; i < address.length; i++) {
        const digit = address[i] as string
        const other = digit === digit.toLowerCase() ? digit.toUpperCase() : digit.toLowerCase()
        if (other !== digit)
          assert.ok(!isChecksumAddress(address.slice(0, i) + other + address.slice(i + 1)))
      }
  })

  it('accepts an address of digits alone, which has no case to be wrong', () => {
    assert.ok(isChecksumAddress(`0x${'1234567890'.repeat(4)}`))
  })

  it('refuses what is not 0x and 40 hex digits', () => {
    const address = mixed[0] as string
    const malformed = [
      '',
      '0x',
      address.slice(0, -1),
      `${address}0`,
      address.slice(2),
      `0X${address.slice(2)}`,
      `${address.slice(0, -1)}g`,
      ` ${address}`,
      `${address}\n`,
      `0x${'1'.repeat(39)}`,
      `0x${'1'.repeat(41)}`,
    ]
    for (const bad of malformed) {
      assert.ok(!isChecksumAddress(bad), JSON.stringify(bad))
      assert.throws(() => toChecksumAddress(bad), RangeError)
    }
  })
})
