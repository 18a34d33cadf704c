/**
 * Identity documents (KYC): verified at once by the sandbox, or later by a rail or a person.
 * Encrypted, and shown by their last four characters only.
 */
import type { Scope } from '../../core/app.ts'
import { insert, type Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { sealedColumn } from '../../db/sealed.ts'
import { later } from '../../lib/clock.ts'
import { refuseInput } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import type { Static } from '../../lib/schema.ts'
import { seal } from '../../lib/secrets.ts'
import { enqueue, schedule } from '../../platform/jobs/timers.ts'
import { findBank } from '../../platform/lookups/lookups.ts'
import type { IdentityRequest, IdentityTerms } from '../../rails/ports/rail.ts'
import { get, lock } from './customers.ts'
import { findIdentityRail } from './identity-rail.ts'
import { refuse } from './refusals.ts'
import type {
  Customer,
  DocumentIn,
  documentFailures,
  IdentityDocument,
  IdType,
  VerifiedIdentityDocument,
} from './schema.ts'
import * as statements from './sql.ts'

/** Sends pending documents to their rail and queries it. Queued jobs store this name. */
export const verifyTask = 'customers.verify'

/** The format of each type's number, and its description in a refusal. */
export const idFormats: Record<IdType, { pattern: RegExp; says: string }> = {
  bvn: { pattern: /^\d{11}$/, says: '11 digits' },
  nin: { pattern: /^\d{11}$/, says: '11 digits' },
  passport: { pattern: /^[A-Z] ?\d{8}$/i, says: 'a letter and 8 digits' },
  drivers_license: {
    pattern: /^[A-Z]{3}[ -]?[A-Z0-9]{6,12}$/i,
    says: '3 letters, then 6 to 12 letters or digits',
  },
  voters_card: { pattern: /^([A-Z0-9]{9}|[A-Z0-9]{19})$/i, says: '9 or 19 letters or digits' },
  cac: {
    pattern: /^(RC|BN|IT)?\d{5,8}$/i,
    says: '5 to 8 digits, with or without RC, BN or IT before them',
  },
  tin: {
    pattern: /^(?=.{1,20}$)\d{8,}-\d{4,}$/,
    says: 'at least 8 digits, a hyphen and at least 4 digits, 20 characters in all',
  },
}

type Failure = Exclude<(typeof documentFailures)[number], 'no_answer'>

/**
 * Sandbox results by the integer that a number's digits form: bvn 00000000001, passport A00000001
 * and cac RC00001 are all 1. Any other number, or one without digits, is verified. `later`: after
 * `SANDBOX_DELAY`, as a rail does.
 */
export const magicNumbers: Readonly<
  Record<string, { failure: Failure | null; later?: true; review?: true; meaning: string }>
> = {
  1: {
    failure: 'mismatch',
    meaning: 'The document is someone else’s: its name is not the customer’s.',
  },
  2: { failure: 'not_found', meaning: 'The issuer knows no document of this number.' },
  11: { failure: null, later: true, meaning: 'The answer comes later, with an event.' },
  12: { failure: 'mismatch', later: true, meaning: 'The answer comes later, with an event.' },
  21: {
    failure: null,
    review: true,
    meaning: 'A person of the operator’s decides, as of papers in live mode.',
  },
}

/**
 * Verifies a document and replaces the one of its type, except that a failure never replaces a
 * verified one. The sandbox answers at once. For a rail, a job of the same commit sends the
 * document, which is pending until the rail answers. A paper document without a rail is pending
 * until a person decides.
 * @returns the result of this verification, also when it is not kept
 * @throws {Refusal} `not_found`; `validation_failed` for a number in the wrong format, or without
 * the bank account that the rail compares it with; `rail_not_configured` in live mode;
 * `customer_incomplete`, `unknown_bank`; `document_pending` and `document_verified` (409)
 */
export async function verifyDocument(
  work: Work,
  customerId: string,
  input: Static<typeof DocumentIn>,
): Promise<IdentityDocument> {
  const { id_type: type, id_number: number } = input
  const { pattern, says } = idFormats[type]
  if (!pattern.test(number))
    refuseInput([
      { path: 'id_number', message: `id_number of a ${type} must be ${says}`, location: 'body' },
    ])
  const customer = await lock(work, customerId)
  const rail = findIdentityRail(work, type)
  if (rail !== null) return sendLater(work, customer, rail, input)
  const { failure, later: isLater = false, review: isReviewed = false } = sandboxFinding(number)
  if (work.scope.livemode || isReviewed) return waitForPerson(work, customer.id, input)
  if (isLater) return answerLater(work, customer.id, input)
  return keep(work, customer.id, input, {
    ...(failure === null
      ? { status: 'verified', failure_reason: null }
      : { status: 'failed', failure_reason: failure }),
    rail: null,
    bank_account: null,
  })
}

/** Stores a pending document that the sandbox answers later. */
async function answerLater(
  work: Work,
  id: Id,
  input: Static<typeof DocumentIn>,
): Promise<IdentityDocument> {
  const { cards, delayMs } = work.terms.test.sandbox
  await refuseKnown(work, id, input.id_type)
  const kept = await keep(work, id, input, {
    status: 'pending',
    failure_reason: null,
    rail: cards.name,
    bank_account: null,
  })
  const dueAt = later(work.scope.now, delayMs)
  await schedule(work, { task: verifyTask, subject: id, dueAt, payload: { customer_id: id } })
  return kept
}

/** Stores a pending document for review by a person. */
async function waitForPerson(
  work: Work,
  id: Id,
  input: Static<typeof DocumentIn>,
): Promise<IdentityDocument> {
  await refuseKnown(work, id, input.id_type)
  const { now } = work.scope
  return keep(work, id, input, {
    status: 'pending',
    failure_reason: null,
    rail: null,
    bank_account: null,
    review_id: newId(now),
    review_reason: 'no_rail',
    review_since: now,
  })
}

/** @throws {Refusal} `document_pending` and `document_verified` (409) */
async function refuseKnown(work: Work, customerId: Id, type: IdType): Promise<void> {
  const known = await work.row(statements.lockDocument, [customerId, type])
  if (known?.status === 'pending')
    refuse(
      'document_pending',
      `A ${type} of the customer is being verified; wait for customer.document.verified or .failed.`,
    )
  if (known?.status === 'verified')
    refuse('document_verified', `A ${type} of the customer is verified already.`)
}

/** Stores a pending document and enqueues its verification by a rail. */
async function sendLater(
  work: Work,
  { id, first_name, last_name }: Customer,
  { name: rail, needsAccount }: IdentityTerms,
  input: Static<typeof DocumentIn>,
): Promise<IdentityDocument> {
  const { id_type: type } = input
  const account = needsAccount ? accountIn(work, input) : null
  if (first_name === null || last_name === null)
    refuse(
      'customer_incomplete',
      'The name must fit the document: give the customer a first_name and a last_name (PUT /customers/{id}).',
    )
  await refuseKnown(work, id, type)
  const kept = await keep(work, id, input, {
    status: 'pending',
    failure_reason: null,
    rail,
    bank_account:
      account &&
      seal(work.secrets, 'identity number', JSON.stringify(account), accountOwner(work, id, type)),
  })
  await enqueue(work, [{ task: verifyTask, subject: id, payload: { customer_id: id } }])
  return kept
}

/**
 * Returns the account that the rail compares a number with. @throws {Refusal} `validation_failed`,
 * `unknown_bank`
 */
function accountIn(
  work: Work,
  { id_type: type, bank_code: bankCode, account_number: accountNumber }: Static<typeof DocumentIn>,
): NonNullable<IdentityRequest['account']> {
  const issue = (path: string) => ({
    path,
    message: `${path} is required: the ${type} is compared with a bank account of its holder`,
    location: 'body' as const,
  })
  if (bankCode === undefined || accountNumber === undefined)
    refuseInput([
      ...(bankCode === undefined ? [issue('bank_code')] : []),
      ...(accountNumber === undefined ? [issue('account_number')] : []),
    ])
  if (!findBank(work, 'ng', bankCode))
    refuse(
      'unknown_bank',
      `No bank has the code '${bankCode}'. GET /misc/ng/banks lists the codes.`,
    )
  return { bankCode, accountNumber }
}

type Found = Pick<statements.DocumentRow, 'status' | 'failure_reason' | 'rail' | 'bank_account'> &
  Partial<Pick<statements.DocumentRow, 'review_id' | 'review_reason' | 'review_since'>>

async function keep(
  work: Work,
  id: Id,
  { id_type: type, id_number: number }: Static<typeof DocumentIn>,
  found: Found,
): Promise<IdentityDocument> {
  const { now } = work.scope
  const shown = {
    id_type: type,
    status: found.status,
    failure_reason: found.failure_reason,
    verified_at: found.status === 'verified' ? now : null,
    created_at: now,
    updated_at: now,
  }
  const masked = mask(number)
  const sealed = seal(work.secrets, 'identity number', number, documentOwner(work, id, type))
  const row = { ...shown, ...found, customer_id: id, id_number: sealed, masked }
  const kept = await insert(work, statements.documents, row, statements.replaceDocument)
  await work.rows(statements.updateKycStatus, [id, now])
  const { review_reason: reason, review_since: since } = found
  const review = reason && since ? { reason, since } : null
  return { ...shown, id_number: masked, review, created_at: kept?.created_at ?? now }
}

/**
 * Returns a customer's verified documents, in the order in which their types were first given.
 * @throws {Refusal} `not_found`
 */
export async function listDocuments(
  ctx: Ctx,
  customerId: string,
): Promise<VerifiedIdentityDocument[]> {
  const { id } = await get(ctx, customerId)
  return ctx.rows(statements.selectVerified, [id])
}

/** The record that an encrypted number is bound to. */
export function documentOwner(
  { scope }: { scope: Pick<Scope, 'businessId' | 'livemode'> },
  customerId: Id,
  type: IdType,
): string {
  return [scope.businessId, scope.livemode, customerId, type].join()
}

/** The encrypted numbers in the database. */
export const sealedNumbers = sealedColumn({
  table: 'customer_documents',
  column: 'id_number',
  key: ['customer_id', 'id_type'],
  purpose: 'identity number',
  ownerOf: ({ business_id: businessId, livemode, customer_id, id_type }) =>
    documentOwner({ scope: { businessId, livemode } }, customer_id, id_type as IdType),
})

/** The record that an encrypted bank account is bound to. */
export const accountOwner = (
  view: Parameters<typeof documentOwner>[0],
  customerId: Id,
  type: IdType,
): string => `${documentOwner(view, customerId, type)},account`

/** The encrypted accounts in the database. */
export const sealedAccounts = sealedColumn({
  table: 'customer_documents',
  column: 'bank_account',
  key: ['customer_id', 'id_type'],
  purpose: 'identity number',
  ownerOf: ({ business_id: businessId, livemode, customer_id, id_type }) =>
    accountOwner({ scope: { businessId, livemode } }, customer_id, id_type as IdType),
})

/** Returns the sandbox's result for a number. */
export function sandboxFinding(number: string): {
  failure: Failure | null
  later?: true
  review?: true
} {
  const digits = number.replaceAll(/\D/g, '').replace(/^0+/, '')
  return magicNumbers[digits] ?? { failure: null }
}

function mask(number: string): string {
  return number.slice(-4).padStart(number.length, '*')
}
