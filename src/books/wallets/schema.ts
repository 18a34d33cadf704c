import { walletCurrencies } from '../../lib/money.ts'
import { AmountIn, AmountOut, Body, OneOf, RecordOf, Small, Type } from '../../lib/schema.ts'

export const WalletRecord = RecordOf(
  'Wallet',
  'What the business holds in one currency. Amounts in minor units.',
  {
    currency: OneOf(walletCurrencies, { description: 'The currency.' }),
    available: AmountOut('What can be spent.'),
    pending: AmountOut('What is held but cannot be spent yet: payouts and refunds in flight.'),
    total: AmountOut('`available` + `pending`.'),
    decimals: Small('Digits after the decimal point of a major unit.'),
  },
)

export const WalletQuery = Body({
  currency: Type.Optional(OneOf(walletCurrencies, { description: 'Only this one.' })),
})

export const SimulateFund = Body({
  currency: OneOf(walletCurrencies, { description: 'Which wallet to fund.' }),
  amount: AmountIn(1, 'How much, in minor units.'),
})
