/**
 * The error answers of the OpenAPI document: `ErrorAnswer`, or `ValidationError` for a 422. Each
 * operation lists its codes by status (`x-error-codes`); `ErrorDetails` explains every code once.
 * Codes that all operations with a key may return are in their `default` answer, by status.
 */
import type { GeneralCode, RefusalCodes, RefusalDetails } from '../../lib/errors.ts'
import type { Json } from './openapi-components.ts'
import { headerRefs, limitHeaders } from './openapi-headers.ts'
import {
  type AnyRoute,
  declaredRefusals,
  isPublic,
  refusalsOfRoute,
  shapeRefusals,
} from './refusals.ts'

const meanings: Record<number, string> = {
  400: 'A rule refused it, or it was not well formed.',
  401: 'The key is missing or does not work.',
  403: 'The key may not do this.',
  404: 'No such record for this business and mode.',
  409: 'Done before, or being done.',
  422: 'It does not match the schema.',
  429: 'Too much at once; try again later.',
  500: 'A bug of the server; send it again with the same `Idempotency-Key`.',
  503: 'The server cannot work now; try again later.',
}

/**
 * Names of answers that many operations share, by one or more codes. An answer gets the first name
 * whose codes it has.
 */
const sharedNames = {
  malformed_json: 'InvalidBody',
  'invalid_cursor search_too_broad': 'InvalidPageOrSearch',
  search_too_broad: 'InvalidSearch',
  invalid_cursor: 'InvalidCursor',
  bad_request: 'BadRequest',
  not_found: 'NotFound',
  idempotency_key_reused: 'IdempotencyKeyReused',
  validation_failed: 'ValidationFailed',
  rate_limited: 'RateLimited',
  business_suspended: 'BusinessStopped',
  internal_error: 'InternalError',
  database_unavailable: 'DatabaseUnavailable',
} as const

/** Headers of temporary refusals: the last one only appears on these. */
const waiting = [...limitHeaders, 'Retry-After'] as const

/** Codes that every operation with a key may return, the first only in test mode. */
const common: GeneralCode[] = [
  'test_mode_only',
  'bad_request',
  'missing_key',
  'invalid_key',
  'address_not_allowed',
  'scope_missing',
  'overloaded',
  'test_data_emptying',
  'rate_limited',
  'internal_error',
  'database_unavailable',
]
const isCommon = (code: string): boolean => (common as string[]).includes(code)

const amount = (description: string): Json => ({ type: 'integer', format: 'int64', description })
const details = {
  available: amount('Of `insufficient_funds`: what the wallet holds, in minor units.'),
  needed: amount('Of `insufficient_funds`: what it would have to hold, in minor units.'),
  fee: amount('Of `amount_too_small`: what is not covered, in minor units.'),
  left: amount(
    'Of `refund_too_large`: what can be refunded this way, and of `operator_limit_exceeded` and `limit_exceeded`, what can be paid out, in minor units; of a limit of how many, how many can.',
  ),
  field: { type: 'string', description: 'Of `invalid_redirect_url`: the field that holds it.' },
  rule: {
    type: 'string',
    description: 'Of `operator_limit_exceeded` and `limit_exceeded`: the name of the limit.',
  },
  day_ends_at: {
    type: 'string',
    format: 'date-time',
    description:
      'Of `operator_limit_exceeded` and `limit_exceeded`, where a day is limited: when it ends.',
  },
  scope: { type: 'string', description: 'Of `scope_missing`: what the key would need.' },
  transaction: {
    type: 'string',
    description: 'Of `notice_reused`: the id of the transaction that the notice made.',
  },
} satisfies Record<keyof RefusalDetails, Json>

/**
 * Builds an error answer. Its headers are those of every answer, which `info` names, and are not
 * repeated.
 */
function answer(status: number, codes: string[]): Json {
  const schema = `#/components/schemas/${status === 422 ? 'ValidationError' : 'ErrorAnswer'}`
  return {
    description: meanings[status] ?? 'It is refused.',
    'x-error-codes': codes,
    content: { 'application/json': { schema: { $ref: schema } } },
  }
}

/** Builds the answer for refusals that follow from an operation's shape. */
function commonAnswer(route: AnyRoute): Json {
  const codes: Record<number, string[]> = {}
  for (const [code, [status]] of Object.entries(shapeRefusals(route)))
    if (isCommon(code)) codes[status] = [...(codes[status] ?? []), code]
  return {
    ...answer(500, []),
    description: Object.keys(codes)
      .map((status) => `${status}: ${meanings[Number(status)]}`)
      .join(' '),
    'x-error-codes': codes,
  }
}

