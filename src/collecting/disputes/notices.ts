/** Notices to the team about a dispute: each names the payment and links to the dispute. */
import { timeZoneOf } from '../../books/profiles/profiles.ts'
import { dashboardUrl } from '../../core/dashboard-url.ts'
import type { Work } from '../../core/inside.ts'
import { modeOf } from '../../lib/mode.ts'
import { showMoney } from '../../lib/money.ts'
import { addNotices } from '../../platform/notices/notices.ts'
import * as payments from '../payments/payments.ts'
import type { DisputeRow } from './sql.ts'

export async function noticeOpened(work: Work, row: DisputeRow): Promise<void> {
  await addRequest(work, row, `The payer’s bank disputes ${await amountOf(work, row)}.`)
}

export async function noticeAskedAgain(work: Work, row: DisputeRow): Promise<void> {
  const amount = await amountOf(work, row)
  await addRequest(work, row, `The payer’s bank asks again about the dispute of ${amount}.`)
}

async function addRequest(work: Work, row: DisputeRow, what: string): Promise<void> {
  const { evidence_due_at: due } = row
  const until = due === null ? '' : ` Send your evidence by ${await localDeadline(work, due)}.`
  await addLine(work, row, what + until)
}

export async function noticeDecided(work: Work, row: DisputeRow): Promise<void> {
  await addLine(work, row, `You ${row.status} the dispute of ${await amountOf(work, row)}.`)
}

const addLine = (work: Work, { id }: DisputeRow, said: string): Promise<void> => {
  const { scope } = work
  const path = `/${scope.businessId}/${modeOf(scope.livemode)}/disputes/${id}`
  const line = `${said} ${dashboardUrl(work, path)}`
  return addNotices(work.tx, [{ scope, kind: 'dispute', line }])
}

async function amountOf(work: Work, row: DisputeRow): Promise<string> {
  const amount = showMoney(row.amount, row.currency)
  const payment = row.payment_id && (await payments.find(work, row.payment_id))
  return payment ? `${amount} of payment ${payment.reference}` : amount
}

async function localDeadline(work: Work, due: Date): Promise<string> {
  const timeZone = await timeZoneOf(work)
  const time = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone })
  return `${time.format(due)} (${timeZone})`
}
