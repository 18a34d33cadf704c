/**
 * Holds every request against Paystack's published schema where that is right, and against small
 * schemas of our own where it is silent or wrong. The published document is read from the folder
 * that PROVIDER_SPECS names; the project has no copy of it.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { parse } from 'yaml'
import type { Operation } from './calls.ts'
import type { Json } from './shapes.ts'

const transactionReference = { type: 'string', pattern: '^[A-Za-z0-9.=-]+$' }
const transferReference = { type: 'string', pattern: '^[a-z0-9_-]{16,50}$' }
const kobo = { type: 'integer', minimum: 1 }
const naira = { const: 'NGN' }
const accountNumber = { type: 'string', pattern: '^[0-9]{10}$' }
const bankCode = { type: 'string', pattern: '^[0-9A-Z]{3,9}$' }
const count = { type: 'string', pattern: '^[1-9][0-9]*$' }
const object = (required: string[], properties: Json): Json => ({
  type: 'object',
  required,
  properties,
})

/**
 * What the published schema does not know or has wrong, by operation. `wrong` are its places that
 * are left out, each for a reason: `metadata` of a customer is said to be text, while objects are
 * taken; account numbers and bank codes of a look-up are said to be numbers, which loses leading
 * zeros; a day is said to be a time; the lists are said to take `per_page`, and take `perPage`.
 */
const ours: Record<string, { body?: Json; query?: Json; wrong?: string[] }> = {
  initialize: {
    body: object(['email', 'amount', 'reference'], {
      email: { type: 'string', format: 'email' },
      amount: kobo,
      currency: naira,
      reference: transactionReference,
      callback_url: { type: 'string', format: 'uri' },
      channels: { type: 'array', minItems: 1 },
      metadata: { type: 'object' },
    }),
  },
  charge: {
    body: object(['email', 'amount', 'reference', 'bank_transfer'], {
      email: { type: 'string', format: 'email' },
      amount: { type: 'integer', minimum: 10_000 },
      currency: naira,
      reference: transactionReference,
      metadata: { type: 'object' },
      bank_transfer: {
        type: 'object',
        additionalProperties: false,
        properties: { account_expires_at: { type: ['string', 'null'], format: 'date-time' } },
      },
    }),
  },
  create_recipient: {
    body: object(['type', 'name', 'account_number', 'bank_code'], {
      type: { const: 'nuban' },
      name: { type: 'string', minLength: 1 },
      account_number: accountNumber,
      bank_code: bankCode,
      currency: naira,
    }),
  },
  transfer: {
    body: object(['source', 'amount', 'recipient', 'reference'], {
      source: { const: 'balance' },
      amount: kobo,
      currency: naira,
      recipient: { type: 'string', pattern: '^RCP_' },
      reference: transferReference,
    }),
  },
  refund: {
    body: object(['transaction'], {
      transaction: { type: 'string', minLength: 1 },
      amount: kobo,
      currency: naira,
    }),
  },
  retry_refund: {
    body: object(['refund_account_details'], {
      refund_account_details: object(['currency', 'account_number', 'bank_id'], {
        currency: naira,
        account_number: accountNumber,
      }),
    }),
  },
  create_customer: {
    body: object(['email'], {
      email: { type: 'string', format: 'email' },
      metadata: { type: ['object', 'string'] },
    }),
    wrong: ['metadata'],
  },
  update_customer: {
    body: object([], { metadata: { type: ['object', 'string'] } }),
    wrong: ['metadata'],
  },
  open_account: {
    body: object(['customer'], {
      first_name: { type: 'string', minLength: 1 },
      last_name: { type: 'string', minLength: 1 },
      phone: { type: 'string', pattern: '^\\+?[0-9]{7,15}$' },
    }),
  },
  identify: {
    // The bank verification number of the published test customer has 12 digits, all others 11 [U].
    body: object(
      ['country', 'type', 'bvn', 'bank_code', 'account_number', 'first_name', 'last_name'],
      {
        country: { const: 'NG' },
        type: { const: 'bank_account' },
        bvn: { type: 'string', pattern: '^[0-9]{11,12}$' },
        bank_code: bankCode,
        account_number: accountNumber,
      },
    ),
  },
  resolve: {
    query: object(['account_number', 'bank_code'], {
      account_number: accountNumber,
      bank_code: bankCode,
    }),
    wrong: ['account_number', 'bank_code'],
  },
  requery_account: {
    query: object(['account_number'], { date: { type: 'string', format: 'date' } }),
    wrong: ['date'],
  },
  list_transactions: {
    query: object([], { perPage: count, page: count, customer: count }),
    wrong: ['per_page'],
  },
  list_transfers: { query: object([], { perPage: count, page: count }), wrong: ['per_page'] },
  list_refunds: { query: object([], { transaction: count, reference: transactionReference }) },
  list_settlements: {
    query: object([], { from: { format: 'date-time' }, to: { format: 'date-time' } }),
  },
  list_settled: { query: object([], { perPage: count, page: count }) },
}

type Published = { body?: Json; query: Map<string, Json> }
export type Contract = {
  /** Whether the published schema is there, or our own stand alone. */
  published: boolean
  /** What is wrong with a request, a sentence each. */
  check(
    name: string,
    operation: Operation,
    contentType: string | undefined,
    query: Record<string, string>,
    body: unknown,
  ): string[]
}