type ErrorAnswer = {
  at: number | 'default'
  said: Json
  /** The name of an answer that operations share, and its headers. */
  shared: { name: string; headers: readonly Parameters<typeof headerRefs>[0][number][] } | null
}

/**
 * Returns the error answers of an operation.
 * @throws {Error} when one that follows only from shapes has no name
 */
function answersOf(route: AnyRoute): ErrorAnswer[] {
  const all = Object.entries(refusalsOfRoute(route))
  const declared = declaredRefusals(route)
  const statuses = [...new Set(all.map(([, [status]]) => status))].sort()
  const answers = statuses.flatMap((status): ErrorAnswer[] => {
    const codes = all.filter(([, [of]]) => of === status).map(([code]) => code)
    const said = answer(status, codes)
    if (codes.some((code) => code in declared)) return [{ at: status, said, shared: null }]
    if (!isPublic(route) && codes.every(isCommon)) return []
    const name = Object.entries(sharedNames).find(([of]) =>
      of.split(' ').every((code) => codes.includes(code)),
    )?.[1]
    if (!name) throw new Error(`name the answer of ${codes.join(', ')} in sharedNames`)
    return [
      {
        at: status,
        said,
        shared: { name, headers: status === 503 || status === 429 ? waiting : limitHeaders },
      },
    ]
  })
  if (isPublic(route)) return answers
  const name = route.mode === 'test' ? 'CommonTestError' : 'CommonError'
  return [
    ...answers,
    { at: 'default', said: commonAnswer(route), shared: { name, headers: waiting } },
  ]
}

/** Returns the error answers of an operation by status. */
export function errorResponses(route: AnyRoute): Json {
  const named = (name: string): Json => ({ $ref: `#/components/responses/${name}` })
  return Object.fromEntries(
    answersOf(route).map(({ at, said, shared }) => [at, shared ? named(shared.name) : said]),
  )
}

/**
 * Returns the components that error answers refer to.
 * @param catalogue all codes of the server
 * @throws {Error} when two different answers would share a name: name one by another of its codes
 */
export function errorComponents(routes: AnyRoute[], catalogue: RefusalCodes) {
  const responses = new Map<string, Json>()
  for (const { said, shared } of routes.flatMap(answersOf)) {
    if (shared === null) continue
    const { description, ...rest } = said
    const made = { description, headers: headerRefs(shared.headers), ...rest }
    const known = responses.get(shared.name)
    if (known && JSON.stringify(known) !== JSON.stringify(made))
      throw new Error(`two answers are named ${shared.name}`)
    responses.set(shared.name, made)
  }
  return { responses: Object.fromEntries(responses), schemas: schemasOf(catalogue) }
}

function schemasOf(catalogue: RefusalCodes): Json {
  const rows = Object.entries(catalogue).map(
    ([code, [status, meaning]]) => `| \`${code}\` | ${status} | ${meaning} |`,
  )
  const table = ['| Code | Status | Meaning |', '|---|---|---|', ...rows].join('\n')
  const message = {
    type: 'string',
    description: 'A sentence that says what to do. For people; it may change.',
  }
  const errors = { $ref: '#/components/schemas/ErrorDetails' }
  return {
    ErrorDetails: {
      type: 'object',
      description: 'What went wrong, for programs.',
      required: ['code'],
      properties: {
        code: {
          type: 'string',
          description: `Stable; safe to branch on. Later versions have more.\n\n${table}`,
          examples: ['insufficient_funds'],
        },
        ...details,
      },
    },
    ErrorData: {
      type: 'object',
      description: 'More about what was refused.',
      additionalProperties: true,
    },
    ErrorAnswer: {
      type: 'object',
      description: 'Why a request was refused.',
      required: ['message', 'data', 'errors'],
      properties: {
        message,
        data: {
          anyOf: [{ $ref: '#/components/schemas/ErrorData' }, { type: 'null' }],
          description: 'Null: what there is to say is in `errors`.',
        },
        errors,
      },
    },
    ValidationIssue: {
      type: 'object',
      description: 'What is wrong with one part of a request.',
      required: ['path', 'message', 'location'],
      properties: {
        path: { type: 'string', description: 'Where it is, such as `lines.0.quantity`.' },
        message: { type: 'string', description: 'What it must be.' },
        location: { $ref: '#/components/schemas/IssueLocation' },
      },
    },
    IssueLocation: {
      type: 'string',
      description: 'The part of a request that an issue is in.',
      enum: ['body', 'query', 'params', 'headers'],
    },
    ValidationError: {
      type: 'object',
      description: 'What does not match the schema.',
      required: ['message', 'data', 'errors'],
      properties: {
        message,
        data: {
          type: 'array',
          description: 'At most twenty.',
          items: { $ref: '#/components/schemas/ValidationIssue' },
        },
        errors,
      },
    },
  }
}
