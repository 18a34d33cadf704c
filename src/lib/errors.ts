/**
 * Refusals: what the server answers when it will not do what was asked.
 *
 * A refusal is part of the interface: it has a status, a stable code and a sentence that tells the integrator
 * what to do. Anything else that is thrown is a bug and becomes a bare 500.
 */

/** Every stable code of `errors.code`, with the status it comes with and what it means. The docs are made from it. */
export const refusals = {
  malformed_json: [400, 'The body is not valid JSON.'],
  body_too_large: [400, 'The body is larger than the server accepts.'],
  unsupported_content_type: [400, 'The body must be sent as application/json.'],
  bad_request: [400, 'The request could not be understood.'],
  missing_key: [401, 'No API key was sent.'],
  invalid_key: [401, 'The API key is unknown, revoked or expired.'],
  address_not_allowed: [403, 'The API key may not be used from this address.'],
  test_mode_only: [403, 'The endpoint exists for test keys only.'],
  not_found: [404, 'No such record for this business and mode.'],
  route_not_found: [404, 'No such endpoint.'],
  invalid_cursor: [400, 'The cursor names no record of this list, or no place in this stream.'],
  duplicate_reference: [409, 'The reference has been used before.'],
  notice_reused: [409, 'The notice was told before, of another deposit.'],
  idempotency_key_reused: [
    409,
    'The Idempotency-Key was used before with another request, or with this one under another SECRETS_KEY.',
  ],
  validation_failed: [422, 'The request does not match the schema.'],
  too_many_streams: [429, 'The key, or the server, has as many streams open as are allowed.'],
  rate_limited: [429, 'Too many requests from this address.'],
  overloaded: [429, 'The server has more to do than it can take; nothing was done.'],
  insufficient_funds: [400, 'The wallet does not hold enough.'],
  amount_too_small: [400, 'The amount does not cover the fee.'],
  amount_too_large: [400, 'The amount, or a balance it would make, is larger than the server can hold.'],
  invalid_destination: [400, 'The destination cannot be paid to.'],
  invalid_address: [400, 'The crypto address fails its EIP-55 checksum.'],
  unsupported_chain: [400, 'The token is not supported on this chain.'],
  unsupported_currency: [400, 'The currency cannot be used here.'],
  unsupported_country: [400, 'The country is not supported.'],
  currency_mismatch: [400, 'The currency does not fit the destination.'],
  unknown_bank: [400, 'The bank code is not in the bank list.'],
  account_not_found: [400, 'The bank knows no account of this number.'],
  quote_not_found: [400, 'The quote does not exist for this business and mode.'],
  quote_expired: [400, 'The quote has expired.'],
  quote_mismatch: [400, 'The payout differs from its quote.'],
  rail_not_configured: [400, 'No rail of this kind is configured for live mode.'],
  bank_lookup_unavailable: [400, 'The bank did not answer the name lookup.'],
  customer_not_found: [400, 'The customer does not exist for this business and mode.'],
  kyc_required: [400, 'The customer needs a verified identity document first.'],
  account_not_active: [400, 'The virtual account is closed or has expired.'],
  wallet_not_active: [400, 'The crypto wallet is closed.'],
  account_of_payment: [400, 'The virtual account belongs to a payment; cancel the payment instead.'],
  invalid_redirect_url: [400, 'The URL a payer is sent back to must be https, or http on localhost.'],
  method_not_available: [400, 'The payment cannot be paid by this method.'],
  payment_not_pending: [400, 'The payment has ended.'],
  payment_processing: [400, 'A card is being charged for the payment, or a transfer is being confirmed, right now.'],
  payment_not_refundable: [400, 'Nothing of the payment can be refunded.'],
  refund_too_large: [400, 'The refund is larger than what is left of the payment.'],
  refund_in_progress: [409, 'A refund of the payment is in progress.'],
  refund_not_simulated: [400, 'The refund moves on a real test network.'],
  refund_already_final: [400, 'The refund has reached an end state.'],
  destination_required: [400, 'The payer’s account is not known; name a destination.'],
  collection_canceled: [400, 'The collection has been canceled.'],
  collection_full: [
    400,
    'The collection has taken as many payments as it may, or others are paying for all that is left.',
  ],
  invalid_distribution: [400, 'The distribution does not exist, is not active, or has another currency.'],
  share_not_settled: [400, 'The share holds money; settle it before you remove it.'],
  product_not_found: [400, 'The product does not exist for this business and mode.'],
  product_archived: [400, 'The product is archived.'],
  mixed_currencies: [400, 'All lines of an invoice must have one currency.'],
  invoice_not_draft: [400, 'Only a draft can be changed, finalized or deleted.'],
  invoice_not_open: [400, 'The invoice is not open.'],
  payment_of_invoice: [400, 'The payment belongs to an invoice; void the invoice instead.'],
  smtp_not_configured: [400, 'No SMTP server is configured.'],
  too_many_attempts: [400, 'The payment has been tried too often.'],
  payout_not_cancelable: [400, 'The payout has left the pending state.'],
  payout_not_simulated: [400, 'The payout moves on a real test network.'],
  payout_already_final: [400, 'The payout has reached an end state.'],
  forbidden_target: [400, 'The webhook URL leads to an address that is not public.'],
  webhook_inactive: [400, 'The webhook endpoint is inactive.'],
  too_many_webhooks: [400, 'The business has as many webhook endpoints as are allowed.'],
  internal_error: [500, 'Something went wrong on our side.'],
} as const satisfies Record<string, readonly [number, string]>

