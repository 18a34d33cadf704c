/**
 * What the papers of a business have in common: their head, who sends them and who gets them, and a
 * column of totals.
 */
import {
  addressLines,
  type Business,
  numbersOf,
  type Seller,
} from '../../books/profiles/profiles.ts'
import { bottom, type Canvas } from '../../lib/pdf/canvas.ts'
import type { BillTo } from './sql.ts'

export const left = 56
export const right = 539
export const grey = '#5b6472'
export const rule = '#d8dce2'
/** Between two columns, at least. */
export const gap = 14
/** The same, for other modules. */
export const paper = { left, right, grey, rule, bottom }
/** Where the labels of totals end, at most. */
const labels = 415

/** A fact about the whole, such as when it was issued: its label, and what it is. */
export type Fact = [label: string, value: string]

/**
 * The logo and the seller to the left, what it is and its facts to the right. @returns where it
 * ends
 */
export function drawHead(
  canvas: Canvas,
  seller: string,
  logo: Uint8Array | null,
  title: string,
  facts: Fact[],
): number {
  const top =
    logo === null ? 56 : 56 + canvas.picture(logo, left, 56, { width: 160, height: 44 }) + 10
  const end = canvas.wrap(seller, left, top, 260, { size: 15, bold: true })
  canvas.right(title, right, 56, { size: 18, bold: true })
  let y = 82
  for (const [label, value] of facts) {
    canvas.right(value, right, y, { size: 10 })
    canvas.right(label, right - 130, y, { size: 10, color: grey })
    y += 16
  }
  return Math.max(y, end) + 22
}

/** Who gets it and who sends it. @returns where it ends */
export function drawParties(
  canvas: Canvas,
  billTo: BillTo | null,
  seller: Seller,
  business: Business,
  from: number,
): number {
  const column = (label: string, lines: string[], x: number): number => {
    canvas.text(label, x, from, { size: 9, color: grey })
    return lines.reduce(
      (y, line, i) => canvas.wrap(line, x, y, 220, { size: 10, bold: i === 0 }) + 2,
      from + 14,
    )
  }
  // Whom to ask is who can be asked today.
  const ways = [business.support_email, business.support_phone].filter((way) => way !== null)
  const sender = [seller.name, ...addressLines(seller.address), ...numbersOf(seller), ...ways]
  const b = column('From', sender, left + 260)
  const page = canvas.pages()
  // Last, since who has a long name and address may need another page.
  const receiver = billTo ? [billTo.name, billTo.email, ...addressLines(billTo.address)] : ['–']
  const a = column('Billed to', receiver, left)
  return (canvas.pages() > page ? a : Math.max(a, b)) + 20
}

/** A total: its label, its amount as it is shown, and whether it is the one that counts. */
export type Total = [label: string, value: string, bold?: boolean]

/** Totals below each other, on one page. @returns where they end */
export function drawTotals(canvas: Canvas, rows: Total[], from: number): number {
  const height = rows.reduce((sum, [, , bold]) => sum + (bold ? 24 : 17), 0)
  let y = from + Math.max(70, height) > bottom ? canvas.page() : from
  for (const [label, value, bold = false] of rows) {
    // A hundred lines can have a hundred rates.
    if (y + 24 > bottom) y = canvas.page()
    const begins = canvas.right(value, right, y, { size: bold ? 13 : 10, bold })
    canvas.right(label, Math.min(labels, begins - gap), y + (bold ? 2 : 0), {
      size: 10,
      color: grey,
    })
    y += bold ? 24 : 17
  }
  return y
}
