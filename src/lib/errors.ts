/**
 * Refusals: errors that are part of the API, with a status, a stable code and a sentence that tells
 * the integrator what to do. Any other error is a bug and answered with a bare 500.
 */

/** The codes in `errors.code`, with their status and meaning. */
export type RefusalCodes = Readonly<Record<string, readonly [status: number, meaning: string]>>

/** Additional fields of some codes in `errors`; amounts in minor units. */
export type RefusalDetails = Partial<
  Record<'available' | 'needed' | 'fee' | 'left', number> &
    Record<'field' | 'scope' | 'transaction' | 'rule' | 'day_ends_at', string>
>

/**
 * Refuses the request: rolls back the transaction and answers with the code's status and this
 * sentence.
 * @throws {Refusal} always
 */
export type Refuse<Code extends string> = (
  code: Code,
  message?: string,
  details?: RefusalDetails,
) => never

/** The codes of a module, or of the server itself. */
export type RefusalSet<Code extends string = never> = {
  /** The codes that only this module declares. */
  own: RefusalCodes
  /** These, the codes of used modules, and the general ones. */
  all: RefusalCodes
  refuse: Refuse<Code>
}

export type CodeOf<S> = S extends RefusalSet<infer Code> ? Code : never

/** Thrown to roll back the transaction; the HTTP layer turns it into the error envelope. */
export class Refusal extends Error {
  readonly status: number
  readonly code: string
  readonly data: unknown
  readonly details: RefusalDetails

  constructor(
    code: string,
    status: number,
    message: string,
    extra: { data?: unknown; details?: RefusalDetails } = {},
  ) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.status = status
    this.data = extra.data ?? null
    this.details = extra.details ?? {}
  }
}

function setOf<Code extends string>(own: RefusalCodes, all: RefusalCodes): RefusalSet<Code> {
  return {
    own,
    all,
    refuse(code, message, details) {
      const [status, meaning] = all[code] as RefusalCodes[string]
      throw new Refusal(code, status, message ?? meaning, details ? { details } : {})
    },
  }
}

/** The codes that any part of the server may use. */
export const general = {
  malformed_json: [400, 'The body is not valid JSON.'],
  body_too_large: [400, 'The body is larger than the server accepts.'],
  unsupported_content_type: [400, 'The body must be sent as application/json.'],
  bad_request: [400, 'The request could not be understood.'],
  missing_key: [401, 'No API key was sent.'],
  invalid_key: [401, 'The API key is unknown, revoked or expired.'],
  address_not_allowed: [403, 'The API key may not be used from this address.'],
  scope_missing: [403, 'The API key lacks the scope that the operation needs.'],
  business_suspended: [
    403,
    'The operator has suspended the business: nothing new is collected or paid out.',
  ],
  business_closed: [403, 'The business is closed: nothing new is collected or paid out.'],
  test_mode_only: [403, 'The endpoint exists for test keys only.'],
  not_found: [404, 'No such record for this business and mode.'],
  route_not_found: [404, 'No such endpoint.'],
  method_not_allowed: [405, 'The endpoint exists, and takes other methods: `Allow` names them.'],
  invalid_cursor: [400, 'The cursor names no record of this list, or no place in this stream.'],
  search_too_broad: [400, 'More records match than a search looks at.'],
  duplicate_reference: [409, 'The reference has been used before.'],
  idempotency_key_reused: [
    409,
    'The Idempotency-Key was used before with another request, or with this one under another SECRETS_KEY.',
  ],
  validation_failed: [422, 'The request does not match the schema.'],
  too_many_streams: [
    429,
    'The key, its business, or the server has as many streams open as are allowed.',
  ],
  rate_limited: [429, 'Too many requests from this address.'],
  overloaded: [429, 'The server has more to do than it can take; nothing was done.'],
  amount_too_small: [400, 'The amount does not cover the fee.'],
  amount_too_large: [
    400,
    'The amount, or a balance it would make, is larger than the server can hold.',
  ],
  unsupported_currency: [400, 'The currency cannot be used here.'],
  rail_not_configured: [400, 'No rail of this kind is configured for live mode.'],
  invalid_redirect_url: [
    400,
    'The URL a payer is sent back to must be https, or in test mode http on localhost.',
  ],
  test_data_emptying: [
    503,
    'The test data of the business are being emptied, or just were. Nothing was done: try again.',
  ],
  database_unavailable: [
    503,
    'The database cannot be reached just now. What was to be written may have been.',
  ],
  internal_error: [500, 'Something went wrong on our side.'],
} as const satisfies RefusalCodes

export type GeneralCode = keyof typeof general

export const generalRefusals: RefusalSet<GeneralCode> = setOf(general, general)

/** Refuses with a general code; modules use the `refuse` of their own set. */
export const refuse: Refuse<GeneralCode> = generalRefusals.refuse

/** Returns a refusal with a general code, without throwing it. */
export function generalRefusal(
  code: GeneralCode,
  message: string,
  extra: { data?: unknown } = {},
): Refusal {
  return new Refusal(code, general[code][0], message, extra)
}

/**
 * Declares the codes of a module.
 * @param used the sets of modules whose refusals its operations may return
 */
export function refusalsOf<const Own extends RefusalCodes, const Used extends RefusalSet<never>[]>(
  own: Own,
  ...used: Used
): RefusalSet<(keyof Own & string) | CodeOf<Used[number]> | GeneralCode> {
  return setOf(own, Object.assign({}, general, ...used.map(({ all }) => all), own))
}

/** An issue of a 422: the place in the request, and what is wrong. */
export type ValidationIssue = {
  path: string
  message: string
  location: 'body' | 'query' | 'params' | 'headers'
}

/** The outcome of one item of a batch: its answer, or the refusal after which it left no trace. */
export type Outcome<Answer> = { answer: Answer } | { refusal: unknown }

/** Runs work and returns its outcome. */
export async function outcomeOf<Answer>(work: () => Promise<Answer>): Promise<Outcome<Answer>> {
  try {
    return { answer: await work() }
  } catch (refusal) {
    return { refusal }
  }
}

/** @throws the refusal of the outcome */
export function answerOf<Answer>(outcome: Outcome<Answer>): Answer {
  if ('refusal' in outcome) throw outcome.refusal
  return outcome.answer
}

/**
 * Reads a part of a request and adds its path to refusals.
 * @param path the place in the body, such as `shares.1`
 */
export function readPart<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { code, status, message, data, details } = error
    if (code !== 'validation_failed')
      throw new Refusal(code, status, `${path}: ${message}`, { data, details })
    const issues = data as ValidationIssue[]
    return refuseInput(
      issues.map((issue) => ({
        ...issue,
        path: `${path}.${issue.path}`,
        message: `${path}.${issue.message}`,
      })),
    )
  }
}

/**
 * Runs `work`, whose refusal may be replaced by a more important one.
 * @param weightier throws the more important refusal if it applies; called only after `work` has
 * refused
 */
export async function refusingFirst<T>(
  weightier: () => Promise<void>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal) await weightier()
    throw error
  }
}

/**
 * Refuses with 422 and a list of issues, for rules that a schema cannot express.
 * @throws {Refusal} always, `validation_failed`
 */
export function refuseInput(issues: ValidationIssue[]): never {
  throw generalRefusal('validation_failed', issues[0]?.message ?? general.validation_failed[1], {
    data: issues,
  })
}
