/** Statements as PDF: a table per wallet, with amounts aligned right. */
import type { Ctx } from '../../core/outside.ts'
import { dayOf, localTime, longDay } from '../../lib/days.ts'
import { showMoney } from '../../lib/money.ts'
import { bottom, type Canvas, openCanvas, type Style } from '../../lib/pdf/canvas.ts'
import type { Statement } from './schema.ts'

const left = 56
const right = 539
const columns = { in: 300, out: 420, fees: right }
const grey = '#5b6472'
const rule = '#d8dce2'
const plain: Style = { size: 10 }
const small: Style = { size: 9, color: grey }
const strong: Style = { size: 10, bold: true }
const line = 18
/** The least space for a wallet's table; otherwise it starts on a new page. */
const least = 8 * line

const names = {
  deposit: 'Deposits and payments',
  payout: 'Payouts',
  refund: 'Refunds',
  dispute: 'Disputes',
  conversion: 'Conversions',
  share: 'Shares of others',
  simulated_fund: 'Test money',
}

/** @returns the bytes of the file */
export async function statementPages(ctx: Ctx, statement: Statement): Promise<Uint8Array> {
  const { month, business, time_zone, from, to, complete, livemode } = statement
  const named = new Intl.DateTimeFormat('en-GB', {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(new Date(`${month}-01T00:00:00Z`))
  const lastMoment = new Date(to.getTime() - 1)
  const canvas = await openCanvas(ctx.config.PDF_FONTS, {
    title: `Statement ${named}`,
    author: business,
    at: complete ? to : ctx.scope.now,
  })
  const end = canvas.wrap(business, left, 56, 260, { size: 15, bold: true })
  canvas.right(`Statement ${named}`, right, 56, { size: 18, bold: true })
  let y = 84
  const fact = (text: string): void => {
    canvas.right(text, right, y, small)
    y += 14
  }
  fact(
    `${longDay(dayOf(from, time_zone))} to ${longDay(dayOf(lastMoment, time_zone))}, ${time_zone}`,
  )
  if (!complete) fact(`The month is not over. As of ${localTime(ctx.scope.now, time_zone)}`)
  if (!livemode) fact('Test mode: no real money moved')
  y = Math.max(y, end) + 24
  for (const wallet of statement.wallets)
    y = table(canvas, wallet, y > bottom - least ? canvas.page() : y)
  return canvas.close()
}

function table(canvas: Canvas, wallet: Statement['wallets'][number], from: number): number {
  const { currency, opening, closing, activity } = wallet
  let y = from
  const row = (
    label: string,
    amounts: Partial<Record<keyof typeof columns, bigint>>,
    style: Style,
  ): void => {
    if (y + line > bottom) y = canvas.page()
    canvas.text(label, left, y, style)
    for (const [name, amount] of Object.entries(amounts))
      canvas.right(showMoney(amount, currency), columns[name as keyof typeof columns], y, style)
    y += line
  }
  canvas.text(currency.toUpperCase(), left, y, { size: 13, bold: true })
  y += 24
  canvas.right('In', columns.in, y, small)
  canvas.right('Out', columns.out, y, small)
  canvas.right('Fees', columns.fees, y, small)
  canvas.line(left, right, y + 14, rule)
  y += 22
  row('Opening balance', { fees: opening }, strong)
  for (const { type, ...amounts } of activity) row(names[type], amounts, plain)
  row('Total', { in: wallet.in, out: wallet.out, fees: wallet.fees }, plain)
  canvas.line(left, right, y, rule)
  y += 6
  row('Closing balance', { fees: closing }, strong)
  return y + 22
}
