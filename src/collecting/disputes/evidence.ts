/** The evidence of a dispute: what a person wrote and which files belong to it, encrypted. */
import { insert, update, type View, type Work } from '../../core/inside.ts'
import { refuseInput } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { modeOf } from '../../lib/mode.ts'
import type { Static } from '../../lib/schema.ts'
import { seal, sha256Hex, unseal } from '../../lib/secrets.ts'
import type { DisputeTerms, EvidenceFile, EvidenceTexts } from '../../rails/ports/disputes.ts'
import { readEvidenceFile } from './files.ts'
import { refuse, refuseUnknown } from './refusals.ts'
import { type EvidenceIn, type EvidenceRecord, fileKinds } from './schema.ts'
import {
  type DisputeRow,
  deleteFiles,
  type EvidenceRow,
  evidence,
  type FileRow,
  files,
  lockDispute,
  lockEvidence,
  sealedFiles,
  sealedTexts,
  selectContents,
  selectDispute,
  selectEvidence,
  selectFiles,
} from './sql.ts'

export type Evidence = Static<typeof EvidenceRecord>
type Change = Static<typeof EvidenceIn>

/** The rail of simulated disputes. */
export const simulatedRail = 'sandbox'

const noTexts: EvidenceTexts = {
  customer_name: null,
  customer_email: null,
  customer_phone: null,
  explanation: null,
  delivery_address: null,
  delivery_date: null,
}
const textNames = Object.keys(noTexts) as (keyof EvidenceTexts)[]

/** Returns what a provider needs; null when no answer goes to it from here. */
export function termsOf({ terms, scope }: View, rail: string): DisputeTerms | null {
  if (rail === simulatedRail) return { needs: ['explanation'] }
  const { accounts } = terms[modeOf(scope.livemode)]
  return (Object.hasOwn(accounts, rail) && accounts[rail]?.disputes) || null
}

/** @throws {Refusal} `not_found` */
export async function getEvidence(view: View, id: string): Promise<Evidence> {
  const row = (await view.row(selectDispute, [id])) ?? refuseUnknown(id)
  return toEvidence(view, row, await view.row(selectEvidence, [id]))
}

export async function toEvidence(
  view: View,
  { id, rail }: Pick<DisputeRow, 'id' | 'rail'>,
  row: EvidenceRow | null,
): Promise<Evidence> {
  const texts = textsOf(view, row)
  const terms = termsOf(view, rail)
  return {
    dispute: id,
    status: row?.status ?? 'draft',
    accepts: row?.accepts ?? false,
    ...texts,
    files: await view.rows(selectFiles, [id]),
    needs: (terms?.needs ?? []).filter((name) => texts[name] === null),
    by_api: terms !== null,
    failure: row?.failure ?? null,
    submitted_at: row?.submitted_at ?? null,
  }
}

export function textsOf({ secrets }: View, row: EvidenceRow | null): EvidenceTexts {
  if (!row?.texts) return noTexts
  return { ...noTexts, ...JSON.parse(unseal(secrets, sealedTexts.purpose, row.texts, row.id)) }
}

/** Decrypts the files of a dispute. */
export async function filesOf(view: View, id: string): Promise<EvidenceFile[]> {
  return (await view.rows(selectContents, [id])).map((row) => ({
    kind: row.kind,
    type: row.type,
    content: Buffer.from(
      unseal(view.secrets, sealedFiles.purpose, row.content as Buffer, row.id),
      'base64',
    ),
  }))
}

/**
 * Locks a dispute and its evidence, which can still be changed.
 * @throws {Refusal} `not_found`, `dispute_already_closed`, `dispute_answered`
 */
export async function lockDraft(
  work: Work,
  id: string,
): Promise<{ dispute: DisputeRow; row: EvidenceRow | null }> {
  const dispute = (await work.row(lockDispute, [id])) ?? refuseUnknown(id)
  if (dispute.status !== 'open')
    refuse('dispute_already_closed', `The dispute is ${dispute.status} already.`)
  const row = await work.row(lockEvidence, [id])
  if (row?.status === 'sending' || row?.status === 'sent') refuse('dispute_answered')
  return { dispute, row }
}

/** Writes the evidence of a dispute, which `lockDraft` has locked. */
export async function writeEvidence(
  work: Work,
  { dispute, row }: { dispute: DisputeRow; row: EvidenceRow | null },
  changes: Partial<EvidenceRow>,
): Promise<EvidenceRow> {
  const { now } = work.scope
  if (row) return update(work, evidence, row.id, { ...changes, updated_at: now })
  const { id, payment_id, customer_id } = dispute
  const whose = { id, payment_id, customer_id, texts: null, status: 'draft' as const }
  const made = { ...whose, created_at: now, updated_at: now, ...changes }
  return (await insert(work, evidence, made)) as EvidenceRow
}

/**
 * Changes texts and files of a dispute's evidence; what is left out stays.
 * @throws {Refusal} as `lockDraft`, and `validation_failed` for a file
 */
export async function updateEvidence(work: Work, id: string, change: Change): Promise<Evidence> {
  const locked = await lockDraft(work, id)
  const { files: given = {}, ...texts } = change
  const read = readFiles(given)
  const before = textsOf(work, locked.row)
  const after = Object.fromEntries(
    textNames.map((name) => [name, texts[name] === undefined ? before[name] : texts[name]]),
  )
  const sealed = seal(work.secrets, sealedTexts.purpose, JSON.stringify(after), id)
  const row = await writeEvidence(work, locked, { texts: sealed })
  const replaced = fileKinds.filter((kind) => given[kind] !== undefined)
  if (replaced.length > 0) await work.rows(deleteFiles, [id, replaced])
  for (const file of read) await insertFile(work, locked.dispute, file)
  return toEvidence(work, locked.dispute, row)
}

/** @throws {Refusal} `validation_failed` */
function readFiles(given: NonNullable<Change['files']>): EvidenceFile[] {
  return fileKinds.flatMap((kind) => {
    const text = given[kind]
    if (text === undefined || text === null) return []
    const read = readEvidenceFile(Buffer.from(text, 'base64'))
    const path = `files.${kind}`
    return typeof read === 'string'
      ? refuseInput([{ path, message: `${path} ${read}`, location: 'body' }])
      : [{ kind, ...read }]
  })
}

async function insertFile(work: Work, dispute: DisputeRow, file: EvidenceFile): Promise<FileRow> {
  const { now } = work.scope
  const id = newId(now)
  const { kind, type, content } = file
  const text = Buffer.from(content).toString('base64')
  const row = {
    id,
    dispute_id: dispute.id,
    payment_id: dispute.payment_id,
    customer_id: dispute.customer_id,
    kind,
    type,
    bytes: content.length,
    sha256: sha256Hex(content),
    content: seal(work.secrets, sealedFiles.purpose, text, id),
    created_at: now,
    updated_at: now,
  }
  return (await insert(work, files, row)) as FileRow
}
