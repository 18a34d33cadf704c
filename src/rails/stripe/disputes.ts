/**
 * Answers disputes at Stripe. Each file is uploaded first, then the evidence is submitted. Every
 * call has a key of idempotency. https://docs.stripe.com/api/disputes/update
 */

import { sha256Hex } from '../../lib/secrets.ts'
import { asObject, textOf } from '../http/values.ts'
import type {
  AnswerOutcome,
  DisputeAnswer,
  DisputeRail,
  EvidenceTexts,
  FileKind,
  ProviderAnswers,
} from '../ports/disputes.ts'
import type { Account } from './account.ts'
import type { Answer, FilesClient } from './client.ts'

/** The field of evidence for each kind of file; the bundle is `uncategorized_file`. */
const fileFields: Record<FileKind, string> = {
  receipt: 'receipt',
  delivery: 'shipping_documentation',
  communication: 'customer_communication',
  other: 'service_documentation',
}

const evidenceOf = (texts: EvidenceTexts): Record<string, string | undefined> => ({
  customer_name: texts.customer_name ?? undefined,
  customer_email_address: texts.customer_email ?? undefined,
  uncategorized_text: texts.explanation ?? undefined,
  shipping_address: texts.delivery_address ?? undefined,
  shipping_date: texts.delivery_date ?? undefined,
})

/** Statuses in which Stripe waits for an answer. */
const waiting = ['needs_response', 'warning_needs_response', 'appeal_needs_response']
export const isWaiting = (status: unknown): boolean => waiting.includes(String(status))

export const stripeDisputes = (account: Account, files: FilesClient): DisputeRail => ({
  needs: ['explanation'],
  readAnswers: (providerId) => readAnswers(account, providerId),
  answer: (answer) => (answer.accepts ? accept(account, answer) : submit(account, files, answer)),
})

async function readAnswers({ client }: Account, id: string): Promise<ProviderAnswers | null> {
  const path = '/v1/disputes/{id}'
  const answer = await client.ask({ method: 'GET', path, params: { id }, urgency: 'ask' })
  if (answer.is !== 'answered' || answer.data.id !== id) return null
  const count = asObject(answer.data.evidence_details)?.submission_count
  return {
    count: typeof count === 'number' ? count : 0,
    isWaiting: isWaiting(answer.data.status),
  }
}

async function accept(
  { client }: Account,
  { providerId, key }: DisputeAnswer,
): Promise<AnswerOutcome> {
  const path = '/v1/disputes/{id}/close'
  const params = { id: providerId }
  return outcomeOf(
    await client.ask({ method: 'POST', path, params, key, body: {}, urgency: 'send' }),
  )
}

async function submit(
  { client }: Account,
  filesClient: FilesClient,
  { providerId: id, key, texts, files, bundle }: DisputeAnswer,
): Promise<AnswerOutcome> {
  const evidence: Record<string, string | undefined> = evidenceOf(texts)
  const all = [
    ...files.map(({ kind, ...file }) => ({ field: fileFields[kind], ...file })),
    { field: 'uncategorized_file', type: 'application/pdf', content: await bundle(false) },
  ]
  for (const { field, ...file } of all) {
    const call = { method: 'POST', path: '/v1/files', urgency: 'send' } as const
    const fileKey = keyOf(`${key}-${field}`, file.content)
    const answer = await filesClient.ask({ ...call, key: fileKey, file })
    const name = answer.is === 'answered' ? textOf(answer.data.id) : null
    if (name === null) return outcomeOf(answer)
    evidence[field] = name
  }
  const path = '/v1/disputes/{id}'
  const body = { evidence, submit: 'true' }
  const ownKey = keyOf(key, JSON.stringify(body))
  return outcomeOf(
    await client.ask({ method: 'POST', path, params: { id }, key: ownKey, body, urgency: 'send' }),
  )
}

/**
 * A key of idempotency for a body: a later try has a bundle of a later time, and Stripe refuses a
 * known key with another body. Whether an earlier try arrived, Stripe is asked before.
 */
const keyOf = (key: string, body: string | Uint8Array): string =>
  `${key}-${sha256Hex(body).slice(0, 16)}`

function outcomeOf(answer: Answer): AnswerOutcome {
  if (answer.is === 'answered')
    return textOf(answer.data.id) === null
      ? { is: 'unknown', why: 'Stripe answers without an id' }
      : { is: 'taken' }
  if (answer.is === 'refused') return { is: 'refused', why: `Stripe: ${answer.message}` }
  return { is: 'unknown', why: `Stripe could not be asked (${answer.is})` }
}
