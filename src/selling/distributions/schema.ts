import { walletCurrencies } from '../../lib/money.ts'
import * as s from '../../lib/schema.ts'
import { DestinationIn, DestinationOut } from '../../platform/destinations/destinations.ts'
import { WhoRecord } from '../../platform/team/team.ts'

const saleCurrencies = s.Named('SaleCurrency', ['usd', 'ngn', 'eur'])

const share = {
  id: s.Type.Optional(
    s.IdText('On a change: the share this is. Without it, the share of the same name.'),
  ),
  name: s.Line(1, 100, { description: 'Who it is for; once a distribution.' }),
  destination: s.Type.Optional(
    s.Type.Union([DestinationIn, s.Type.Null()], {
      description: 'Where `settle` pays it out. Null: not yet known.',
    }),
  ),
}
const percentage = s.Small('Basis points of what flat shares leave of a line.', {
  minimum: 1,
  maximum: 10_000,
})
const flat = s.AmountIn(1, 'A flat amount for each unit sold, in minor units.')

const ShareIn = s.Documented(
  s.Body(
    { ...share, percentage_bps: s.Type.Optional(percentage), flat_amount: s.Type.Optional(flat) },
    {
      title: 'DistributionShare',
      description: 'Whom a part of what is sold is for: a percentage, or a flat amount.',
    },
  ),
  {
    type: null,
    properties: null,
    required: null,
    additionalProperties: null,
    oneOf: [
      s.Body(
        { ...share, percentage_bps: percentage },
        { title: 'PercentageShare', description: 'A percentage.' },
      ),
      s.Body(
        { ...share, flat_amount: flat },
        { title: 'FlatShare', description: 'A flat amount.' },
      ),
    ],
  },
)

const Shares = s.Type.Array(ShareIn, {
  minItems: 1,
  maxItems: 20,
  description:
    'The shares; their percentages sum to at most 10000. The rest stays with the business.',
})
const name = s.Line(1, 200, { description: 'Only your team sees it.' })

/** A share's destination, and since when it is set. */
const paidTo = {
  destination: s.Nullable(DestinationOut),
  destination_changed_at: s.Nullable(
    s.Timestamp(
      'When the destination was last named, changed or taken away; null: never since that is written down.',
    ),
  ),
  destination_changed_by: WhoRecord('Who changed it; null: not a person or key of the business.'),
  destination_usable_from: s.Nullable(
    s.Timestamp(
      'From when on the share is paid out: a destination that is named or changed after the plan was made cools off as a beneficiary does.',
    ),
  ),
}

export const DistributionIn = s.Body({
  name,
  currency: s.OneOf(saleCurrencies, { description: 'The currency of the products it is for.' }),
  shares: Shares,
  metadata: s.Type.Optional(s.MetadataIn),
})

export const DistributionChange = s.Body({
  name: s.Type.Optional(name),
  shares: s.Type.Optional(Shares),
  metadata: s.Type.Optional(s.MetadataIn),
})

export const DistributionRecord = s.RecordOf(
  'Distribution',
  'A plan that shares what products sell for.',
  {
    name,
    currency: s.OneOf(saleCurrencies, { description: 'The currency of the products it is for.' }),
    active: s.Type.Boolean({
      description: 'Whether it splits what is paid, and products can name it.',
    }),
    settlement_currency: s.OneOf(walletCurrencies, {
      description: 'What shares accrue in: `usd` for `eur`, which is collected in usd.',
    }),
    shares: s.Type.Array(
      s.Type.Object(
        {
          id: s.IdText('The share.'),
          name: s.Type.String({ description: 'Who it is for.' }),
          percentage_bps: s.Nullable(s.Small('Basis points of what flat shares leave of a line.')),
          flat_amount: s.Nullable(s.AmountOut('A flat amount for each unit sold.')),
          ...paidTo,
          accrued: s.AmountOut('What it holds now.'),
          settled: s.AmountOut('What payouts have taken out, those in flight included.'),
          removed: s.Type.Boolean({
            description:
              'True once it is taken off the plan. It gets nothing more, and shows while money that came back is in it.',
          }),
        },
        { title: 'DistributionShareRecord', description: 'A share, and what it holds.' },
      ),
      { description: 'The shares, in order; then those that were taken off.' },
    ),
  },
)

export const DistributionQuery = s.Body({
  ...s.pageQuery,
  active: s.Type.Optional(s.Type.Boolean({ description: 'Only those that are, or are not.' })),
  currency: s.Type.Optional(s.OneOf(saleCurrencies, { description: 'Only this currency.' })),
  search: s.searchQuery('Only those with this in their `name`, or as their `id`.', 'shoes'),
})

/** Columns of the list's export. */
export const exported = {
  id: 'text',
  created_at: 'time',
  name: 'text',
  active: 'text',
  currency: 'text',
  settlement_currency: 'text',
} as const

export const DistributionParams = s.Body({
  id: s.Type.String({ description: 'The distribution.' }),
})

export const PreviewIn = s.Body({
  amount: s.AmountIn(1, 'What a line comes to, in minor units.'),
  quantity: s.Type.Optional(s.Small('Units sold. Default 1.', { minimum: 1, maximum: 1_000_000 })),
})

export const PreviewRecord = s.Type.Object(
  {
    amount: s.AmountOut('As asked.'),
    quantity: s.Small('As asked.'),
    shares: s.Type.Array(
      s.Type.Object(
        {
          id: s.IdText('The share.'),
          name: s.Type.String({ description: 'Who it is for.' }),
          amount: s.AmountOut('What it would get.'),
          ...paidTo,
        },
        { title: 'DistributionPreviewShare', description: 'A share of the amount.' },
      ),
      { description: 'In order.' },
    ),
    rest: s.AmountOut(
      'What stays with the business, which bears the fee of the payment out of it.',
    ),
  },
  { title: 'DistributionPreview', description: 'The exact split of an amount.' },
)

export const SettlementRecord = s.Type.Object(
  {
    payouts: s.Type.Array(
      s.Type.Object(
        {
          share: s.IdText('The share.'),
          payout: s.IdText('The payout.'),
          reference: s.Type.String({ description: 'The payout’s reference.' }),
          amount: s.AmountOut('What it takes out; the fee of the payout comes out of it.'),
          ...paidTo,
        },
        { title: 'SettledShare', description: 'A share that was paid out.' },
      ),
      { description: 'The payouts made.' },
    ),
    skipped: s.Type.Array(
      s.Type.Object(
        {
          share: s.IdText('The share.'),
          amount: s.AmountOut('What it holds.'),
          code: s.Type.String({
            description:
              'Why not: `no_destination`, `destination_cooling_off` until the time that `destination_usable_from` says, `changed` just now, or the code a payout was refused with.',
          }),
          message: s.Type.String({ description: 'What to do.' }),
          ...paidTo,
        },
        { title: 'SkippedShare', description: 'A share that was not paid out.' },
      ),
      { description: 'Shares that hold money and were not paid out.' },
    ),
  },
  { title: 'DistributionSettlement', description: 'What a settlement paid out.' },
)
