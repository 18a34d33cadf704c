import { cryptoCurrencies } from '../../lib/money.ts'
import * as s from '../../lib/schema.ts'

export const cryptoWalletStatuses = s.Named('CryptoWalletStatus', ['active', 'closed'])

export const TokenRecord = s.Type.Object(
  {
    currency: s.OneOf(cryptoCurrencies, { description: 'The token’s currency.' }),
    name: s.Type.String({ description: 'Its name.' }),
    networks: s.Type.Array(
      s.Type.Object(
        {
          id: s.Type.String({ description: 'What destinations name as `chain`.' }),
          name: s.Type.String({ description: 'The network’s name.' }),
          chain_id: s.Count('Its EVM chain id.'),
          contract_address: s.Type.String({
            description: 'The token’s contract there, with its EIP-55 checksum.',
          }),
          decimals: s.Small(
            'Decimals of the token’s own units. Amounts of this API are cents all the same.',
          ),
          confirmations: s.Small('Blocks on top of a deposit before it is credited.'),
          testnet: s.Type.Boolean({ description: 'Whether it is a test network.' }),
          connected: s.Type.Boolean({
            description:
              'Whether this server speaks to the network in this mode. In test mode the sandbox plays the others; in live mode they cannot be used.',
          }),
        },
        { title: 'CryptoNetwork', description: 'A network that a stablecoin moves on.' },
      ),
      { description: 'Where it moves.' },
    ),
  },
  { title: 'CryptoToken', description: 'A stablecoin and the networks it moves on.' },
)

export const CryptoWalletIn = s.Body({
  customer: s.Type.Optional(s.IdText('Whose wallet it is.')),
  label: s.Type.Optional(s.Line(1, 140, { description: 'A name for your own use.' })),
  reference: s.Type.Optional(s.Reference),
  metadata: s.Type.Optional(s.MetadataIn),
})

export const CryptoWalletRecord = s.RecordOf(
  'CryptoWallet',
  'An address that stablecoins can be sent to.',
  {
    reference: s.Nullable(s.Reference),
    customer: s.Nullable(s.IdText('Whose wallet it is.')),
    address: s.Type.String({
      description: 'The address, the same on every network, with its EIP-55 checksum.',
    }),
    networks: s.Type.Array(s.Type.String(), {
      description: 'Ids of the networks that it receives on.',
    }),
    label: s.Nullable(s.Type.String({ description: 'A name for your own use.' })),
    status: s.OneOf(cryptoWalletStatuses, {
      description:
        'What comes to a wallet that is closed is booked all the same, and marked `late`.',
    }),
  },
)

export const CryptoWalletQuery = s.Body({
  ...s.pageQuery,
  customer: s.Type.Optional(s.IdText('Only this customer’s.')),
  status: s.Type.Optional(s.OneOf(cryptoWalletStatuses, { description: 'Only this status.' })),
  search: s.searchQuery(
    'Only those with this in their `label`, `reference` or address, or as their `id`.',
    'till',
  ),
})

/** What the export of the list shows. */
export const exported = {
  id: 'text',
  created_at: 'time',
  reference: 'text',
  status: 'text',
  label: 'text',
  customer: 'text',
  address: 'text',
} as const

export const CryptoWalletParams = s.Body({
  id: s.Type.String({ description: 'The crypto wallet.' }),
})
