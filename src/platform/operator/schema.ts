import { operatorActions } from '../../books/audit/audit.ts'
import { businessStatuses } from '../../books/businesses/businesses.ts'
import {
  Body,
  IdText,
  Line,
  Named,
  Nullable,
  OneOf,
  pageQuery,
  rangeQuery,
  Small,
  searchQuery,
  Text,
  Timestamp,
  Type,
} from '../../lib/schema.ts'

const statuses = Named('BusinessStatus', businessStatuses)
const status =
  'Suspended or closed: nothing new is collected or paid out. What is under way ends, and money that comes is booked.'
const madeBy = Nullable(
  Type.String({
    description: 'How to recognise the operator’s key or the person; null: a command.',
  }),
)
const Name = Line(1, 200, { description: 'The name payers see.', examples: ['Ada’s Bakery'] })

const businessFields = {
  id: IdText('The business.'),
  name: Type.String({ description: 'As it was made with; its people can change what payers see.' }),
  status: OneOf(statuses, { description: status }),
  reason: Nullable(
    Type.String({ description: 'Why it was stopped, as it is shown to the business.' }),
  ),
  plan: Nullable(IdText('The plan whose prices it has now; null: those of the installation.')),
  plans: Type.Array(
    Type.Object(
      {
        plan: Nullable(IdText('The plan; null: the prices of the installation.')),
        name: Nullable(Type.String({ description: 'Its name.' })),
        holds_from: Timestamp('From when on.'),
        made_by: madeBy,
      },
      { title: 'PlanOfBusiness', description: 'Which plan a business has from a date on.' },
    ),
    {
      description:
        'First those that it will have, then the one that it has, then those that it had.',
    },
  ),
  created_at: Timestamp('When it was made.'),
  updated_at: Timestamp('When its status last changed.'),
}
export const OperatorBusinessRecord = Type.Object(businessFields, {
  title: 'OperatorBusiness',
  description: 'A business, as the operator of the installation sees it.',
})
export const NewBusinessRecord = Type.Object(
  {
    ...businessFields,
    test_key: Type.String({ description: 'A key for test mode, which nothing shows again.' }),
    live_key: Type.String({ description: 'A key for live mode, which nothing shows again.' }),
  },
  { title: 'NewBusiness', description: 'A business with its first keys.' },
)

export const BusinessQuery = Body({
  ...pageQuery,
  search: searchQuery('Only those whose name has this in it, or whose id it is.', 'bakery'),
  status: Type.Optional(OneOf(statuses, { description: 'Only these.' })),
})
export const BusinessParams = Body({ id: Type.String({ description: 'The business.' }) })
export const BusinessIn = Body({
  name: Name,
  plan: Type.Optional(IdText('A plan, whose prices it has from a minute from now on.')),
})
export const BusinessChange = Body({
  status: OneOf(statuses, { description: `${status} \`active\`: it goes on.` }),
  reason: Type.Optional(
    Nullable(
      Text(1, 500, {
        description: 'Why, as it is shown to the business.',
        examples: ['We wait for your papers.'],
      }),
    ),
  ),
})

const holdsFrom = Type.Optional(
  Type.String({
    format: 'date-time',
    description:
      'From when on: a minute ahead at least, which is also what it is when it is left out.',
    examples: ['2027-01-01T00:00:00Z'],
  }),
)
export const PlanChoice = Body({
  plan: Nullable(IdText('The plan; null: the prices of the installation.')),
  holds_from: holdsFrom,
})

const whole = (description: string) => Small(description, { minimum: 0 })
const Rule = Type.Object(
  {
    flat: whole('In minor units.'),
    bps: whole('Basis points of the amount.'),
    min: whole('The least, in minor units.'),
    max: Nullable(whole('The most, in minor units; null: there is none.')),
  },
  {
    additionalProperties: false,
    title: 'PriceRule',
    description: '`flat` and `bps` of the amount, from `min` to `max`.',
  },
)
const mapOf = <T>(description: string, values: object) =>
  Type.Unsafe<Record<string, T>>({
    type: 'object',
    maxProperties: 200,
    additionalProperties: values,
    description,
  })