export type RefusalCode = keyof typeof refusals

/** One issue of a 422: where in the request, and what is wrong with it. */
export type ValidationIssue = { path: string; message: string; location: 'body' | 'query' | 'params' | 'headers' }

/** Thrown to unwind a transaction and become the error envelope in one place. */
export class Refusal extends Error {
  readonly status: number
  readonly code: RefusalCode
  readonly data: unknown
  readonly details: Record<string, unknown>

  constructor(code: RefusalCode, message: string, extra: { data?: unknown; details?: Record<string, unknown> } = {}) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.status = refusals[code][0]
    this.data = extra.data ?? null
    this.details = extra.details ?? {}
  }
}

/** What became of one of several that were asked for together: its answer, or why it was refused and left no trace. */
export type Outcome<Answer> = { answer: Answer } | { refusal: unknown }

/** What becomes of work that is done alone. */
export async function outcomeOf<Answer>(work: () => Promise<Answer>): Promise<Outcome<Answer>> {
  try {
    return { answer: await work() }
  } catch (refusal) {
    return { refusal }
  }
}

/** @throws what it was refused with */
export function answerOf<Answer>(outcome: Outcome<Answer>): Answer {
  if ('refusal' in outcome) throw outcome.refusal
  return outcome.answer
}

/**
 * Does what reads a part of a request, and has its refusals say which part they are about.
 * @param path where the part is in the body, such as `shares.1`
 */
export function readPart<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { code, message, data, details } = error
    if (code !== 'validation_failed') throw new Refusal(code, `${path}: ${message}`, { data, details })
    const issues = data as ValidationIssue[]
    return refuseInput(
      issues.map((issue) => ({ ...issue, path: `${path}.${issue.path}`, message: `${path}.${issue.message}` })),
    )
  }
}

/**
 * Does `work`, whose refusals another one outweighs.
 * @param weightier refuses where that one applies; it is asked only when `work` has refused
 */
export async function refusingFirst<T>(weightier: () => Promise<void>, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal) await weightier()
    throw error
  }
}

/**
 * Refuses the request: unwinds the transaction, answers with the code's status and this sentence.
 * @throws {Refusal} always
 */
export function refuse(
  code: RefusalCode,
  message: string = refusals[code][1],
  details?: Record<string, unknown>,
): never {
  throw new Refusal(code, message, details ? { details } : {})
}

/**
 * Refuses with 422 and the list of issues, for rules that a schema cannot say.
 * @throws {Refusal} always, `validation_failed`
 */
export function refuseInput(issues: ValidationIssue[]): never {
  throw new Refusal('validation_failed', issues[0]?.message ?? refusals.validation_failed[1], { data: issues })
}
