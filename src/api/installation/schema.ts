import {
  AmountOut,
  Body,
  Count,
  IdText,
  Named,
  Nullable,
  OneOf,
  OpenObject,
  pageQuery,
  Small,
  Text,
  Timestamp,
  Type,
} from '../../lib/schema.ts'
import { incidentKinds } from '../../platform/incidents/incidents.ts'

const Mode = OneOf(['live', 'test'], { description: 'The mode that it is of.' })
const Rail = Type.String({ description: 'The name of the account at a provider.' })

const Finding = Type.Object(
  {
    check: Type.String({ description: 'What was looked at.', examples: ['backups'] }),
    level: OneOf(['ok', 'warn', 'fail'], {
      description:
        '`warn`: works, and should be looked at. `fail`: does not work, or will stop to.',
    }),
    found: Type.String({ description: 'What was found.' }),
    todo: Nullable(
      Type.String({ description: 'What a person does about it; null: nothing is to be done.' }),
    ),
  },
  { title: 'Finding', description: 'What a check of the installation found.' },
)
export const InstallationHealth = Type.Object(
  {
    healthy: Type.Boolean({ description: 'Whether nothing fails.' }),
    failures: Small('How many fail.'),
    warnings: Small('How many should be looked at.'),
    findings: Type.Array(Finding),
  },
  { title: 'InstallationHealth', description: 'What may be wrong with the installation.' },
)

const RailAccount = Type.Object(
  {
    mode: Mode,
    name: Rail,
    provider: Type.String({ description: 'At whom it is.' }),
    businesses: Nullable(
      Type.Array(IdText('A business.'), { description: 'Whom it serves; null: all.' }),
    ),
    routes: Type.Array(
      Type.Object(
        {
          route: Type.String({ description: 'What goes to it.', examples: ['payout.ngn'] }),
          before: Small('How many accounts come before it there.'),
        },
        { title: 'RailRoute', description: 'What goes to an account.' },
      ),
    ),
    key: OneOf(['works', 'refused', 'unknown'], {
      description: 'Whether the provider takes its key.',
    }),
    obstacle: Nullable(Type.String({ description: 'Why payouts by it wait; null: they do not.' })),
    balances: Type.Array(
      Type.Object(
        {
          currency: Type.String({ description: 'The currency.' }),
          amount: AmountOut('In minor units.'),
        },
        { title: 'RailBalance', description: 'What an account holds to pay out from.' },
      ),
    ),
    webhook: Nullable(
      Type.String({ description: 'Where the provider is to send webhooks; null: it sends none.' }),
    ),
    warnings: Type.Array(Type.String(), { description: 'What a person should read.' }),
  },
  { title: 'RailAccount', description: 'An account at a provider, and how it stands.' },
)
export const RailAccounts = Type.Object(
  { accounts: Type.Array(RailAccount) },
  { title: 'RailAccounts', description: 'The accounts at providers: live ones first.' },
)

const incidentStatuses = Named('IncidentStatus', ['open', 'closed'])
export const IncidentRecord = Type.Object(
  {
    id: IdText('The incident.'),
    status: OneOf(incidentStatuses, { description: 'Nothing closes one but a person.' }),
    kind: Type.String({ description: `What it is of: ${Object.keys(incidentKinds).join(', ')}.` }),
    todo: Type.String({ description: 'What a person does about one of this kind.' }),
    mode: Mode,
    rail: Rail,
    subject: Nullable(Type.String({ description: 'What it is about; null: the account.' })),
    business: Nullable(IdText('Whose record it is about, where it is about one.')),
    detail: OpenObject('IncidentDetail', 'What helps to look into it.'),
    note: Nullable(Type.String({ description: 'What who closed it has written.' })),
    times: Count('How often it was found while it was open.'),
    seen_at: Timestamp('When it was found last.'),
    closed_by: Nullable(Type.String({ description: 'Who closed it.' })),
    closed_at: Nullable(Timestamp('When it was closed.')),
    created_at: Timestamp('When it was found first.'),
  },
  {
    title: 'Incident',
    description: 'Something that a person must look at, at an account of a provider.',
  },
)
export const IncidentQuery = Body({
  ...pageQuery,
  status: Type.Optional(OneOf(incidentStatuses, { description: 'Only these.' })),
})
export const IncidentParams = Body({ id: Type.String({ description: 'The incident.' }) })
export const IncidentClosing = Body({
  note: Type.Optional(
    Text(1, 500, {
      description: 'What was found or done.',
      examples: ['The provider has mended it.'],
    }),
  ),
})

