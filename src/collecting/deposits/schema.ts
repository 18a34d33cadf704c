import { cryptoCurrencies } from '../../lib/money.ts'
import {
  AccountNumber,
  AmountIn,
  AmountOut,
  Body,
  EvmAddress,
  IdText,
  OneOf,
  Page,
  pageQuery,
  RecordOf,
  Text,
  Type,
} from '../../lib/schema.ts'

const SenderIn = Body(
  {
    account_name: Type.Optional(Text(1, 140, { description: 'The holder.' })),
    account_number: Type.Optional(AccountNumber('The account number.')),
    bank_name: Type.Optional(Text(1, 140, { description: 'The bank.' })),
    bank_code: Type.Optional(
      Text(1, 20, {
        description:
          'Its code: of GET /misc/ng/banks, or a routing number. A refund goes back by it, or by the bank’s name.',
      }),
    ),
  },
  { title: 'Sender', description: 'Who sends the money. Left out, the bank does not tell.' },
)

export const SimulateDepositIn = Body({
  amount: Type.Optional(
    AmountIn(1, 'How much, in minor units. A dynamic account knows its amount; a static one needs it.'),
  ),
  sender: Type.Optional(SenderIn),
  notice: Type.Optional(
    Text(1, 100, {
      description:
        'The bank’s own id of the deposit. The same one again is the same deposit, and moves nothing; with another amount or account it is a 409. Default: a new one.',
    }),
  ),
})

export const AccountParams = Body({ id: Type.String({ description: 'The virtual account.' }) })

export const SimulateTokensIn = Body({
  amount: AmountIn(1, 'How much, in cents of the token.'),
  currency: OneOf(cryptoCurrencies, { description: 'The token.' }),
  chain: Type.Optional(Text(1, 40, { description: 'A network id of GET /crypto/tokens. Default: `base`.' })),
  sender: Type.Optional(EvmAddress('The address it comes from. Default: one of nobody.')),
  notice: Type.Optional(
    Text(1, 100, {
      description:
        'An id of the deposit: the same one again moves nothing; with other tokens or another wallet it is a 409. Default: a new one.',
    }),
  ),
})

export const depositStatuses = ['pending', 'credited', 'dropped'] as const

export const ChainDepositRecord = RecordOf('CryptoDeposit', 'Tokens that were sent to an address on a chain.', {
  crypto_wallet: IdText('Whose address it is.'),
  network: Type.String({ description: 'The network.' }),
  currency: OneOf(cryptoCurrencies, { description: 'The token.' }),
  amount: AmountOut('Whole cents of the token. What is less than a cent is kept in an account of its own.'),
  units: Type.String({ description: 'In the token’s own units, as a decimal number.' }),
  from_address: Type.String({ description: 'Who sent it.' }),
  tx_hash: Type.String({ description: 'The transaction on the chain.' }),
  block_number: Type.Integer({ description: 'The block that holds it.' }),
  confirmations: Type.Integer({ description: 'Blocks on top of it so far, as far as it counts.' }),
  confirmations_needed: Type.Integer({ description: 'Blocks on top of it before it is credited.' }),
  status: OneOf(depositStatuses, {
    description: '`dropped`: its block is gone from the chain; when it is mined again it is `pending` again.',
  }),
  transaction: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'Its transaction, `pending` until it is credited; null for less than a cent.',
  }),
})

export const ChainDepositQuery = Body({
  ...pageQuery,
  status: Type.Optional(OneOf(depositStatuses, { description: 'Only this status.' })),
})

export const ChainDepositPage = Page(ChainDepositRecord)

export const WalletParams = Body({ id: Type.String({ description: 'The crypto wallet.' }) })
