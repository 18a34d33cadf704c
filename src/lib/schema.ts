/**
 * The parts of request and record schemas. One schema validates, types, documents and serialises.
 * `x-message` describes a pattern in words, for the refusal.
 */
import type { Static, TObject, TProperties, TSchema } from 'typebox'
import { refuseInput } from './errors.ts'
import { cryptoCurrencies, currencies, maxAmount, walletCurrencies } from './money.ts'
import { Type } from './typebox.ts'

export { type Static, type TObject, type TProperties, type TSchema, Type }

const names = new WeakMap<readonly string[], string>()

/**
 * Names an enumeration: every `OneOf` of its values becomes one schema in OpenAPI and one type in
 * the SDKs.
 */
export function Named<const V extends readonly string[]>(title: string, values: V): V {
  names.set(values, title)
  return values
}

Named('Currency', currencies)
Named('WalletCurrency', walletCurrencies)
Named('CryptoCurrency', cryptoCurrencies)

/** One of several texts, named by `Named`, or by `options.title` if built in place. */
export function OneOf<const V extends readonly string[]>(
  values: V,
  options: Record<string, unknown> = {},
) {
  const title = names.get(values)
  return Type.Unsafe<V[number]>({
    type: 'string',
    enum: [...values],
    ...(title ? { title } : {}),
    ...options,
  })
}

/**
 * Documents a schema differently from what the validator checks, where a module checks more or has
 * a better error message. Null keywords are removed.
 */
export function Documented<S extends TSchema>(schema: S, document: Record<string, unknown>): S {
  return { ...schema, 'x-document': document }
}

/** For `Documented`: an object with further properties. */
export const extending = (base: TSchema, more: TProperties): Record<string, unknown> => ({
  type: null,
  properties: null,
  required: null,
  allOf: [base, Type.Object(more)],
})

/** For `Documented`: a rule between fields, which validators know and SDKs ignore. */
export const when = (
  condition: object,
  rule: object,
  otherwise?: object,
): Record<string, unknown> =>
  Object.fromEntries(
    [
      ['if', condition],
      ['then', rule],
      ['else', otherwise],
    ]
      .filter(([, part]) => part)
      .map(([name, part]) => [name, known(part)]),
  )

/**
 * Puts rules into the form that linters accept: required fields are also properties, and rules are
 * in an `allOf`.
 */
function known(rule: unknown): unknown {
  if (Array.isArray(rule)) return rule.map(known)
  if (typeof rule !== 'object' || rule === null) return rule
  const { required, properties, ...rest } = rule as { required?: string[]; properties?: object }
  const parts = Object.fromEntries(Object.entries(rest).map(([name, part]) => [name, known(part)]))
  const fields = {
    ...Object.fromEntries((required ?? []).map((name) => [name, {}])),
    ...properties,
  }
  if (Object.keys(fields).length === 0) return parts
  return {
    ...parts,
    allOf: [{ type: 'object' }, { ...(required ? { required } : {}), properties: fields }],
  }
}

/**
 * A type or null, as `type: [.., 'null']` without a union. The serialiser accepts bigints for plain
 * `integer` only, so these are `nullable`, which OpenAPI shows in JSON Schema's form.
 */
export function Nullable<S extends TSchema>(schema: S) {
  const plain = schema as unknown as { type: string; enum?: unknown[] }
  if (plain.type === 'integer') return Type.Unsafe<Static<S> | null>({ ...schema, nullable: true })
  return Type.Unsafe<Static<S> | null>({
    ...schema,
    type: [plain.type, 'null'],
    ...(plain.enum ? { enum: [...plain.enum, null] } : {}),
  })
}

/** A text of the integrator, untrimmed. Lengths in UTF-16 code units. */
export const Text = (minLength: number, maxLength: number, options: Record<string, unknown> = {}) =>
  Type.String({ minLength, maxLength, ...options })

/** A text of one line, such as a name, without tabs, line breaks and direction overrides. */
export const Line = (minLength: number, maxLength: number, options: Record<string, unknown> = {}) =>
  Text(minLength, maxLength, { 'x-line': true, ...options })

/** An incoming amount: a JSON integer, converted by `BigInt(n)` at the module's entry. */
export const AmountIn = (minimum: 0 | 1, description: string) =>
  Type.Integer({
    format: 'int64',
    minimum,
    maximum: Number(maxAmount),
    description,
    examples: [250000],
  })

/** An outgoing amount: a `bigint` in the code, a JSON integer in the answer. */
export const AmountOut = (description: string) =>
  Type.Unsafe<bigint>({ type: 'integer', format: 'int64', description, examples: [250000] })

/** A count that can become large. */
export const Count = (description: string, options: Record<string, unknown> = {}) =>
  Type.Integer({ format: 'int64', description, ...options })

/** A small number: digits, days, a status. */
export const Small = (description: string, options: Record<string, unknown> = {}) =>
  Type.Integer({ format: 'int32', description, ...options })

export const IdText = (description: string) =>
  Type.String({
    pattern: '^[0-9a-f]{24}$',
    'x-message': 'must be an id: 24 lower-case hex digits',
    description,
    examples: ['6925f3a1c0ffee00c0ffee01'],
  })