const parts = {
  rates: mapOf<string>('Exchange rates by pair, such as `usd_ngn`.', {
    type: 'string',
    maxLength: 40,
  }),
  spread_bps: mapOf<number>(
    'Taken on top of a rate: by pair, or `default`.',
    whole('Basis points.'),
  ),
  platform: mapOf<Rule>(
    'What a payout costs, by method and wallet, such as `bank_transfer.ngn`.',
    Rule,
  ),
  provider: mapOf<number>('What its rail charges, by method and wallet.', whole('Minor units.')),
  network: mapOf<number>(
    'What a blockchain costs, by network and wallet, such as `ethereum.usd`.',
    whole('Minor units.'),
  ),
  payment: mapOf<Rule>('What a payment costs, by method and currency, such as `card.ngn`.', Rule),
  deposit: mapOf<Rule>('What a deposit costs, in the same form.', Rule),
}
type Rule = { flat: number; bps: number; min: number; max: number | null }

const Prices = Type.Object(parts, {
  title: 'Prices',
  description: 'Fees and exchange rates: all of them.',
})
const PricesIn = Type.Partial(Type.Object(parts), {
  additionalProperties: false,
  title: 'PricesIn',
  description: 'Parts of the prices, each whole; what is left out stays as it was.',
})

export const PlanRecord = Type.Object(
  {
    id: IdText('The plan.'),
    name: Type.String({ description: 'What it is called.' }),
    versions: Type.Array(
      Type.Object(
        {
          number: Small('Versions count up, over all plans.'),
          holds_from: Timestamp('From when on it holds, until the next one does.'),
          prices: Prices,
          made_by: madeBy,
          created_at: Timestamp('When it was made.'),
        },
        { title: 'PlanVersion', description: 'The prices of a plan from a date on.' },
      ),
      { description: 'First those that will hold, then the one that holds, then those that held.' },
    ),
    created_at: Timestamp('When it was made.'),
  },
  { title: 'Plan', description: 'Prices by name, for any number of businesses.' },
)
export const PlanQuery = Body(pageQuery)
export const PlanParams = Body({ id: Type.String({ description: 'The plan.' }) })
export const PlanIn = Body({
  name: Line(1, 100, { description: 'What it is called.', examples: ['Growth'] }),
  prices: Type.Optional(PricesIn),
})
export const VersionIn = Body({ prices: PricesIn, holds_from: holdsFrom })

const keyFields = {
  id: IdText('The key.'),
  hint: Type.String({ description: 'Its beginning and end.' }),
  name: Type.String({ description: 'What it is for.' }),
  made_by: madeBy,
  reviews: Type.Boolean({
    description: 'Whether it may decide what waits for a person, such as papers.',
  }),
  created_at: Timestamp('When it was made.'),
  revoked_at: Nullable(Timestamp('When it was revoked.')),
  last_used_at: Nullable(Timestamp('When it was used last.')),
  last_used_from: Nullable(Type.String({ description: 'From where.' })),
}
export const OperatorKeyRecord = Type.Object(keyFields, {
  title: 'OperatorKey',
  description: 'A key of the operator, without its secret.',
})
export const OperatorKeyWithSecret = Type.Object(
  { ...keyFields, key: Type.String({ description: 'The key itself, which nothing shows again.' }) },
  { title: 'OperatorKeyWithSecret', description: 'A key as it is shown once.' },
)
export const OperatorKeyIn = Body({
  name: Line(1, 100, { description: 'What it is for.' }),
  reviews: Type.Optional(
    Type.Boolean({
      description: 'Whether it may decide what waits for a person, such as papers.',
      default: false,
    }),
  ),
})
export const OperatorKeyParams = Body({ id: Type.String({ description: 'The key.' }) })

export const OperatorAuditQuery = Body({
  ...pageQuery,
  action: Type.Optional(OneOf(operatorActions, { description: 'Only this action.' })),
  actor: Type.Optional(IdText('Only what this key of the operator or this person did.')),
  ...rangeQuery,
})
export const OperatorAuditParams = Body({ id: Type.String({ description: 'The entry.' }) })
