/**
 * Identity documents (KYC): verified as they come, sealed at rest, and shown by their last four characters only.
 */
import type { Scope } from '../../core/app.ts'
import { insert, type Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { sealedColumn } from '../../db/sealed.ts'
import { refuse, refuseInput } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import type { Static } from '../../lib/schema.ts'
import { seal } from '../../lib/secrets.ts'
import { get, lock } from './customers.ts'
import type { DocumentIn, documentFailures, IdentityDocument, IdType, VerifiedIdentityDocument } from './schema.ts'
import * as statements from './sql.ts'

/** The form of each type's number, and how a refusal describes it. */
export const idFormats: Record<IdType, { pattern: RegExp; says: string }> = {
  bvn: { pattern: /^\d{11}$/, says: '11 digits' },
  nin: { pattern: /^\d{11}$/, says: '11 digits' },
  passport: { pattern: /^[A-Z] ?\d{8}$/i, says: 'a letter and 8 digits' },
  drivers_license: {
    pattern: /^[A-Z]{3}[ -]?[A-Z0-9]{6,12}$/i,
    says: '3 letters, then 6 to 12 letters or digits',
  },
  voters_card: { pattern: /^([A-Z0-9]{9}|[A-Z0-9]{19})$/i, says: '9 or 19 letters or digits' },
  cac: { pattern: /^(RC|BN|IT)?\d{5,8}$/i, says: '5 to 8 digits, with or without RC, BN or IT before them' },
  tin: {
    pattern: /^(?=.{1,20}$)\d{8,}-\d{4,}$/,
    says: 'at least 8 digits, a hyphen and at least 4 digits, 20 characters in all',
  },
}

type Failure = (typeof documentFailures)[number]

/**
 * What the sandbox makes of a number, by the integer that its digits are: bvn 00000000001, passport A00000001 and cac
 * RC00001 are all 1. Any other number is verified, and so is one without digits.
 */
export const magicNumbers: Readonly<Record<string, { failure: Failure; meaning: string }>> = {
  1: { failure: 'mismatch', meaning: 'The document is someone else’s: its name is not the customer’s.' },
  2: { failure: 'not_found', meaning: 'The issuer knows no document of this number.' },
}

/**
 * Verifies a document and keeps it in place of the one of its type; but a failed one leaves a verified one as it is.
 * @returns what came of this verification, also when it is not kept
 * @throws {Refusal} `not_found`; `validation_failed` for a number not in its type's form; `rail_not_configured` in live
 *   mode
 */
export async function verifyDocument(
  work: Work,
  customerId: string,
  { id_type: type, id_number: number }: Static<typeof DocumentIn>,
): Promise<IdentityDocument> {
  const { livemode, now } = work.scope
  const { pattern, says } = idFormats[type]
  if (!pattern.test(number))
    refuseInput([{ path: 'id_number', message: `id_number of a ${type} must be ${says}`, location: 'body' }])
  const { id } = await lock(work, customerId)
  if (livemode) refuse('rail_not_configured', 'No identity verification is configured for live mode on this server.')
  const failure = sandboxFinding(number)
  const masked = mask(number)
  const found = {
    id_type: type,
    verified_at: failure ? null : now,
    status: failure ? ('failed' as const) : ('verified' as const),
    failure_reason: failure,
    created_at: now,
    updated_at: now,
  }
  const sealed = seal(work.secrets, 'identity number', number, documentOwner(work, id, type))
  const row = { ...found, customer_id: id, id_number: sealed, masked }
  const kept = await insert(work, statements.documents, row, statements.replaceDocument)
  await work.rows(statements.updateKycStatus, [id, now])
  return { ...found, id_number: masked, created_at: kept?.created_at ?? now }
}

/**
 * A customer's verified documents, in the order their types were first given.
 * @throws {Refusal} `not_found`
 */
export async function listDocuments(ctx: Ctx, customerId: string): Promise<VerifiedIdentityDocument[]> {
  const { id } = await get(ctx, customerId)
  return ctx.rows(statements.selectVerified, [id])
}

/** What a sealed number is bound to. */
export function documentOwner(
  { scope }: { scope: Pick<Scope, 'businessId' | 'livemode'> },
  customerId: Id,
  type: IdType,
): string {
  return [scope.businessId, scope.livemode, customerId, type].join()
}

/** The numbers in the database. */
export const sealedNumbers = sealedColumn({
  ...{ table: 'customer_documents', column: 'id_number', key: ['customer_id', 'id_type'], purpose: 'identity number' },
  ownerOf: ({ business_id: businessId, livemode, customer_id, id_type }) =>
    documentOwner({ scope: { businessId, livemode } }, customer_id, id_type as IdType),
})

function sandboxFinding(number: string): Failure | null {
  const digits = number.replaceAll(/\D/g, '').replace(/^0+/, '')
  return magicNumbers[digits]?.failure ?? null
}

function mask(number: string): string {
  return number.slice(-4).padStart(number.length, '*')
}
