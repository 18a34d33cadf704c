import { cryptoCurrencies, walletCurrencies } from '../../lib/money.ts'
import { AccountNumber, Body, EvmAddress, OneOf, type Static, Text, Type } from '../../lib/schema.ts'

const destinationFields = {
  currency: Type.Optional(
    OneOf([...cryptoCurrencies, ...walletCurrencies], { description: 'The currency to arrive.' }),
  ),
  chain: Type.Optional(
    Text(1, 40, {
      'x-any-case': true,
      description: 'Crypto: a network id of GET /crypto/tokens.',
      examples: ['base'],
    }),
  ),
  address: Type.Optional(
    EvmAddress('Crypto: the address, with its EIP-55 checksum.', ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed']),
  ),
  country: Type.Optional(OneOf(['ng', 'us'] as const, { description: 'Bank: the country of the bank. Default `ng`.' })),
  bank_code: Type.Optional(Text(1, 20, { description: 'Bank, ng: a code of GET /misc/ng/banks.', examples: ['058'] })),
  account_number: Type.Optional(AccountNumber('Bank: the account number; ten digits for `ng`.', ['0123456789'])),
  account_name: Type.Optional(Text(1, 140, { description: 'Bank: the holder. Needed for `us`, compared for `ng`.' })),
  routing_number: Type.Optional(
    Type.String({
      pattern: '^[0-9]{9}$',
      'x-message': 'must be 9 digits',
      description: 'Bank, us: the ABA routing number.',
    }),
  ),
  account_type: Type.Optional(
    OneOf(['checking', 'savings'] as const, { description: 'Bank, us: the kind of account.' }),
  ),
}

/** One object for every shape; which fields a shape needs is known by `readDestination`. */
export const DestinationIn = Body(destinationFields, {
  title: 'PayoutDestination',
  description:
    'Crypto: `{currency, chain, address}`. Bank in Nigeria: `{country: "ng", bank_code, account_number, account_name?}`. Bank in the US: `{country: "us", routing_number, account_number, account_name, account_type}`. On a quote, what only the payee knows may be left out.',
})
export type DestinationInput = Static<typeof DestinationIn>

export const DestinationOut = Type.Object(
  {
    ...Object.fromEntries(Object.entries(destinationFields).map(([name, field]) => [name, field])),
    contract_address: Type.Optional(Type.String({ description: 'Crypto: the token’s contract on that chain.' })),
    bank_name: Type.Optional(Type.String({ description: 'Bank: its name.' })),
    resolved_account_name: Type.Optional(Type.String({ description: 'Bank, ng: the holder as the bank knows it.' })),
  },
  { title: 'PayoutDestinationRecord', description: 'Where the money goes.' },
)