/** A bank account number; the bank's country determines its length, which is checked later. */
export const AccountNumber = (description: string, examples?: string[]) =>
  Type.String({
    pattern: '^[0-9]{4,17}$',
    'x-message': 'must be 4 to 17 digits',
    description,
    ...(examples ? { examples } : {}),
  })

/** An address on an EVM network; the checksum is checked before sending. */
export const EvmAddress = (description: string, examples?: string[]) =>
  Type.String({
    pattern: '^0x[0-9a-fA-F]{40}$',
    'x-message': 'must be 0x and 40 hex digits',
    description,
    ...(examples ? { examples } : {}),
  })

export const Email = (description: string) =>
  Type.String({ format: 'email', maxLength: 254, description, examples: ['ada@example.com'] })

export const Phone = (description: string) =>
  Type.String({
    pattern: '^\\+[1-9][0-9]{6,14}$',
    'x-message': 'must be in E.164, such as +2348012345678',
    description,
    examples: ['+2348012345678'],
  })

const addressPart = (description: string, examples: string[]) =>
  Type.Optional(Text(1, 200, { description, examples }))

/** A postal address. */
export const Address = Type.Object(
  {
    line1: addressPart('Street and number.', ['12 Allen Avenue']),
    city: addressPart('City.', ['Ikeja']),
    state: addressPart('State or region.', ['Lagos']),
    postal_code: addressPart('Postal code.', ['100271']),
    country: Type.Optional(
      Type.String({
        pattern: '^[a-z]{2}$',
        'x-any-case': true,
        'x-message': 'must be a country’s two letters, such as ng',
        description: 'ISO 3166-1 alpha-2 code, in lower case.',
        examples: ['ng'],
      }),
    ),
  },
  {
    additionalProperties: false,
    title: 'Address',
    description: 'A postal address. A new one replaces the whole old one.',
  },
)
export type Address = Static<typeof Address>

/** A point in time: a `Date` in the code, ISO 8601 UTC with milliseconds in the answer. */
export const Timestamp = (description: string) =>
  Type.Unsafe<Date>({
    type: 'string',
    format: 'date-time',
    description,
    examples: ['2026-11-21T09:30:00.000Z'],
  })

/** A calendar day, such as 2026-11-20. */
export const Day = (description: string) =>
  Type.String({ format: 'date', description, examples: ['2026-11-20'] })

/** A point in time or a day in a request. */
export const TimeOrDay = (description: string) =>
  Documented(
    Type.String({
      anyOf: [{ format: 'date-time' }, { format: 'date' }],
      'x-message': 'must be a time such as 2026-11-21T09:30:00Z, or a day such as 2026-11-21',
      description,
      examples: ['2026-11-21'],
    }),
    { anyOf: null, pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt ].+)?$' },
  )

/** A redirect URL as documented; `readReturnUrl` checks it. */
export const returnUrl = '^(https://|http://(localhost|127\\.0\\.0\\.1|\\[::1\\])([:/?#]|$))'

/** An object of any form. */
export const OpenObject = (title: string, description: string) =>
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    title,
    description,
  })

/** The integrator's key-value pairs. The HTTP layer checks the limit of 16 KiB. */
export const MetadataIn = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  maxProperties: 50,
  additionalProperties: true,
  'x-max-bytes': 16_384,
  title: 'Metadata',
  description:
    'Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.',
})

export const MetadataOut = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  maxProperties: 50,
  additionalProperties: true,
  title: 'Metadata',
  description: 'Your own data, given back as it came: up to 50 keys and 16 KiB of JSON.',
})

/** The merchant's own id: unique per business, mode and resource. */
export const Reference = Type.String({
  minLength: 1,
  maxLength: 100,
  // It is part of paths, from which clients remove `.` and `..`.
  pattern: '^(?!\\.{1,2}$)[A-Za-z0-9._:=-]+$',
  'x-message': 'may only have letters, digits and . _ : - =, and cannot be . or ..',
  description:
    'Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone.',
  examples: ['rent-2026-11'],
})

/** A closed object: an unknown field gives a 422 that names it. */
export function Body<P extends TProperties>(
  properties: P,
  options: Record<string, unknown> = {},
): TObject<P> {
  return Type.Object(properties, { additionalProperties: false, ...options }) as TObject<P>
}

/** The PDF that a route answers with. */
export const PdfFile = Type.Unsafe<AsyncIterable<Uint8Array>>({
  type: 'string',
  format: 'binary',
  description: 'A PDF.',
})

/** A record in answers; `title` names its schema in OpenAPI. */
export function RecordOf<P extends TProperties>(title: string, description: string, properties: P) {
  return Type.Object(
    {
      id: IdText('Unique id.'),
      ...properties,
      livemode: Type.Boolean({ description: '`true` for live keys, `false` for test keys.' }),
      metadata: MetadataOut,
      created_at: Timestamp('When it was created.'),
      updated_at: Timestamp('When it last changed.'),
    },
    { title, description },
  )
}

