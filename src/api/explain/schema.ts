import * as s from '../../lib/schema.ts'

export const kinds = s.Named('TimelineEntryKind', [
  'state',
  'posting',
  'event',
  'delivery',
  'request',
  'change',
  'provider',
  'waiting',
] as const)

const Ids = (title: string, description: string) =>
  s.Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    title,
    description,
  })

const Entry = s.Type.Object(
  {
    at: s.Timestamp(
      'When. Of `request`, `change` and tries to deliver, by the server’s clock; of all else, in the time of the mode.',
    ),
    kind: s.OneOf(kinds, {
      description:
        '`state`: it was made, sent, ended; `posting`: the ledger moved an amount; `event`: an event was emitted; `delivery`: a try to deliver one to an endpoint, and the answer; `request`, `change`: who asked for it, or changed it (only with the scope `manage`); `provider`: what the rail knows it by; `waiting`: what is going to happen.',
    }),
    title: s.Type.String({ description: 'It in a sentence, for people.' }),
    detail: s.OpenObject('TimelineDetail', 'The facts of it, by the kind. Amounts in minor units.'),
    ids: Ids('TimelineIds', 'The records that it is of, by what they are.'),
  },
  { title: 'TimelineEntry', description: 'One thing that happened, or is going to.' },
)

export const TimelineRecord = s.Type.Object(
  {
    id: s.IdText('What was asked for.'),
    kind: s.Type.String({ description: 'What it is, such as `payout`.', examples: ['payout'] }),
    status: s.Nullable(
      s.Type.String({ description: 'Where it stands; null of what has no status.' }),
    ),
    entries: s.Type.Array(Entry, {
      description: 'Oldest first; what is going to happen comes last. At most 500.',
    }),
    related: s.Type.Unsafe<Record<string, string[]>>({
      type: 'object',
      additionalProperties: { type: 'array', items: { type: 'string' } },
      title: 'RelatedRecords',
      description: 'The ids of the records that it is about or has to do with, by what they are.',
    }),
    truncated: s.Type.Boolean({
      description:
        'Whether there is more than is shown: the newest 500 entries, of the newest 20 records of each kind.',
    }),
    livemode: s.Type.Boolean({ description: '`true` for live keys, `false` for test keys.' }),
  },
  { title: 'Timeline', description: 'Everything that became of a record, in the order of time.' },
)

export const ExplainParams = s.Body({ id: s.Type.String({ description: 'The id of any record.' }) })
