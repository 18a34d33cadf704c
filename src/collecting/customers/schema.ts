import * as s from '../../lib/schema.ts'

export const customerTypes = s.Named('CustomerType', ['individual', 'business'])
export const kycStatuses = s.Named('KycStatus', ['none', 'verified', 'rejected'])
export const idTypes = s.Named('IdentityDocumentType', [
  'bvn',
  'nin',
  'passport',
  'drivers_license',
  'voters_card',
  'cac',
  'tin',
])
export const documentStatuses = s.Named('IdentityDocumentStatus', ['pending', 'verified', 'failed'])
/** Why a person reviews a document. `no_rail`: no rail verifies its type. */
export const reviewReasons = s.Named('IdentityReviewReason', ['no_rail'])
export const documentFailures = s.Named('IdentityDocumentFailure', [
  'mismatch',
  'not_found',
  'rejected',
  'no_answer',
])

export type IdType = (typeof idTypes)[number]
export type ReviewReason = (typeof reviewReasons)[number]
export type KycStatus = (typeof kycStatuses)[number]

// Customers
// -------------------------------------------------------------------------------------------------

/** The most UTF-16 units of a name, also of one built from its parts. */
export const maxNameLength = 200

const Name = (maxLength: number, description: string, examples: string[]) =>
  s.Line(1, maxLength, { pattern: '\\S', 'x-message': 'must not be blank', description, examples })

const FullName = Name(
  maxNameLength,
  'The whole name. Made of `first_name` and `last_name` when it is left out.',
  ['Ada Okafor'],
)
const Email = s.Email('Where to write to.')
const Kind = (options: Record<string, unknown> = {}) =>
  s.OneOf(customerTypes, { description: 'A person or a company.', ...options })

/** Fields that null clears. */
const nullable = {
  first_name: s.Nullable(Name(100, 'Given name.', ['Ada'])),
  last_name: s.Nullable(Name(100, 'Family name.', ['Okafor'])),
  phone: s.Nullable(s.Phone('E.164.')),
  address: s.Nullable(s.Address),
  reference: s.Nullable(s.Reference),
}

const optionalFields = {
  first_name: s.Type.Optional(nullable.first_name),
  last_name: s.Type.Optional(nullable.last_name),
  phone: s.Type.Optional(nullable.phone),
  address: s.Type.Optional(nullable.address),
  reference: s.Type.Optional(nullable.reference),
  metadata: s.Type.Optional(s.MetadataIn),
}

export const CustomerIn = s.Documented(
  s.Body({
    name: s.Type.Optional(FullName),
    email: Email,
    type: s.Type.Optional(Kind({ default: 'individual' })),
    ...optionalFields,
  }),
  s.when({ not: { required: ['name'] } }, { required: ['first_name', 'last_name'] }),
)

export const CustomerUpdate = s.Body({
  name: s.Type.Optional(FullName),
  email: s.Type.Optional(Email),
  type: s.Type.Optional(Kind()),
  ...optionalFields,
})

export const CustomerRecord = s.RecordOf('Customer', 'Someone who pays you.', {
  reference: nullable.reference,
  name: FullName,
  first_name: nullable.first_name,
  last_name: nullable.last_name,
  email: Email,
  phone: nullable.phone,
  type: Kind(),
  kyc_status: s.OneOf(kycStatuses, {
    description:
      '`verified`: an identity document is verified; `rejected`: all that were given failed.',
  }),
  address: nullable.address,
})

export const CustomerQuery = s.Body({
  ...s.pageQuery,
  ...s.rangeQuery,
  email: s.emailQuery('customers of'),
  reference: s.referenceQuery,
  search: s.searchQuery(
    'Only those whose name or email has, for each word of this text, a word that begins with it (case and accents do not matter), and those with this text as the beginning of their `reference`, or as their `phone` or `id`.',
    'ada oka',
  ),
})

export const CustomerParams = s.Body({ id: s.Type.String({ description: 'The customer.' }) })

// Identity documents
// -------------------------------------------------------------------------------------------------