/**
 * OpenAPI 3.0 to JSON Schema: `nullable` becomes a union of types, or nothing where there is no
 * type.
 */
function withoutNullable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNullable)
  if (typeof value !== 'object' || value === null) return value
  const { nullable, ...kept } = value as Json
  const converted = Object.fromEntries(
    Object.entries(kept).map(([name, part]) => [name, withoutNullable(part)]),
  )
  if (nullable === true && typeof converted.type === 'string')
    converted.type = [converted.type, 'null']
  return converted
}

const at = (root: Json, pointer: string): Json =>
  pointer
    .split('/')
    .slice(1)
    .reduce((place, part) => (place?.[part.replaceAll('~1', '/')] ?? {}) as Json, root)

/** A schema with its references and `allOf` folded into one, and what is wrong in it left out. */
function folded(root: Json, schema: Json): Json {
  if (typeof schema.$ref === 'string') return folded(root, at(root, schema.$ref.slice(1)))
  const parts = ((schema.allOf as Json[] | undefined) ?? []).map((part) => folded(root, part))
  const all = [...parts, schema]
  return {
    type: 'object',
    required: all.flatMap((part) => (part.required as string[] | undefined) ?? []),
    properties: Object.assign({}, ...all.map((part) => part.properties ?? {})),
  }
}

function publishedOf(root: Json, { method, path }: Operation, wrong: string[]): Published {
  const place = ((root.paths as Json)[path] as Json | undefined) ?? {}
  const operation = (place[method.toLowerCase()] ?? {}) as Json
  const parameters = [
    ...((place.parameters as Json[]) ?? []),
    ...((operation.parameters as Json[]) ?? []),
  ]
  const inQuery = parameters.filter(
    (one) => one.in === 'query' && !wrong.includes(String(one.name)),
  )
  const query = new Map(inQuery.map((one) => [String(one.name), one.schema as Json]))
  const content = at(operation, '/requestBody/content/application~1json/schema')
  if (Object.keys(content).length === 0) return { query }
  const body = folded(root, content)
  const properties = { ...(body.properties as Json) }
  for (const name of wrong) delete properties[name]
  return { body: { ...body, properties, components: root.components }, query }
}

const sentences = (errors: ErrorObject[] | null | undefined): string[] =>
  (errors ?? []).map(
    (one) =>
      `${one.instancePath || 'it'} ${one.message}${one.keyword === 'const' ? `: ${one.params.allowedValue}` : ''}`,
  )

/** A query's value as the type that its schema asks for. */
function typed(value: string, schema: Json): unknown {
  if (schema.type === 'integer') return /^-?\d+$/.test(value) ? Number(value) : value
  if (schema.type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value
  return value
}

/** The published document of a folder, or null where there is none. */
export function publishedIn(specs: string | undefined): Json | null {
  const file = specs === undefined ? undefined : join(specs, 'paystack.yaml')
  if (file === undefined || !existsSync(file)) return null
  return withoutNullable(parse(readFileSync(file, 'utf8'))) as Json
}

/** Contracts that were made: reading the document takes a second. */
const contracts = new Map<string | undefined, Contract>()

/** @param specs the folder with `paystack.yaml`; without it only our own schemas are held */
export function contractOf(specs: string | undefined): Contract {
  const contract = contracts.get(specs) ?? openContract(publishedIn(specs))
  contracts.set(specs, contract)
  return contract
}

function openContract(root: Json | null): Contract {
  const ajv = new Ajv({ strict: false, allErrors: true })
  addFormats.default(ajv)
  const compiled = new Map<string, ValidateFunction>()
  const problemsOf = (key: string, schema: Json | undefined, value: unknown): string[] => {
    if (schema === undefined) return []
    const validate = compiled.get(key) ?? ajv.compile(schema)
    compiled.set(key, validate)
    return validate(value) ? [] : sentences(validate.errors)
  }

  return {
    published: root !== null,
    check(name, operation, contentType, query, body) {
      const { body: ownBody, query: ownQuery, wrong = [] } = ours[name] ?? {}
      const problems = [
        ...problemsOf(`${name} body`, ownBody, body),
        ...problemsOf(`${name} query`, ownQuery, query),
      ]
      if (body !== undefined && !contentType?.startsWith('application/json'))
        problems.push(`content-type is ${contentType}`)
      if (operation.method === 'GET' && body !== undefined) problems.push('GET has a body')
      if (root === null) return problems
      const published = publishedOf(root, operation, wrong)
      problems.push(...problemsOf(`${name} published`, published.body, body))
      const knownBody = {
        ...(published.body?.properties as Json),
        ...(ownBody?.properties as Json),
      }
      for (const field of Object.keys((body ?? {}) as Json))
        if (!(field in knownBody)) problems.push(`body.${field} is not known`)
      const knownQuery = new Set([
        ...published.query.keys(),
        ...Object.keys((ownQuery?.properties as Json) ?? {}),
      ])
      for (const [field, value] of Object.entries(query)) {
        if (!knownQuery.has(field)) problems.push(`query.${field} is not known`)
        const schema = published.query.get(field)
        if (schema !== undefined)
          problems.push(
            ...problemsOf(`${name} query ${field}`, schema, typed(value, schema)).map(
              (one) => `query.${field}: ${one}`,
            ),
          )
      }
      return problems
    },
  }
}
