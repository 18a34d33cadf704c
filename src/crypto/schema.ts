import { cryptoCurrencies } from '../lib/money.ts'
import { OneOf, Type } from '../lib/schema.ts'

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
        confirmations: Type.Integer({ description: 'Blocks after which a deposit is credited.' }),
        testnet: Type.Boolean({ description: 'Whether it is a test network.' }),
      }),
    ),
  },
  { title: 'CryptoToken', description: 'A stablecoin and the networks it moves on.' },
)
