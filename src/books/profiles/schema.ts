import * as s from '../../lib/schema.ts'

const locale = {
  description:
    'BCP 47: how the dashboard writes amounts and times, and reads amounts. Also the language of hosted pages and receipts, unless the payer asks for one. Files and records of the API stay the same.',
  examples: ['en-NG'],
}
const timeZone = {
  description: 'IANA: where the days and months of lists, exports and statements begin.',
  examples: ['Africa/Lagos'],
}
const receipts = {
  description:
    'Whether payers who gave an address are mailed receipts, of payments and of refunds.',
}
const name = { description: 'What payers and customers know it by.', examples: ['Ada’s Bakery'] }

export const logoTypes = s.Named('LogoType', ['image/png', 'image/jpeg', 'image/webp'] as const)

/** Optional fields: null clears them. */
const nullable = {
  color: s.Nullable(
    s.Type.String({
      pattern: '^#[0-9a-f]{6}$',
      'x-any-case': true,
      'x-message': 'must be # and six hex digits, such as #0a5c36',
      description:
        'Of buttons and links on hosted pages, as `#rrggbb`. Where it cannot be read, a shade of it is shown.',
      examples: ['#0a5c36'],
    }),
  ),
  statement_name: s.Nullable(
    s.Text(2, 22, {
      pattern: '^[A-Za-z0-9][A-Za-z0-9 .&-]*$',
      'x-message': 'may have only letters, digits, spaces and . & -',
      description:
        'What payers read on their bank statements, where a bank lets it be chosen: the name on accounts for payments.',
      examples: ['ADAS BAKERY'],
    }),
  ),
  support_email: s.Nullable(s.Email('Where payers who have a question write to.')),
  support_phone: s.Nullable(s.Phone('Where they call. E.164.')),
  address: s.Nullable(s.Address),
  tax_id: s.Nullable(
    s.Line(2, 50, { description: 'The number it pays tax under.', examples: ['12345678-0001'] }),
  ),
  registration_number: s.Nullable(
    s.Line(2, 50, {
      description: 'Its number in the register of companies.',
      examples: ['RC 1234567'],
    }),
  ),
  terms_url: s.Nullable(
    s.Type.String({
      maxLength: 2_000,
      pattern: '^https://',
      'x-message': 'must be an https URL',
      description: 'Its terms of business. https.',
      examples: ['https://example.com/terms'],
    }),
  ),
}

const Logo = s.Type.Object(
  {
    url: s.Type.String({ description: 'Where it is. Another logo has another address.' }),
    type: s.OneOf(logoTypes, { description: 'What it is, by its bytes.' }),
    width: s.Small('Pixels.'),
    height: s.Small('Pixels.'),
    sha256: s.Type.String({
      description:
        'Of what is served, in hex: the picture alone, without what else was in the file.',
    }),
  },
  {
    title: 'Logo',
    description: 'The picture beside its name on hosted pages, in mails and on invoices.',
  },
)

export const BusinessRecord = s.RecordOf(
  'Business',
  'The business that the key speaks for, in the key’s mode.',
  {
    name: s.Type.String(name),
    locale: s.Type.String(locale),
    time_zone: s.Type.String(timeZone),
    logo: s.Nullable(Logo),
    ...nullable,
    receipts: s.Type.Boolean(receipts),
  },
)

/** Base64 characters of the largest logo. */
const maxLogoText = 349_528

export const BusinessIn = s.Body({
  name: s.Type.Optional(s.Line(1, 200, name)),
  locale: s.Type.Optional(s.Text(2, 35, locale)),
  time_zone: s.Type.Optional(s.Text(1, 50, timeZone)),
  logo: s.Type.Optional(
    s.Nullable(
      s.Type.String({
        maxLength: maxLogoText,
        pattern: '^[A-Za-z0-9+/]+={0,2}$',
        'x-message': 'must be a picture in base64',
        contentEncoding: 'base64',
        description:
          'A PNG, JPEG or WebP picture in base64: at most 256 KiB, each side 32 to 1,024 pixels. Null takes it away.',
      }),
    ),
  ),
  ...(Object.fromEntries(
    Object.entries(nullable).map(([field, schema]) => [field, s.Type.Optional(schema)]),
  ) as {
    [K in keyof typeof nullable]: ReturnType<typeof s.Type.Optional<(typeof nullable)[K]>>
  }),
  receipts: s.Type.Optional(s.Type.Boolean(receipts)),
  metadata: s.Type.Optional(s.MetadataIn),
})
