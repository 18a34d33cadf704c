/**
 * Draws the evidence bundle of a dispute: what the business says, and what our own records show of
 * the payment, as one PDF.
 */
import { getBusiness } from '../../books/profiles/profiles.ts'
import { getReceipt } from '../../books/proofs/proofs.ts'
import { getTransaction, type Transaction } from '../../books/transactions/transactions.ts'
import type { Ctx } from '../../core/outside.ts'
import { localTime } from '../../lib/days.ts'
import { Refusal } from '../../lib/errors.ts'
import { showMoney } from '../../lib/money.ts'
import { bottom, type Canvas, openCanvas, type Style } from '../../lib/pdf/canvas.ts'
import { mailsAbout } from '../../platform/mail/mail.ts'
import { eventsAbout } from '../../platform/webhooks/webhooks.ts'
import type { EvidenceFile, EvidenceTexts, FileKind } from '../../rails/ports/disputes.ts'
import * as payments from '../payments/payments.ts'
import type { DisputeRow } from './sql.ts'

const left = 56
const width = 483
const valueAt = 196
const plain: Style = { size: 10 }
const dim: Style = { size: 10, color: '#5b6472' }
const code: Style = { size: 8 }
const heading: Style = { size: 13, bold: true }

type Fact = readonly [label: string, value: string | null]
export type BundleParts = { texts: EvidenceTexts; files: readonly EvidenceFile[] }

/** Tracks the position on a page. */
type Sheet = { canvas: Canvas; y: number }

/** @returns the bytes of the file */
export async function drawBundle(
  ctx: Ctx,
  dispute: DisputeRow,
  { texts, files }: BundleParts,
): Promise<Uint8Array> {
  const business = await getBusiness(ctx)
  const time = (at: Date | null): string | null =>
    at && `${localTime(at, business.time_zone)} (${business.time_zone})`
  const canvas = await openCanvas(ctx.config.PDF_FONTS, {
    title: `Evidence for dispute ${dispute.provider_reference}`,
    author: business.name,
    at: ctx.scope.now,
  })
  const sheet: Sheet = { canvas, y: 56 }
  write(sheet, `Evidence for dispute ${dispute.provider_reference}`, { size: 18, bold: true })
  write(sheet, `${business.name}, ${time(ctx.scope.now)}`, dim)
  section(sheet, 'What the business says', saidFacts(texts))
  const transaction = await getTransaction(ctx, dispute.transaction_id)
  const payment = dispute.payment_id && (await payments.get(ctx, dispute.payment_id))
  section(sheet, 'Receipt of the payment', [
    ['Payment', payment ? payment.reference : null],
    ['For', payment ? payment.description : null],
    ...transactionFacts(transaction, time),
    ['Given back before', payment ? showMoney(payment.amount_refunded, dispute.currency) : null],
    ['Disputed', showMoney(dispute.amount, dispute.currency)],
    ['Reason given', dispute.reason],
  ])
  section(sheet, 'Delivery log', await deliveryFacts(ctx, payment || null, time))
  await proofSection(ctx, sheet, dispute)
  fileSections(sheet, files)
  return canvas.close()
}

const saidFacts = (texts: EvidenceTexts): Fact[] => [
  ['Explanation', texts.explanation],
  ['Customer', texts.customer_name],
  ['Email address', texts.customer_email],
  ['Phone', texts.customer_phone],
  ['Delivered to', texts.delivery_address],
  ['Delivered on', texts.delivery_date],
]

const transactionFacts = (
  { id, method, amount, currency, created_at, source }: Transaction,
  time: (at: Date) => string | null,
): Fact[] => [
  ['Paid', `${showMoney(BigInt(amount), currency)} by ${method.replaceAll('_', ' ')}`],
  ['Received', time(new Date(created_at))],
  ['Transaction', id],
  ...Object.entries(source ?? {}).map(
    ([name, value]): Fact => [name.replaceAll('_', ' '), String(value)],
  ),
]

