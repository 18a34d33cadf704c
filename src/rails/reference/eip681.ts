/** Payment links that open in a wallet. Source: https://eips.ethereum.org/EIPS/eip-681 */
import { toChecksumAddress } from './eip55.ts'
import type { Token } from './networks.ts'

/**
 * Returns the link that asks for a transfer of a token: `ethereum:<token>@<chain>/transfer?…`.
 *
 * The amount is a plain integer: EIP-681 recommends `1e6` too, and some wallets misread it.
 * @param of.cents hundredths of the token
 * @throws {RangeError} when `of.address` is not an address
 */
export function transferLink(of: {
  token: Token
  chainId: number
  address: string
  cents: bigint
}): string {
  const { token, chainId, address, cents } = of
  const units = cents * 10n ** BigInt(token.decimals - 2)
  return `ethereum:${token.contract_address}@${chainId}/transfer?address=${toChecksumAddress(address)}&uint256=${units}`
}