const DocumentType = s.OneOf(idTypes, { description: 'Which document.' })

export const DocumentIn = s.Body({
  id_type: DocumentType,
  id_number: s.Text(1, 40, {
    description: 'Its number, in the form of its type. Stored encrypted, and never shown again.',
    examples: ['22123456789'],
  }),
  bank_code: s.Type.Optional(
    s.Text(1, 20, {
      description:
        'The bank of an account of its holder, which some rails compare the number with.',
      examples: ['058'],
    }),
  ),
  account_number: s.Type.Optional(
    s.Type.String({
      pattern: '^[0-9]{10}$',
      'x-message': 'must be ten digits',
      description:
        'That account. Stored encrypted until the number is verified or not, and never shown.',
      examples: ['0123456789'],
    }),
  ),
})

const documentFields = {
  id_type: DocumentType,
  id_number: s.Type.String({
    description: 'The number, hidden but for its last four characters.',
    examples: ['*******6789'],
  }),
}
const documentTimes = {
  created_at: s.Timestamp('When a document of this type was first given.'),
  updated_at: s.Timestamp('When it last changed.'),
}

const DocumentReview = s.Nullable(
  s.Type.Object(
    {
      reason: s.OneOf(reviewReasons, {
        description: '`no_rail`: no rail of the server verifies documents of its type.',
      }),
      since: s.Timestamp('Since when it waits.'),
    },
    {
      title: 'IdentityDocumentReview',
      description:
        'That it waits for a person of the operator’s; null: it does not, or not any more.',
    },
  ),
)

export const DocumentRecord = s.Type.Object(
  {
    ...documentFields,
    verified_at: s.Nullable(s.Timestamp('When it was verified; null: it was not.')),
    status: s.OneOf(documentStatuses, {
      description:
        'Whether the document was verified; `pending`: the rail looks into it, or a person does, and an event tells its end.',
    }),
    failure_reason: s.Nullable(
      s.OneOf(documentFailures, {
        description:
          '`mismatch`: it is someone else’s; `not_found`: its issuer knows no such number; `rejected`: the rail does not look into it; `no_answer`: the rail did not answer for three days.',
      }),
    ),
    review: DocumentReview,
    ...documentTimes,
  },
  { title: 'IdentityDocument', description: 'What came of verifying an identity document.' },
)

/** The document in its events. */
export const CustomerDocumentRecord = s.Type.Object(
  {
    customer: s.IdText('Whose it is.'),
    ...DocumentRecord.properties,
    livemode: s.Type.Boolean({ description: '`true` for live keys, `false` for test keys.' }),
    metadata: s.MetadataOut,
  },
  {
    title: 'CustomerDocument',
    description: 'An identity document of a customer, with the customer’s metadata.',
  },
)

export const VerifiedDocumentRecord = s.Type.Object(
  {
    ...documentFields,
    verified_at: s.Timestamp('When it was verified.'),
    status: s.OneOf(documentStatuses, { description: 'Only verified documents are listed.' }),
    failure_reason: s.Nullable(
      s.OneOf(documentFailures, { description: 'Null: it did not fail.' }),
    ),
    review: DocumentReview,
    ...documentTimes,
  },
  { title: 'VerifiedIdentityDocument', description: 'A verified identity document of a customer.' },
)

// Erasure and export
// -------------------------------------------------------------------------------------------------

const erasedAt = s.Timestamp('When it was erased.')

export const CustomerErasure = s.Type.Object(
  {
    id: s.IdText('The customer.'),
    livemode: s.Type.Boolean({ description: '`true` for live keys, `false` for test keys.' }),
    erased_at: erasedAt,
  },
  { title: 'CustomerErasure', description: 'That a customer is erased.' },
)

/** The payload of the event. */
export const ErasedCustomer = s.RecordOf(
  'ErasedCustomer',
  'A customer of whom nothing personal is kept.',
  {
    erased_at: erasedAt,
  },
)

