import { cryptoCurrencies } from '../../lib/money.ts'
import {
  Body,
  IdText,
  MetadataIn,
  Nullable,
  OneOf,
  pageQuery,
  RecordOf,
  Reference,
  Text,
  Type,
} from '../../lib/schema.ts'

export const cryptoWalletStatuses = ['active', 'closed'] as const

export const TokenRecord = Type.Object(
  {
    currency: OneOf(cryptoCurrencies, { description: 'The token’s currency.' }),
    name: Type.String({ description: 'Its name.' }),
    networks: Type.Array(
      Type.Object({
        id: Type.String({ description: 'What destinations name as `chain`.' }),
        name: Type.String({ description: 'The network’s name.' }),
        chain_id: Type.Integer({ description: 'Its EVM chain id.' }),
        contract_address: Type.String({ description: 'The token’s contract there, with its EIP-55 checksum.' }),
        decimals: Type.Integer({
          description: 'Decimals of the token’s own units. Amounts of this API are cents all the same.',
        }),
        confirmations: Type.Integer({ description: 'Blocks on top of a deposit before it is credited.' }),
        testnet: Type.Boolean({ description: 'Whether it is a test network.' }),
        connected: Type.Boolean({
          description:
            'Whether this server speaks to the network in this mode. In test mode the sandbox plays the others; in live mode they cannot be used.',
        }),
      }),
    ),
  },
  { title: 'CryptoToken', description: 'A stablecoin and the networks it moves on.' },
)

export const CryptoWalletIn = Body({
  customer: Type.Optional(IdText('Whose wallet it is.')),
  label: Type.Optional(Text(1, 140, { description: 'What you call it.' })),
  reference: Type.Optional(Reference),
  metadata: Type.Optional(MetadataIn),
})

export const CryptoWalletRecord = RecordOf('CryptoWallet', 'An address that stablecoins can be sent to.', {
  reference: Nullable(Reference),
  customer: Nullable(IdText('Whose wallet it is.')),
  address: Type.String({ description: 'The address, the same on every network, with its EIP-55 checksum.' }),
  networks: Type.Array(Type.String(), { description: 'Ids of the networks that it receives on.' }),
  label: Nullable(Type.String({ description: 'What you call it.' })),
  status: OneOf(cryptoWalletStatuses, {
    description: 'What comes to a wallet that is closed is booked all the same, and marked `late`.',
  }),
})

export const CryptoWalletQuery = Body({
  ...pageQuery,
  customer: Type.Optional(IdText('Only this customer’s.')),
  status: Type.Optional(OneOf(cryptoWalletStatuses, { description: 'Only this status.' })),
})

export const CryptoWalletParams = Body({ id: Type.String({ description: 'The crypto wallet.' }) })
