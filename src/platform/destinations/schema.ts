import { cryptoCurrencies, walletCurrencies } from '../../lib/money.ts'
import {
  AccountNumber,
  Address,
  Body,
  Documented,
  EvmAddress,
  Line,
  Named,
  OneOf,
  type Static,
  Text,
  Type,
} from '../../lib/schema.ts'
import { bankCountries } from '../lookups/lookups.ts'

export const payoutMethods = Named('PayoutMethod', ['crypto', 'bank_transfer'])
const accountTypes = Named('BankAccountType', ['checking', 'savings'])
const destinationCurrencies = Named('DestinationCurrency', [
  ...cryptoCurrencies,
  ...walletCurrencies,
])

const fields = {
  currency: OneOf(destinationCurrencies, { description: 'The currency to arrive.' }),
  chain: Text(1, 40, {
    'x-any-case': true,
    description: 'Crypto: a network id of GET /crypto/tokens.',
    examples: ['base'],
  }),
  address: EvmAddress('Crypto: the address, with its EIP-55 checksum.', [
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  ]),
  country: OneOf(bankCountries, { description: 'Bank: the country of the bank. Default `ng`.' }),
  bank_code: Text(1, 20, {
    description: 'Bank, ng: a code of GET /misc/ng/banks.',
    examples: ['058'],
  }),
  account_number: AccountNumber('Bank: the account number; ten digits for `ng`.', ['0123456789']),
  account_name: Line(1, 140, {
    description: 'Bank: the holder. Needed for `us`, compared for `ng`.',
  }),
  routing_number: Type.String({
    pattern: '^[0-9]{9}$',
    'x-message': 'must be 9 digits',
    description: 'Bank, us: the ABA routing number.',
  }),
  account_type: OneOf(accountTypes, { description: 'Bank, us: the kind of account.' }),
  holder_address: {
    ...Address,
    title: 'HolderAddress',
    description:
      'Bank, us: where the holder lives or has its seat. Some ways of paying dollars need it.',
  },
}
const destinationFields = Type.Partial(Type.Object(fields)).properties

const {
  chain,
  address,
  bank_code,
  account_number,
  account_name,
  routing_number,
  account_type,
  holder_address,
} = fields
const arrives = 'The currency to arrive.'

const CryptoDestination = Body(
  { currency: OneOf(cryptoCurrencies, { description: arrives }), chain, address },
  { title: 'CryptoDestination', description: 'An address on a blockchain.' },
)

const NigerianBankDestination = Body(
  {
    country: Type.Optional(
      OneOf(bankCountries, { const: 'ng', description: 'The country of the bank. Default `ng`.' }),
    ),
    currency: Type.Optional(OneOf(walletCurrencies, { const: 'ngn', description: arrives })),
    bank_code,
    account_number: Type.String({
      pattern: '^[0-9]{10}$',
      description: 'The NUBAN.',
      examples: ['0123456789'],
    }),
    account_name: Type.Optional(account_name),
  },
  { title: 'NigerianBankDestination', description: 'A bank account in Nigeria.' },
)

const AmericanBankDestination = Body(
  {
    country: OneOf(bankCountries, { const: 'us', description: 'The country of the bank.' }),
    currency: Type.Optional(OneOf(walletCurrencies, { const: 'usd', description: arrives })),
    routing_number,
    account_number,
    account_name,
    account_type,
    holder_address: Type.Optional(holder_address),
  },
  { title: 'AmericanBankDestination', description: 'A bank account in the US.' },
)

/** One object for every shape; `readDestination` knows which fields a shape needs. */
export const DestinationIn = Documented(
  Body(destinationFields, {
    title: 'PayoutDestination',
    description:
      'Where money goes: to an address on a blockchain, or to a bank account in Nigeria or the US.',
  }),
  {
    type: null,
    properties: null,
    additionalProperties: null,
    oneOf: [CryptoDestination, NigerianBankDestination, AmericanBankDestination],
  },
)

/** For quotes: fields that only the payee knows may be omitted. */
export const QuoteDestinationIn = Body(destinationFields, {
  title: 'QuoteDestination',
  description:
    'Crypto: `{currency, chain, address?}`. Bank in Nigeria: `{country: "ng"}`, in the US: `{country: "us"}`, with as much of a payout’s destination as is known.',
})
export type DestinationInput = Static<typeof DestinationIn>

export const DestinationOut = Type.Object(
  {
    ...destinationFields,
    contract_address: Type.Optional(
      Type.String({ description: 'Crypto: the token’s contract on that chain.' }),
    ),
    bank_name: Type.Optional(Type.String({ description: 'Bank: its name.' })),
    resolved_account_name: Type.Optional(
      Type.String({ description: 'Bank, ng: the holder as the bank knows it.' }),
    ),
  },
  { title: 'PayoutDestinationRecord', description: 'Where the money goes.' },
)
