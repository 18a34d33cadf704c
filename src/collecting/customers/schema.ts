import {
  Body,
  MetadataIn,
  Nullable,
  OneOf,
  pageQuery,
  RecordOf,
  Reference,
  type Static,
  Text,
  Timestamp,
  Type,
} from '../../lib/schema.ts'

export const customerTypes = ['individual', 'business'] as const
export const kycStatuses = ['none', 'verified', 'rejected'] as const
export const idTypes = ['bvn', 'nin', 'passport', 'drivers_license', 'voters_card', 'cac', 'tin'] as const
export const documentStatuses = ['verified', 'failed'] as const
export const documentFailures = ['mismatch', 'not_found'] as const

export type IdType = (typeof idTypes)[number]
export type KycStatus = (typeof kycStatuses)[number]

// Customers ----------------------------------------------------------------------------------------------------------

/** The most that a name holds, also one that is made of its parts; in UTF-16 units. */
export const maxNameLength = 200

const Name = (maxLength: number, description: string, examples: string[]) =>
  Text(1, maxLength, { pattern: '\\S', 'x-message': 'must not be blank', description, examples })

const FullName = Name(maxNameLength, 'The whole name. Made of `first_name` and `last_name` when it is left out.', [
  'Ada Okafor',
])
const Email = Type.String({
  format: 'email',
  maxLength: 254,
  description: 'Where to write to.',
  examples: ['ada@example.com'],
})
const Kind = (options: Record<string, unknown> = {}) =>
  OneOf(customerTypes, { description: 'A person or a company.', ...options })

const part = (description: string, examples: string[]) => Type.Optional(Text(1, 200, { description, examples }))
const Address = Type.Object(
  {
    line1: part('Street and number.', ['12 Allen Avenue']),
    city: part('City.', ['Ikeja']),
    state: part('State or region.', ['Lagos']),
    postal_code: part('Postal code.', ['100271']),
    country: Type.Optional(
      Type.String({
        pattern: '^[A-Z]{2}$',
        'x-message': 'must be two capital letters, such as NG',
        description: 'ISO 3166-1 alpha-2 code, in capitals.',
        examples: ['NG'],
      }),
    ),
  },
  { additionalProperties: false, description: 'Where the customer is. A new address replaces the whole old one.' },
)

/** What may be empty: null clears it. */
const nullable = {
  first_name: Nullable(Name(100, 'Given name.', ['Ada'])),
  last_name: Nullable(Name(100, 'Family name.', ['Okafor'])),
  phone: Nullable(
    Type.String({
      pattern: '^\\+[1-9][0-9]{6,14}$',
      'x-message': 'must be in E.164, such as +2348012345678',
      description: 'E.164.',
      examples: ['+2348012345678'],
    }),
  ),
  address: Nullable(Address),
  reference: Nullable(Reference),
}

const optionalFields = {
  first_name: Type.Optional(nullable.first_name),
  last_name: Type.Optional(nullable.last_name),
  phone: Type.Optional(nullable.phone),
  address: Type.Optional(nullable.address),
  reference: Type.Optional(nullable.reference),
  metadata: Type.Optional(MetadataIn),
}

export const CustomerIn = Body({
  name: Type.Optional(FullName),
  email: Email,
  type: Type.Optional(Kind({ default: 'individual' })),
  ...optionalFields,
})

export const CustomerUpdate = Body({
  name: Type.Optional(FullName),
  email: Type.Optional(Email),
  type: Type.Optional(Kind()),
  ...optionalFields,
})

export const CustomerRecord = RecordOf('Customer', 'Someone who pays you.', {
  reference: nullable.reference,
  name: FullName,
  first_name: nullable.first_name,
  last_name: nullable.last_name,
  email: Email,
  phone: nullable.phone,
  type: Kind(),
  kyc_status: OneOf(kycStatuses, {
    description: '`verified`: an identity document is verified; `rejected`: all that were given failed.',
  }),
  address: nullable.address,
})

export const CustomerQuery = Body({
  ...pageQuery,
  email: Type.Optional(Text(1, 254, { description: 'Only this email address, whatever its case.' })),
  search: Type.Optional(
    Text(1, 200, {
      description:
        'Only those whose name or email has, for each word of this text, a word that begins with it. Case and accents do not matter.',
      examples: ['ada oka'],
    }),
  ),
})

export const CustomerParams = Body({ id: Type.String({ description: 'The customer.' }) })

// Identity documents -------------------------------------------------------------------------------------------------

const DocumentType = OneOf(idTypes, { description: 'Which document.' })

export const DocumentIn = Body({
  id_type: DocumentType,
  id_number: Text(1, 40, {
    description: 'Its number, in the form of its type. Stored encrypted, and never shown again.',
    examples: ['22123456789'],
  }),
})

const documentFields = {
  id_type: DocumentType,
  id_number: Type.String({
    description: 'The number, hidden but for its last four characters.',
    examples: ['*******6789'],
  }),
}
const documentTimes = {
  created_at: Timestamp('When a document of this type was first given.'),
  updated_at: Timestamp('When it last changed.'),
}

export const DocumentRecord = Type.Object(
  {
    ...documentFields,
    verified_at: Nullable(Timestamp('When it was verified; null: it was not.')),
    status: OneOf(documentStatuses, { description: 'Whether the document was verified.' }),
    failure_reason: Nullable(
      OneOf(documentFailures, {
        description: '`mismatch`: it is someone else’s; `not_found`: its issuer knows no such number.',
      }),
    ),
    ...documentTimes,
  },
  { title: 'IdentityDocument', description: 'What came of verifying an identity document.' },
)

export const VerifiedDocumentRecord = Type.Object(
  {
    ...documentFields,
    verified_at: Timestamp('When it was verified.'),
    status: OneOf(['verified'] as const, { description: 'Only verified documents are listed.' }),
    failure_reason: Type.Null({ description: 'Null: it did not fail.' }),
    ...documentTimes,
  },
  { title: 'VerifiedIdentityDocument', description: 'A verified identity document of a customer.' },
)

export type Customer = Static<typeof CustomerRecord>
export type IdentityDocument = Static<typeof DocumentRecord>
export type VerifiedIdentityDocument = Static<typeof VerifiedDocumentRecord>
