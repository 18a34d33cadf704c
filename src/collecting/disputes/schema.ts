import { walletCurrencies } from '../../lib/money.ts'
import * as s from '../../lib/schema.ts'
import type { FileKind } from '../../rails/ports/disputes.ts'

export const disputeStatuses = s.Named('DisputeStatus', ['open', 'won', 'lost'])

const fields = {
  payment: s.Nullable(
    s.IdText('The payment; null where the money came to a virtual account and is no payment.'),
  ),
  transaction: s.IdText('The transaction by which the money came.'),
  customer: s.Nullable(s.IdText('The customer, when one is known.')),
  amount: s.AmountOut('What the payer’s bank takes back, which may be less than was paid.'),
  currency: s.OneOf(walletCurrencies, { description: 'The wallet that the money came to.' }),
  reason: s.Nullable(s.Type.String({ description: 'Why, in the provider’s words.' })),
  evidence_due_at: s.Nullable(
    s.Timestamp('Until when the provider takes evidence. Null: it says no time.'),
  ),
  status: s.OneOf(disputeStatuses, {
    description: 'Where it stands: `open` until the provider has decided it.',
  }),
  held: s.AmountOut('What the operator of the installation holds of the wallet for it.'),
  taken: s.AmountOut('What was taken from the wallet for it, as it was lost.'),
  closed_at: s.Nullable(s.Timestamp('When it was decided.')),
  provider_reference: s.Type.String({ description: 'The provider’s own id of it.' }),
}

export const DisputeRecord = s.RecordOf(
  'Dispute',
  'Money of a payment that the payer’s bank takes back until it is decided whose it is. Amounts in minor units.',
  fields,
)

export const OperatorDisputeRecord = s.RecordOf(
  'OperatorDispute',
  'A dispute, as the operator is shown it.',
  {
    ...fields,
    business: s.IdText('Whose payment it is.'),
    rail: s.Type.String({ description: 'The account at the provider.' }),
  },
)

export const DisputeQuery = s.Body({
  ...s.pageQuery,
  payment: s.Type.Optional(s.IdText('Only this payment’s.')),
  status: s.Type.Optional(s.OneOf(disputeStatuses, { description: 'Only this status.' })),
  ...s.rangeQuery,
})

export const OperatorDisputeQuery = s.Body({
  ...s.pageQuery,
  status: s.Type.Optional(s.OneOf(disputeStatuses, { description: 'Only this status.' })),
})

export const DisputeParams = s.Body({ id: s.Type.String({ description: 'The dispute.' }) })
export const PaymentParams = s.Body({ id: s.Type.String({ description: 'The payment.' }) })

const most = 'in minor units. Default: all that is left.'

export const SimulateDisputeIn = s.Body({
  amount: s.Type.Optional(s.AmountIn(1, `How much the payer’s bank takes back, ${most}`)),
  reason: s.Type.Optional(s.Text(1, 200, { description: 'Why; as a provider would say it.' })),
})

const outcomes = s.Named('SimulatedDisputeOutcome', ['won', 'lost'])
export const SimulateDisputeEndIn = s.Body({
  outcome: s.OneOf(outcomes, { description: 'How it is decided.' }),
})

export const HoldIn = s.Body({
  amount: s.Type.Optional(s.AmountIn(1, `How much of the wallet, ${most}`)),
})
export const TakeIn = s.Body({
  amount: s.Type.Optional(
    s.AmountIn(
      1,
      'How much of the wallet, in minor units, where nothing is held. Default: all that is left.',
    ),
  ),
})

// Evidence
// -------------------------------------------------------------------------------------------------

export const evidenceStatuses = s.Named('DisputeEvidenceStatus', [
  'draft',
  'sending',
  'sent',
  'refused',
])
export const fileKinds = s.Named('DisputeFileKind', [
  'receipt',
  'delivery',
  'communication',
  'other',
] as const satisfies readonly FileKind[])
const fileTypes = s.Named('DisputeFileType', ['application/pdf', 'image/png', 'image/jpeg'])

const texts = {
  customer_name: s.Line(1, 200, { description: 'The payer’s name.' }),
  customer_email: s.Email('The payer’s email address.'),
  customer_phone: s.Phone('The payer’s phone number.'),
  explanation: s.Text(1, 5_000, {
    description: 'What was sold and delivered, and why the payment is rightful.',
  }),
  delivery_address: s.Text(1, 500, { description: 'Where it was delivered to.' }),
  delivery_date: s.Day('When it was delivered.'),
}
type TextName = keyof typeof texts
const eachText = <T extends s.TSchema>(of: (schema: s.TSchema) => T) =>
  Object.fromEntries(Object.entries(texts).map(([name, schema]) => [name, of(schema)])) as Record<
    TextName,
    T
  >

const EvidenceFileRecord = s.Type.Object(
  {
    kind: s.OneOf(fileKinds, { description: 'What it shows.' }),
    type: s.OneOf(fileTypes, { description: 'By its content.' }),
    bytes: s.Small('Its size.'),
    sha256: s.Type.String({ description: 'The SHA-256 of its content, in hex.' }),
  },
  { title: 'DisputeFile', description: 'A file of evidence. Its content is encrypted at rest.' },
)

export const EvidenceRecord = s.Type.Object(
  {
    dispute: s.IdText('The dispute.'),
    status: s.OneOf(evidenceStatuses, {
      description:
        '`draft` until it is submitted; `sending` until the provider has it; `sent`; `refused` by the provider: correct it and submit it again.',
    }),
    accepts: s.Type.Boolean({ description: 'The business accepts the dispute instead.' }),
    ...eachText((schema) => s.Nullable(schema)),
    files: s.Type.Array(EvidenceFileRecord, { description: 'One of each kind at most.' }),
    needs: s.Type.Array(s.Type.String(), {
      description: 'The texts that are still missing before it can be submitted.',
    }),
    by_api: s.Type.Boolean({
      description:
        'Whether this server submits the answer. False: submit it in the provider’s own dashboard.',
    }),
    failure: s.Nullable(s.Type.String({ description: 'Why the provider refused it.' })),
    submitted_at: s.Nullable(s.Timestamp('When the provider had it.')),
  },
  { title: 'DisputeEvidence', description: 'What the business answers to a dispute.' },
)

/** The most bytes of a file, and the characters of base64 that they make. */
export const mostFileBytes = 1_048_576
const mostFileText = 1_398_104

const FileIn = s.Type.Optional(
  s.Nullable(
    s.Type.String({
      maxLength: mostFileText,
      pattern: '^[A-Za-z0-9+/]+={0,2}$',
      'x-message': 'must be a file of at most 1 MiB in base64',
      contentEncoding: 'base64',
      description: 'A PDF, PNG or JPEG file in base64: at most 1 MiB. Null removes it.',
    }),
  ),
)

export const EvidenceIn = s.Body({
  ...eachText((schema) => s.Type.Optional(s.Nullable(schema))),
  files: s.Type.Optional(
    s.Body(
      { receipt: FileIn, delivery: FileIn, communication: FileIn, other: FileIn },
      { title: 'DisputeFiles', description: 'Files of evidence, one of each kind.' },
    ),
  ),
})

/** What the export of the list shows. */
export const exported = {
  id: 'text',
  created_at: 'time',
  payment: 'text',
  transaction: 'text',
  customer: 'text',
  status: 'text',
  currency: 'text',
  amount: 'amount',
  held: 'amount',
  taken: 'amount',
  reason: 'text',
  evidence_due_at: 'time',
  closed_at: 'time',
  provider_reference: 'text',
} as const
