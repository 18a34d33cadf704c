/**
 * Answers disputes at Paystack: the customer's details, one file, then the resolution. Nothing but
 * the resolution is an answer. https://paystack.com/docs/api/dispute/
 */
import { openExchange } from '../http/exchange.ts'
import type {
  AnswerOutcome,
  DisputeAnswer,
  DisputeRail,
  ProviderAnswers,
} from '../ports/disputes.ts'
import type { Account } from './account.ts'
import { type Answer, asObject, type Reach, textOf, wholeOf } from './client.ts'
import { isAnsweredDispute, resolutionOf, uploadedName, uploadType } from './unconfirmed.ts'

export const paystackDisputes = (account: Account, reach: Reach): DisputeRail => ({
  needs: ['customer_name', 'customer_email', 'customer_phone', 'explanation'],
  readAnswers: (providerId) => readAnswers(account, providerId),
  answer: (answer) => resolve(account, reach, answer),
})

async function readAnswers({ client }: Account, id: string): Promise<ProviderAnswers | null> {
  const path = '/dispute/{id}'
  const answer = await client.ask({ method: 'GET', path, params: { id }, urgency: 'ask' })
  const row = answer.is === 'answered' ? asObject(answer.data) : null
  if (row === null || String(row.id) !== id) return null
  return { count: 0, isWaiting: !isAnsweredDispute(row) }
}

async function resolve(
  account: Account,
  reach: Reach,
  answer: DisputeAnswer,
): Promise<AnswerOutcome> {
  const { client } = account
  const params = { id: answer.providerId }
  const file = await upload(account, reach, answer)
  if (typeof file !== 'string') return file
  const evidence = answer.accepts ? undefined : await addEvidence(account, answer)
  if (typeof evidence === 'object') return evidence
  const came = await client.ask({
    method: 'PUT',
    path: '/dispute/{id}/resolve',
    params,
    body: { ...resolutionOf(answer), uploaded_filename: file, evidence },
    urgency: 'send',
  })
  return came.is === 'answered' ? { is: 'taken' } : outcomeOf(came)
}

/** @returns the provider's number of the evidence, or what came instead */
async function addEvidence(
  { client }: Account,
  { providerId, texts }: DisputeAnswer,
): Promise<number | AnswerOutcome> {
  const came = await client.ask({
    method: 'POST',
    path: '/dispute/{id}/evidence',
    params: { id: providerId },
    body: {
      customer_email: texts.customer_email,
      customer_name: texts.customer_name,
      customer_phone: texts.customer_phone,
      service_details: texts.explanation,
      ...(texts.delivery_address && { delivery_address: texts.delivery_address }),
      ...(texts.delivery_date && { delivery_date: texts.delivery_date }),
    },
    urgency: 'send',
  })
  const id = came.is === 'answered' ? wholeOf(asObject(came.data)?.id) : null
  return id === null ? outcomeOf(came) : Number(id)
}

/** Uploads the bundle. @returns its name at Paystack, or what came instead */
async function upload(
  { client }: Account,
  reach: Reach,
  { providerId, bundle }: DisputeAnswer,
): Promise<string | AnswerOutcome> {
  const came = await client.ask({
    method: 'GET',
    path: '/dispute/{id}/upload_url',
    params: { id: providerId },
    query: { upload_filename: uploadedName },
    urgency: 'send',
  })
  const data = came.is === 'answered' ? asObject(came.data) : null
  const [address, name] = [textOf(data?.signedUrl), textOf(data?.fileName)]
  if (address === null || name === null || !URL.canParse(address)) return outcomeOf(came)
  const url = new URL(address)
  if (url.protocol !== new URL(reach.host).protocol)
    return { is: 'unknown', why: 'Paystack names no https address for the file' }
  const send = openExchange({ ...reach, host: url.origin })
  const body = await bundle(true)
  const headers = { 'content-type': uploadType, 'content-length': String(body.length) }
  const { status, error } = await send({ url, method: 'PUT', headers, body })
  if (error !== null || status === null || status >= 300)
    return { is: 'unknown', why: `the file was not stored (${status ?? error})` }
  return name
}

function outcomeOf(came: Answer): AnswerOutcome {
  if (came.is === 'refused') return { is: 'refused', why: `Paystack: ${came.message}` }
  const why = came.is === 'answered' ? 'in a form that is not its own' : `(${came.is})`
  return { is: 'unknown', why: `Paystack answers ${why}` }
}