/** A warning about a request that was nevertheless executed. */
export type Warning = { code: string; message: string }

export const Warnings = Type.Array(
  Type.Object(
    {
      code: Type.String({ description: 'Stable.' }),
      message: Type.String({ description: 'What to look at.' }),
    },
    { title: 'Warning', description: 'Something that looks odd.' },
  ),
  { description: 'What looks odd, but does not stop it.' },
)

/** The query of every list. `page` has no maximum; the cost of `after` does not grow with depth. */
export const pageQuery = {
  page: Type.Optional(Count('Which page, from 1.', { minimum: 1, default: 1 })),
  limit: Type.Optional(Small('Records a page.', { minimum: 1, maximum: 100, default: 20 })),
  after: Type.Optional(
    IdText('Keyset cursor: only records that come after this one in the list. Replaces `page`.'),
  ),
}

/** The query of lists by creation time. */
export const rangeQuery = {
  from: Type.Optional(TimeOrDay('Created at or after: a time, or a day of your time zone.')),
  to: Type.Optional(
    TimeOrDay('Created before a time, or up to the end of a day of your time zone.'),
  ),
}

/** The query of lists by amount. */
export const amountQuery = Type.Optional(
  AmountIn(1, 'Only of exactly this amount, in minor units.'),
)
export const emailQuery = (whose: string) =>
  Type.Optional(
    Text(1, 254, {
      pattern: '^[^ ]+$',
      'x-message':
        'must be an email address without spaces: in a URL, write `+` as `%2B`, as a plain `+` means a space',
      description: `Only ${whose} this email address, whatever its case. Write its \`+\` as \`%2B\`.`,
      examples: ['ada@example.com'],
    }),
  )
export const referenceQuery = Type.Optional(
  Text(1, 100, {
    description: 'Only those whose `reference` begins with this.',
    examples: ['rent-2026'],
  }),
)
export const searchQuery = (description: string, example: string) =>
  Type.Optional(Text(1, 200, { description, examples: [example] }))

const PageInfo = Type.Object(
  {
    totalDocs: Count(
      'Records that match, on all pages. By `amount`, `email`, `reference`, `search` or another record, they are counted up to 10,000, and further as pages get there.',
    ),
    limit: Small('Records a page.'),
    page: Count('This page.'),
    totalPages: Count('How many pages there are.'),
    hasNextPage: Type.Boolean({ description: 'Whether a page comes after it.' }),
    hasPrevPage: Type.Boolean({ description: 'Whether a page comes before it.' }),
    nextPage: Nullable(Count('The next page, or null.')),
    prevPage: Nullable(Count('The page before, or null.')),
  },
  { title: 'PageInfo', description: 'Where a page stands in its list.' },
)

/** The list envelope. */
export const Page = <S extends TSchema>(item: S) => {
  const docs = Type.Array(item)
  const title = `${(item as { title?: string }).title}Page`
  return Documented(
    Type.Object({ docs, ...PageInfo.properties }, { title }),
    extending(PageInfo, { docs }),
  )
}

/** The query of an export: the list's filters without paging. */
export function exportQuery<P extends TProperties>(
  { properties }: TObject<P>,
  hasTaxes = false,
): TObject<ExportQuery<P>> {
  const narrowing = Object.entries(properties).filter(([name]) => !(name in pageQuery))
  const rows = hasTaxes ? { by_tax_rate } : {}
  return Body({ ...Object.fromEntries(narrowing), spreadsheet, ...rows }) as unknown as TObject<
    ExportQuery<P>
  >
}

type ExportQuery<P extends TProperties> = Omit<P, keyof typeof pageQuery> & {
  spreadsheet: typeof spreadsheet
}

const spreadsheet = Type.Optional(
  Type.Boolean({
    description:
      'Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.',
  }),
)

const by_tax_rate = Type.Optional(
  Type.Boolean({
    description:
      'Whether the file has a row for each tax rate of a record, and one for what has no rate, with `net`, `tax` and `gross`. Default `false`.',
  }),
)
/** The query of an export without filters. */
export const SpreadsheetQuery = Body({ spreadsheet })

/** A text file, streamed row by row. */
export const CsvFile = Type.Unsafe<AsyncIterable<string>>({
  type: 'string',
  description: 'CSV, newest first.',
})

const leastLifeMs = 5 * 60_000
const longestLifeMs = 30 * 86_400_000
const usualLifeMs = 86_400_000

/**
 * Reads an expiry: 5 minutes to 30 days ahead, by default 24 hours.
 * @throws {Refusal} `validation_failed`
 */
export function readExpiry(now: Date, text: string | undefined): Date {
  const time = text === undefined ? now.getTime() + usualLifeMs : Date.parse(text)
  const ahead = time - now.getTime()
  if (!(ahead >= leastLifeMs && ahead <= longestLifeMs))
    refuseInput([
      {
        path: 'expires_at',
        message: `expires_at must be 5 minutes to 30 days ahead; it is ${now.toISOString()} now`,
        location: 'body',
      },
    ])
  return new Date(time)
}
