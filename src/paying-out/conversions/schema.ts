import { positionCurrencies, rateOrigin } from '../../books/exchange/exchange.ts'
import { walletCurrencies } from '../../lib/money.ts'
import * as s from '../../lib/schema.ts'

const feeTypes = s.Named('ConversionFeeType', ['fx'])

const from = s.OneOf(walletCurrencies, { description: 'The wallet that it leaves.' })
const to = s.OneOf(walletCurrencies, { description: 'The wallet that it comes into.' })

const price = {
  amount: s.AmountOut('What leaves the wallet, fee included.'),
  currency: from,
  fee: s.AmountOut('The part of `amount` that is fee: the spread.'),
  fee_breakdown: s.Type.Array(
    s.Type.Object(
      {
        type: s.OneOf(feeTypes, { description: 'What it is for.' }),
        amount: s.AmountOut('How much, in minor units.'),
      },
      { title: 'ConversionFee' },
    ),
    { description: 'What the fee is made of.' },
  ),
  rate: s.Type.String({
    description: 'Units of `destination_currency` for one unit of `currency`; a decimal.',
  }),
  ...rateOrigin,
  destination_amount: s.AmountOut(
    'What comes into the other wallet: `amount` less `fee` at `rate`, rounded down.',
  ),
  destination_currency: to,
}

export const ConversionQuoteIn = s.Body({
  amount: s.AmountIn(1, 'What leaves the wallet, fee included, in minor units.'),
  currency: from,
  destination_currency: to,
})

export const ConversionQuoteRecord = s.RecordOf(
  'ConversionQuote',
  'What a conversion would cost and give. Nothing moves. Amounts in minor units.',
  {
    ...price,
    sufficient_funds: s.Type.Boolean({
      description: 'Whether the wallet has `amount` available now.',
    }),
    expires_at: s.Timestamp('Until when a conversion can lock this price.'),
  },
)

export const ConversionIn = s.Body({
  quote: s.IdText('The quote: what is converted, and at which rate. It makes one conversion.'),
  reference: s.Type.Optional(s.Reference),
  metadata: s.Type.Optional(s.MetadataIn),
})

export const ConversionRecord = s.RecordOf(
  'Conversion',
  'Money that you moved from one wallet to the other. Amounts in minor units.',
  {
    quote: s.IdText('The quote.'),
    reference: s.Nullable(s.Reference),
    ...price,
    transaction: s.IdText('The transaction of the wallet that it left.'),
    destination_transaction: s.IdText('The transaction of the wallet that it came into.'),
  },
)

export const ConversionQuery = s.Body({
  ...s.pageQuery,
  currency: s.Type.Optional(s.OneOf(walletCurrencies, { description: 'Only out of this wallet.' })),
  ...s.rangeQuery,
})
export const ConversionParams = s.Body({ id: s.Type.String({ description: 'The conversion.' }) })

/** Columns of the list's export. */
export const exported = {
  id: 'text',
  created_at: 'time',
  reference: 'text',
  currency: 'text',
  amount: 'amount',
  fee: 'amount',
  rate: 'text',
  rate_source: 'text',
  destination_currency: 'text',
  destination_amount: 'text',
  transaction: 'text',
  destination_transaction: 'text',
} as const

const short =
  'How much of the currency conversions, and payouts into it, may leave the installation short of, in minor units.'
export const ExchangeRecord = s.Type.Object(
  {
    positions: s.Type.Array(
      s.Type.Object(
        {
          mode: s.OneOf(s.Named('ExchangeMode', ['live', 'test']), {
            description: 'Live money, or test money.',
          }),
          currency: s.Type.String({ description: 'The currency or token.' }),
          balance: s.Type.Integer({
            format: 'int64',
            description:
              'Minor units that exchanges of all businesses have left with the installation; below zero, that it is short of.',
          }),
          promised: s.AmountOut('Minor units that payouts under way will take of it.'),
          max_short: s.Nullable(s.AmountOut(`${short} Null: as much as is asked for.`)),
        },
        { title: 'ExchangePosition' },
      ),
      { description: 'One for each currency that was exchanged, or that is limited.' },
    ),
    rates: s.Type.Array(
      s.Type.Object(
        {
          id: s.IdText('Unique id.'),
          pair: s.Type.String({ description: 'Such as usd_ngn: what a dollar is in naira.' }),
          rate: s.Type.String({ description: 'A decimal, as its source wrote it.' }),
          published_on: s.Type.String({
            format: 'date',
            description: 'The day that its source says it is of.',
          }),
          fetched_at: s.Timestamp('When it was fetched last.'),
          status: s.OneOf(s.Named('OfficialRateStatus', ['good', 'suspect', 'refused']), {
            description: '`suspect`: it has moved far, and is used once a person accepts it.',
          }),
          decided_by: s.Nullable(s.Type.String({ description: 'Who has accepted or refused it.' })),
        },
        { title: 'OfficialRate' },
      ),
      { description: 'The newest thirty official rates that were fetched.' },
    ),
  },
  {
    title: 'Exchange',
    description: 'What exchanges of all businesses have left the installation with.',
  },
)
export const ExchangeLimitsIn = s.Body({
  currencies: s.Type.Array(
    s.Body(
      {
        currency: s.OneOf(positionCurrencies, { description: 'The currency or token.' }),
        max_short: s.Nullable(s.AmountIn(0, `${short} Null: as much as is asked for.`)),
      },
      { title: 'ExchangeLimitChange', description: 'The limit of a currency.' },
    ),
    {
      maxItems: positionCurrencies.length,
      description:
        'In live mode and, counted apart, in test mode. What is left out stays as it is.',
    },
  ),
})

export const RateParams = s.Body({ id: s.Type.String({ description: 'The official rate.' }) })
