/**
 * Goal: a wallet reads from a link exactly the transfer that the page asks for. Method: links are
 * read back by the grammar of EIP-681 and encoded with viem, which has another implementation of
 * addresses, decimals and calls.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { encodeFunctionData, erc20Abi, getAddress, isAddress, parseUnits } from 'viem'
import { transferLink } from './eip681.ts'
import { knownNetworks } from './networks.ts'

/** `request` of the grammar, for calls. `number` may have a fraction and an exponent. */
const grammar =
  /^ethereum:(?:pay-)?(?<target>0x[0-9a-fA-F]{40})(?:@(?<chain>\d+))?(?:\/(?<name>[A-Za-z_$][\w$]*))?(?:\?(?<parameters>.*))?$/

/** The call that a wallet makes of a link, as strict wallets read it. */
function read(link: string) {
  const { target = '', chain, name, parameters } = grammar.exec(link)?.groups ?? {}
  assert.ok(isAddress(target, { strict: true }), link)
  assert.equal(name, 'transfer')
  const given = new Map(
    (parameters ?? '').split('&').map((one) => one.split('=') as [string, string]),
  )
  assert.deepEqual([...given.keys()], ['address', 'uint256'])
  const [to = '', amount = ''] = given.values()
  assert.match(amount, /^[1-9]\d*$/)
  assert.ok(isAddress(to, { strict: true }), link)
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'transfer',
    args: [to, BigInt(amount)],
  })
  return { target, chain: Number(chain), data }
}

describe('a link to a wallet', () => {
  const payee = '0x8e23ee67d1332ad560396262c48ffbb01f93d052'

  it('is written as the example of the EIP, with the chain and the checksums', () => {
    const contract_address = '0x89205A3A3b2A69De6Dbf7f01ED13B2108B2c43e7'
    const token = { contract_address, decimals: 2 }
    assert.equal(
      transferLink({ token, chainId: 1, address: payee, cents: 1n }),
      'ethereum:0x89205A3A3b2A69De6Dbf7f01ED13B2108B2c43e7@1/transfer?address=0x8e23Ee67d1332aD560396262C48ffbB01F93D052&uint256=1',
    )
  })

  it('asks for exactly the amount, of the token, on the chain, for the payee', () => {
    for (const { chain_id, tokens } of knownNetworks)
      for (const token of Object.values(tokens))
        for (const cents of [1n, 100n, 7_550n, 123_456_789_012n, 9_007_199_254_740_991n]) {
          const decimal = `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
          assert.deepEqual(
            read(transferLink({ token, chainId: chain_id, address: payee, cents })),
            {
              target: getAddress(token.contract_address),
              chain: chain_id,
              data: encodeFunctionData({
                abi: erc20Abi,
                functionName: 'transfer',
                args: [getAddress(payee), parseUnits(decimal, token.decimals)],
              }),
            },
          )
        }
  })

  it('is not made of what is no address', () => {
    const token = { contract_address: payee, decimals: 6 }
    for (const address of ['', '0xabc', `${payee}0`, `${payee}&uint256=1`])
      assert.throws(() => transferLink({ token, chainId: 1, address, cents: 1n }), RangeError)
  })
})