/** When the systems of the business and the payer were told that the payment was completed. */
async function deliveryFacts(
  ctx: Ctx,
  payment: payments.Payment | null,
  time: (at: Date | null) => string | null,
): Promise<Fact[]> {
  if (payment === null) return []
  const between: [Date, Date] = [payment.created_at, ctx.scope.now]
  const about = { type: 'payment.completed', about: payment.id, between }
  const events = await eventsAbout(ctx, [about], 5)
  const mails = await mailsAbout(ctx, `payment.completed ${payment.id}`)
  const tries = events
    .flatMap(({ deliveries }) => deliveries)
    .flatMap(({ url, attempts }) =>
      attempts.map(({ at, response_status }): Fact => {
        const came = response_status === null ? 'no answer' : `answered ${response_status}`
        return [time(at) ?? '', `payment.completed sent to ${new URL(url).host}: ${came}`]
      }),
    )
  const sent = mails
    .filter(({ status }) => status === 'sent')
    .map(({ sent_at, recipient }): Fact => [time(sent_at) ?? '', `receipt mailed to ${recipient}`])
  const log = [...tries, ...sent]
  return log.length > 0 ? log : [['Sent', 'No message about the payment was sent.']]
}

/** The proof of the ledger, or why there is none yet. */
async function proofSection(ctx: Ctx, sheet: Sheet, dispute: DisputeRow): Promise<void> {
  try {
    const { days } = await getReceipt(ctx, dispute.transaction_id)
    section(sheet, 'Proof of the ledger', [
      ['Checked by', `${ctx.origin.url}/proofs/${days[0]?.day}, and bursar proofs verify`],
    ])
    for (const { day, cell, key, root, signature, seals } of days) {
      const postings = seals.flatMap((one) => one.postings)
      section(sheet, day, [
        ...postings.map((one): Fact => [one.posting, showMoney(one.amount, dispute.currency)]),
        ['Cell', cell],
        ['Signing key', key],
        ['Root', root],
        ['Signature', signature],
      ])
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    section(sheet, 'Proof of the ledger', [['Not yet', error.message]])
  }
}

const fileNames: Record<FileKind, string> = {
  receipt: 'Receipt',
  delivery: 'Proof of delivery',
  communication: 'Communication with the customer',
  other: 'Further evidence',
}

/** Shows each picture on a page of its own. A PDF is attached. */
function fileSections(sheet: Sheet, files: readonly EvidenceFile[]): void {
  for (const { kind, type, content } of files) {
    if (type === 'application/pdf') {
      section(sheet, fileNames[kind], [['Attached', `${kind}.pdf, inside this file`]])
      sheet.canvas.attach(`${kind}.pdf`, content)
      continue
    }
    sheet.y = sheet.canvas.page()
    write(sheet, fileNames[kind], heading)
    const box = { width, height: bottom - sheet.y }
    sheet.y += sheet.canvas.picture(content, left, sheet.y, box)
  }
}

function write(sheet: Sheet, text: string, style: Style): void {
  sheet.y = sheet.canvas.wrap(text, left, sheet.y, width, style) + 4
}

/** Writes a heading and facts, of which those without a value are left out. */
function section(sheet: Sheet, title: string, facts: readonly Fact[]): void {
  const shown = facts.filter((fact): fact is readonly [string, string] => Boolean(fact[1]))
  if (shown.length === 0) return
  sheet.y += 14
  if (sheet.y > bottom - 80) sheet.y = sheet.canvas.page()
  write(sheet, title, heading)
  for (const [label, value] of shown) {
    const style = value.length > 60 && !value.includes(' ') ? code : plain
    if (sheet.y > bottom - 30) sheet.y = sheet.canvas.page()
    const end = sheet.canvas.wrap(label, left, sheet.y, valueAt - left - 10, dim)
    sheet.y = Math.max(end, sheet.canvas.wrap(value, valueAt, sheet.y, 539 - valueAt, style)) + 2
  }
}
