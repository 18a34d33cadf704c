import { keccak_256 } from '@noble/hashes/sha3.js'

/**
 * An EVM address with the capitals that EIP-55 gives it: a letter is upper case when its nibble in
 * the Keccak-256 of the lower-case hex is 8 or more. Source: https://eips.ethereum.org/EIPS/eip-55
 * @param address `0x` and 40 hex digits, in any case
 * @throws {RangeError} when it is not
 */
export function toChecksumAddress(address: string): string {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address))
    throw new RangeError(`'${address}' is not 0x and 40 hex digits`)
  const hex = address.slice(2).toLowerCase()
  const digest = keccak_256(Buffer.from(hex, 'ascii'))
  let text = '0x'
  for (let i = 0; i < hex.length; i++) {
    const byte = digest[i >> 1] as number
    const nibble = i % 2 === 0 ? byte >> 4 : byte & 15
    const digit = hex[i] as string
    text += nibble >= 8 ? digit.toUpperCase() : digit
  }
  return text
}

/**
 * Whether a text is `0x` and 40 hex digits, with every letter in the case of its EIP-55 checksum.
 *
 * EIP-55 lets readers accept an address in one case as one without a checksum. This does not: money
 * sent to a mistyped address is gone. So one case passes only where it is the checksum itself, or
 * where there are no letters.
 */
export function isChecksumAddress(address: string): boolean {
  return /^0x[0-9a-fA-F]{40}$/.test(address) && toChecksumAddress(address) === address
}