export const CustomerData = s.Type.Object(
  {
    exported_at: s.Timestamp('When it was read.'),
    customer: s.OpenObject('CustomerDataRow', 'The customer, with `deleted_at`.'),
    identity_documents: s.Type.Array(
      s.OpenObject(
        'CustomerDataDocument',
        'An identity document, whose number is hidden but for its last four characters.',
      ),
      { description: 'The newest of each type, whatever came of it.' },
    ),
    records: s.Type.Unsafe<Record<string, Record<string, unknown>[]>>({
      type: 'object',
      additionalProperties: true,
      title: 'CustomerDataRecords',
      description:
        'By their kind, such as `payments`, `invoices` and `events`: the newest 5,000 of each, as the database has them.',
    }),
    cut: s.Type.Array(s.Type.String(), {
      description: 'Kinds of which there are more than are given.',
    }),
  },
  { title: 'CustomerData', description: 'What is kept of a customer.' },
)

// The review of documents by a person
// ----------------------------------------------------------------------------------------

const reviewFailures = s.Named('IdentityReviewFailure', ['mismatch', 'not_found', 'rejected'])

export const ReviewRecord = s.Type.Object(
  {
    id: s.IdText('The review: another each time that a document is given.'),
    business: s.IdText('Whose customer it is.'),
    livemode: s.Type.Boolean({ description: '`true` for live keys, `false` for test keys.' }),
    customer: s.IdText('Whose document it is.'),
    customer_name: s.Type.String({
      description: 'The name that the document must bear.',
      examples: ['Ada Okafor'],
    }),
    customer_type: Kind(),
    ...documentFields,
    status: s.OneOf(documentStatuses, {
      description: '`pending`: it waits. Otherwise what was decided.',
    }),
    reason: s.OneOf(reviewReasons, { description: 'Why a person looks at it.' }),
    created_at: s.Timestamp('Since when it waits, or has waited.'),
    failure_reason: s.Nullable(s.OneOf(documentFailures, { description: 'Why it was rejected.' })),
    note: s.Nullable(
      s.Type.String({ description: 'What who decided has written. No business is shown it.' }),
    ),
    reviewed_by: s.Nullable(s.Type.String({ description: 'Who decided.' })),
    reviewed_at: s.Nullable(s.Timestamp('When it was decided.')),
  },
  {
    title: 'DocumentReview',
    description: 'A document of a customer that a person looks at, or has looked at.',
  },
)
export const ReviewQuery = s.Body({
  ...s.pageQuery,
  status: s.Type.Optional(s.OneOf(documentStatuses, { description: 'Only these.' })),
})
export const ReviewParams = s.Body({ id: s.Type.String({ description: 'The review.' }) })
const Note = s.Text(1, 500, {
  description: 'What was found, for those who look later. No business is shown it.',
  examples: ['Compared with the document that the merchant sent.'],
})
export const Approval = s.Body({ note: s.Type.Optional(Note) })
export const Rejection = s.Body({
  reason: s.OneOf(reviewFailures, {
    description:
      '`mismatch`: it is someone else’s; `not_found`: its issuer knows no such number; `rejected`: it is no such document, or cannot be looked at.',
  }),
  note: s.Type.Optional(Note),
})
export const ShownNumber = s.Type.Object(
  { id_number: s.Type.String({ description: 'The whole number.' }) },
  {
    title: 'ShownNumber',
    description: 'The number of a document, as it is shown to who reviews it.',
  },
)

export type Customer = s.Static<typeof CustomerRecord>
export type IdentityDocument = s.Static<typeof DocumentRecord>
export type VerifiedIdentityDocument = s.Static<typeof VerifiedDocumentRecord>

/** Columns of the list's export. */
export const exported = {
  id: 'text',
  created_at: 'time',
  reference: 'text',
  name: 'text',
  first_name: 'text',
  last_name: 'text',
  email: 'text',
  phone: 'text',
  type: 'text',
  kyc_status: 'text',
  'address.line1': 'text',
  'address.city': 'text',
  'address.state': 'text',
  'address.postal_code': 'text',
  'address.country': 'text',
} as const
