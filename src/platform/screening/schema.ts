import { reviewReasons } from '../../core/review.ts'
import * as s from '../../lib/schema.ts'

const statuses = s.Named('ScreeningStatus', ['waiting', 'released', 'refused', 'ended'] as const)
export type ReviewStatus = (typeof statuses)[number]
const reviewKinds = s.Named('ScreeningKind', ['payout', 'deposit', 'refund'] as const)
export type ReviewKind = (typeof reviewKinds)[number]
const matches = s.Named('ScreeningMatch', ['address', 'account', 'name'] as const)
const hitMatches = s.Named('ScreeningHitMatch', ['address', 'account', 'name', 'limit'] as const)
export const entryKinds = s.Named('ScreeningEntryKind', ['block', 'allow'] as const)

const note = s.Nullable(
  s.Type.String({ description: 'What who decided has written. No business is shown it.' }),
)

export const ReviewRecord = s.Type.Object(
  {
    id: s.IdText('The review.'),
    business: s.IdText('Whose it is.'),
    livemode: s.Type.Boolean({ description: '`true` for live keys, `false` for test keys.' }),
    kind: s.OneOf(reviewKinds, { description: 'What is held.' }),
    subject: s.IdText(
      'What is held: the `id` of a payout or a refund, or of the transaction of a deposit.',
    ),
    what: s.Type.String({
      description: 'The same in a few words.',
      examples: ['₦250,000.00 to 058 0123456789 ADA OKAFOR (rent-2026-11)'],
    }),
    reason: s.OneOf(reviewReasons, { description: 'Why a person looks at it.' }),
    hits: s.Type.Array(
      s.Type.Object(
        {
          list: s.Type.String({ description: 'The list.' }),
          matched: s.OneOf(hitMatches, {
            description: 'By what it was found there; `limit`: what came is above it.',
          }),
          value: s.Type.String({ description: 'That value.' }),
          reason: s.Nullable(
            s.Type.String({ description: 'Why it is there, where the list says so.' }),
          ),
        },
        { title: 'ScreeningHit', description: 'What was found.' },
      ),
      { description: 'What was found.' },
    ),
    status: s.OneOf(statuses, {
      description:
        '`waiting` for a person; `released`: it went on; `refused`: a payout or a refund failed, and its amount was given back, and a deposit stays held; `ended`: it ended before a decision.',
    }),
    created_at: s.Timestamp('Since when it waits, or has waited.'),
    decided_at: s.Nullable(s.Timestamp('When it ended.')),
    decided_by: s.Nullable(s.Type.String({ description: 'Who decided.' })),
    note,
  },
  { title: 'Review', description: 'What screening holds, or has held.' },
)
export const ReviewQuery = s.Body({
  ...s.pageQuery,
  status: s.Type.Optional(s.OneOf(statuses, { description: 'Only these.' })),
})
export const ReviewParams = s.Body({ id: s.Type.String({ description: 'The review.' }) })
const text = (description: string) => s.Type.Optional(s.Text(1, 500, { description }))
export const DecisionIn = s.Body({
  note: text('What was found, for those who look later. No business is shown it.'),
})

export const ReleaseIn = s.Body({
  note: text('What was found, for those who look later. No business is shown it.'),
  after_refusal: s.Type.Optional(
    s.Type.Boolean({
      description:
        'Release a deposit that was refused. Without it, what waits is released, and nothing else.',
    }),
  ),
})

export const EntryRecord = s.Type.Object(
  {
    id: s.IdText('The entry.'),
    kind: s.OneOf(entryKinds, {
      description:
        '`block`: payouts to it wait for a person; `allow`: hits of `list` are let through.',
    }),
    type: s.OneOf(matches, { description: 'What it is.' }),
    value: s.Type.String({ description: 'It, as it was given.' }),
    list: s.Nullable(
      s.Type.String({ description: 'Of what is allowed: the list whose hits are let through.' }),
    ),
    note: s.Nullable(s.Type.String({ description: 'Why.' })),
    made_by: s.Type.String({ description: 'Who did.' }),
    created_at: s.Timestamp('Since when it holds.'),
  },
  { title: 'ScreeningEntry', description: 'An entry of the operator’s own lists.' },
)
export const EntryIn = s.Body({
  kind: s.OneOf(entryKinds, { description: '`block` or `allow`.' }),
  type: s.OneOf(matches, {
    description:
      '`address` on a blockchain, in any case; `account`: its number, at whatever bank; `name`: all its words, in any order and case.',
  }),
  value: s.Text(1, 200, { description: 'What is looked for.', examples: ['0123456789'] }),
  list: s.Type.Optional(
    s.Text(1, 100, {
      description:
        'Of what is allowed: the list whose hits are let through. Hits of others still hold.',
      examples: ['sanctions'],
    }),
  ),
  note: text('Why.'),
})
export const EntryQuery = s.Body({ ...s.pageQuery })
export const EntryParams = s.Body({ id: s.Type.String({ description: 'The entry.' }) })