const Queue = Type.Object(
  {
    queue: OneOf(['timers', 'jobs', 'given_up', 'webhooks'], {
      description:
        '`timers`: due, and not started. `jobs`: wait for a worker. `given_up`: failed until no try was left. `webhooks`: deliveries to businesses.',
    }),
    task: Nullable(Type.String({ description: 'The kind of job; null: deliveries have none.' })),
    due: Count('How many are due now and not taken.'),
    late: Count('How many of those are due for more than five minutes; of what was given up, all.'),
  },
  { title: 'Queue', description: 'What waits to be done by a worker.' },
)
const ProviderQueue = Type.Object(
  {
    mode: Mode,
    rail: Rail,
    waiting: Count('How many are still to be applied.'),
    oldest_at: Timestamp('When the oldest of them came.'),
  },
  { title: 'ProviderQueue', description: 'Webhooks of a provider that are still to be applied.' },
)
const FailingEndpoint = Type.Object(
  {
    id: IdText('The endpoint.'),
    business: IdText('Whose it is.'),
    mode: Mode,
    host: Type.String({ description: 'Of its URL, the host: the rest may be a secret.' }),
    failed: Count('How many of its deliveries within a day have failed for good.'),
    waiting: Count('How many are tried again.'),
    since: Timestamp('Since when nothing came.'),
  },
  {
    title: 'FailingEndpoint',
    description: 'A webhook endpoint of a business that received nothing within a day.',
  },
)
const FollowedNetwork = Type.Object(
  {
    network: Type.String({ description: 'The network.' }),
    tip: Count('The number of its newest block.'),
    tip_at: Timestamp('When that was first seen.'),
    behind: Count('How many blocks are still to be read.'),
    read_at: Timestamp('When it was last read.'),
    troubles: Type.Array(Type.String(), {
      description: 'What keeps it from being read or paid on.',
    }),
  },
  { title: 'FollowedNetwork', description: 'How far a network of stablecoins is followed.' },
)
export const Queues = Type.Object(
  {
    queues: Type.Array(Queue),
    provider_webhooks: Type.Array(ProviderQueue),
    failing_endpoints: Type.Array(FailingEndpoint),
    networks: Type.Array(FollowedNetwork),
    network_warnings: Type.Array(Type.String(), {
      description: 'What a person should look at, of networks.',
    }),
  },
  { title: 'Queues', description: 'What waits, and who does not answer.' },
)

const verificationStatuses = Named('VerificationStatus', [
  'waiting',
  'running',
  'clean',
  'differs',
  'unfinished',
])
const LedgerDifference = Type.Object(
  {
    check: Type.String({ description: 'What does not hold.' }),
    business: IdText('Of which business.'),
    livemode: Type.Boolean({ description: '`true` for live mode.' }),
    what: Type.String({ description: 'Of what in its books.' }),
    expected: Nullable(Type.String({ description: 'What the postings come to.' })),
    found: Nullable(Type.String({ description: 'What stands there.' })),
  },
  { title: 'LedgerDifference', description: 'Something in the books that does not agree.' },
)
export const VerificationRecord = Type.Object(
  {
    id: IdText('The verification.'),
    status: OneOf(verificationStatuses, {
      description:
        '`waiting`: for a worker. `clean`: all agrees. `differs`: `differences` says what does not. `unfinished`: it ended without a result, because its process did; start another.',
    }),
    checks: Small('How many checks there are.'),
    checks_done: Small('How many of them are done.'),
    checks_left: Small('How many are left.'),
    doing: Nullable(Type.String({ description: 'The check that is under way, in words.' })),
    seconds: Small('For how long it has run.'),
    accounts: Nullable(Count('How many accounts there were; null until it has ended.')),
    postings: Nullable(Count('How many postings there were.')),
    closed_at: Nullable(
      Timestamp(
        'When the ledger had been closed: what was posted before was taken as it was closed, and not read again. `bursar ledger verify --whole` reads it. Null: all of history was read, or it has no result.',
      ),
    ),
    differences: Type.Array(LedgerDifference, {
      description: 'What does not agree: the first 100.',
    }),
    differences_count: Count('How many differences there are.'),
    made_by: Nullable(
      Type.String({ description: 'How to recognise the operator’s key or the person.' }),
    ),
    created_at: Timestamp('When it was asked for.'),
    began_at: Nullable(Timestamp('When a worker began it.')),
    ended_at: Nullable(Timestamp('When it ended.')),
  },
  { title: 'LedgerVerification', description: 'A verification of the ledger.' },
)
export const VerificationQuery = Body(pageQuery)
export const VerificationParams = Body({ id: Type.String({ description: 'The verification.' }) })
