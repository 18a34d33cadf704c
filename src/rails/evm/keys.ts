/**
 * Keys of EVM accounts. Deposit addresses come from an extended public key, which cannot sign; only
 * workers have a `Signer`.
 */
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { bytesToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { publicKeyToAddress } from 'viem/utils'

/**
 * An unsigned EIP-1559 transaction. Amounts in wei; `data` is the call, `0x` for a plain transfer.
 */
export type Unsigned = {
  chainId: number
  nonce: number
  to: `0x${string}`
  value: bigint
  data: `0x${string}`
  gas: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

/** Signs for one account: a key in memory, or later a key management service. */
export type Signer = {
  /** With its EIP-55 checksum. */
  address: `0x${string}`
  /** @returns the signed transaction, ready to send */
  sign(transaction: Unsigned): Promise<`0x${string}`>
}

/** The account whose children are deposit addresses. Source: BIP-44, coin type 60 of SLIP-44. */
const depositAccount = "m/44'/60'/0'" as const
/** The account that pays out, when it is derived from the mnemonic. */
const treasuryPath = "m/44'/60'/1'/0/0" as const

/** The accounts of one mnemonic. */
export type Wallet = {
  /** The extended public key of the deposit addresses, for `EVM_FILE`. */
  xpub: string
  treasury: Signer
  /** The signer of a deposit address. */
  deposit(index: number): Signer
}

/**
 * Parses an extended public key.
 * @throws {Error} when it is invalid or private
 */
export function readXpub(xpub: string): HDKey {
  const key = HDKey.fromExtendedKey(xpub)
  if (key.privateKey) throw new Error('is a private key; give the public one (xpub…)')
  return key
}

/**
 * Returns the address of the child `m/0/index` of a key, the same on every EVM network. Sources:
 * BIP-32, BIP-44.
 * @param index from 0 to 2^31 - 1
 */
export function depositAddress(key: HDKey, index: number): string {
  const { publicKey } = key.deriveChild(0).deriveChild(index)
  return publicKeyToAddress(
    bytesToHex(secp256k1.Point.fromBytes(publicKey as Uint8Array).toBytes(false)),
  )
}

/**
 * Returns the signer of a private key.
 * @param key `0x` and 64 hex digits
 * @throws {Error} when it is invalid
 */
export function signerOf(key: string): Signer {
  return toSigner(privateKeyToAccount(key as `0x${string}`))
}

/**
 * Returns the accounts of a BIP-39 mnemonic.
 * @throws {Error} when its words or their checksum are wrong
 */
export function walletOf(mnemonic: string): Wallet {
  const words = mnemonic.trim().split(/\s+/).join(' ')
  if (!validateMnemonic(words, wordlist)) throw new Error('is not a BIP-39 mnemonic')
  const root = HDKey.fromMasterSeed(mnemonicToSeedSync(words))
  const deposits = root.derive(depositAccount)
  const at = (key: HDKey): Signer =>
    toSigner(privateKeyToAccount(bytesToHex(key.privateKey as Uint8Array)))
  return {
    xpub: deposits.publicExtendedKey,
    treasury: at(root.derive(treasuryPath)),
    deposit: (index) => at(deposits.deriveChild(0).deriveChild(index)),
  }
}

function toSigner(account: ReturnType<typeof privateKeyToAccount>): Signer {
  return {
    address: account.address,
    sign: (transaction) => account.signTransaction({ type: 'eip1559', ...transaction }),
  }
}
