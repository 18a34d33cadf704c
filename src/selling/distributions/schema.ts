import {
  AmountIn,
  AmountOut,
  Body,
  IdText,
  MetadataIn,
  Nullable,
  OneOf,
  pageQuery,
  RecordOf,
  Text,
  Type,
} from '../../lib/schema.ts'
import { DestinationIn } from '../../paying-out/destinations/destinations.ts'

const saleCurrencies = ['usd', 'ngn', 'eur'] as const

const ShareIn = Body(
  {
    id: Type.Optional(IdText('On a change: the share this is. Without it, the share of the same name.')),
    name: Text(1, 100, { description: 'Who it is for; once a distribution.' }),
    percentage_bps: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10_000, description: 'Basis points of what flat shares leave of a line.' }),
    ),
    flat_amount: Type.Optional(AmountIn(1, 'Or a flat amount for each unit sold, in minor units.')),
    destination: Type.Optional(
      Type.Union([DestinationIn, Type.Null()], { description: 'Where `settle` pays it out. Null: not yet known.' }),
    ),
  },
  { title: 'DistributionShare' },
)

const Shares = Type.Array(ShareIn, {
  minItems: 1,
  maxItems: 20,
  description: 'The shares; their percentages sum to at most 10000. The rest stays with the business.',
})
const name = Text(1, 200, { description: 'For your own eyes.' })

export const DistributionIn = Body({
  name,
  currency: OneOf(saleCurrencies, { description: 'The currency of the products it is for.' }),
  shares: Shares,
  metadata: Type.Optional(MetadataIn),
})

export const DistributionChange = Body({
  name: Type.Optional(name),
  shares: Type.Optional(Shares),
  metadata: Type.Optional(MetadataIn),
})

export const DistributionRecord = RecordOf('Distribution', 'A plan that shares what products sell for.', {
  name,
  currency: OneOf(saleCurrencies, { description: 'The currency of the products it is for.' }),
  active: Type.Boolean({ description: 'Whether it splits what is paid, and products can name it.' }),
  settlement_currency: OneOf(['usd', 'ngn'] as const, {
    description: 'What shares accrue in: `usd` for `eur`, which is collected in usd.',
  }),
  shares: Type.Array(
    Type.Object({
      id: IdText('The share.'),
      name: Type.String({ description: 'Who it is for.' }),
      percentage_bps: Nullable(Type.Integer({ description: 'Basis points of what flat shares leave of a line.' })),
      flat_amount: Nullable(AmountOut('A flat amount for each unit sold.')),
      destination: Nullable(
        Type.Unsafe<Record<string, unknown>>({
          type: 'object',
          additionalProperties: true,
          description: 'Where `settle` pays it out.',
        }),
      ),
      accrued: AmountOut('What it holds now.'),
      settled: AmountOut('What payouts have taken out, those in flight included.'),
      removed: Type.Boolean({
        description:
          'True once it is taken off the plan. It gets nothing more, and shows while money that came back is in it.',
      }),
    }),
    { description: 'The shares, in order; then those that were taken off.' },
  ),
})

export const DistributionQuery = Body({
  ...pageQuery,
  active: Type.Optional(Type.Boolean({ description: 'Only those that are, or are not.' })),
  currency: Type.Optional(OneOf(saleCurrencies, { description: 'Only this currency.' })),
})

export const DistributionParams = Body({ id: Type.String({ description: 'The distribution.' }) })

export const PreviewIn = Body({
  amount: AmountIn(1, 'What a line comes to, in minor units.'),
  quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Units sold. Default 1.' })),
})

export const PreviewRecord = Type.Object(
  {
    amount: AmountOut('As asked.'),
    quantity: Type.Integer({ description: 'As asked.' }),
    shares: Type.Array(
      Type.Object({
        id: IdText('The share.'),
        name: Type.String({ description: 'Who it is for.' }),
        amount: AmountOut('What it would get.'),
      }),
      { description: 'In order.' },
    ),
    rest: AmountOut('What stays with the business, which bears the fee of the payment out of it.'),
  },
  { title: 'DistributionPreview', description: 'The exact split of an amount.' },
)

export const SettlementRecord = Type.Object(
  {
    payouts: Type.Array(
      Type.Object({
        share: IdText('The share.'),
        payout: IdText('The payout.'),
        reference: Type.String({ description: 'The payout’s reference.' }),
        amount: AmountOut('What it takes out; the fee of the payout comes out of it.'),
      }),
      { description: 'The payouts made.' },
    ),
    skipped: Type.Array(
      Type.Object({
        share: IdText('The share.'),
        amount: AmountOut('What it holds.'),
        code: Type.String({
          description: 'Why not: `no_destination`, `changed` just now, or the code a payout was refused with.',
        }),
        message: Type.String({ description: 'What to do.' }),
      }),
      { description: 'Shares that hold money and were not paid out.' },
    ),
  },
  { title: 'DistributionSettlement', description: 'What a settlement paid out.' },
)
