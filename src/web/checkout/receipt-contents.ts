/** What a receipt says of a completed payment, the same in its mail and its PDF. */
import type { PaymentRow } from '../../collecting/payments/payments.ts'
import * as payments from '../../collecting/payments/payments.ts'
import type { View } from '../../core/inside.ts'
import { linesOfPayment, type SoldInvoice, taxTotals } from '../../selling/invoices/invoices.ts'
import { amountText } from './languages.ts'
import { brandName, rateText, type Strings } from './view/strings.ts'

type Amount = { label: string; amount: string }

export type Contents = {
  /** The invoice, or what the merchant says the payment is for. */
  about: string | null
  billedTo: string | null
  /** `each`: '2 × ₦500.00', where there are more than one; `tax`: '7.5% tax included'. */
  lines: { name: string; each: string | null; tax: string | null; total: string }[]
  /** The total without taxes and each tax; empty without taxes. */
  taxes: Amount[]
  /** The price, the fee and their sum, where the payer has paid a fee. */
  fee: Amount[]
  /** 'Visa ending in 4242', 'Bank transfer'. */
  paidBy: string | null
}

/** Returns the contents of a payment's receipt, formatted in a language. */
export async function contentsOf(view: View, t: Strings, payment: PaymentRow): Promise<Contents> {
  const { method } = payment
  const [sold, attempt] = await Promise.all([
    linesOfPayment(view, payment.invoice_id),
    method === 'card' ? payments.latestAttempt(view, payment.id) : null,
  ])
  const byCard = attempt?.last4 && t.card.ending(brandName(t, attempt.brand), attempt.last4)
  return {
    ...(sold ? soldOf(t, sold) : unsold(payment)),
    fee: feeOf(view, t, payment),
    paidBy: byCard || (method && t.methods[method]),
  }
}

const unsold = ({ description }: PaymentRow) => ({
  about: description === '' ? null : description,
  billedTo: null,
  lines: [],
  taxes: [],
})

function soldOf(
  t: Strings,
  { invoice, lines }: SoldInvoice,
): Pick<Contents, 'about' | 'billedTo' | 'lines' | 'taxes'> {
  const { currency, number, exchange_rate: rate } = invoice
  const shown = (amount: bigint): string => amountText(t, amount, currency)
  const { subtotal, taxes } = taxTotals(invoice, lines)
  const exchanged = rate && t.exchanged(shown(invoice.total), '€1', `$${rate}`)
  return {
    about: [t.invoice(String(number)), exchanged].filter(Boolean).join(' · '),
    billedTo: invoice.bill_to?.name ?? null,
    lines: lines.map(({ name, quantity, amount, discount, tax_rate_bps, tax_inclusive, total }) => {
      const less = discount > 0n ? ` − ${shown(discount)}` : ''
      return {
        name,
        each:
          quantity === 1n && discount === 0n
            ? null
            : t.each(Number(quantity), `${shown(amount)}${less}`),
        tax: tax_rate_bps === null ? null : t.taxed(rateText(t, tax_rate_bps), tax_inclusive),
        total: shown(total),
      }
    }),
    taxes:
      taxes.length === 0
        ? []
        : [
            { label: t.withoutTax, amount: shown(subtotal) },
            ...taxes.map(({ rate_bps, net, tax }) => ({
              label: t.taxOf(rateText(t, rate_bps), shown(net)),
              amount: shown(tax),
            })),
          ],
  }
}

/** The fee is the payer's business only where the payer has paid it. */
function feeOf(view: View, t: Strings, payment: PaymentRow): Amount[] {
  const { method, amount, currency } = payment
  if (payment.fee_bearer !== 'customer' || method === null) return []
  const whole = payments.totalDue(view, payment, method)
  if (whole <= amount) return []
  const shown = (value: bigint): string => amountText(t, value, currency)
  return [
    { label: t.price, amount: shown(amount) },
    { label: t.fee, amount: shown(whole - amount) },
    { label: t.total, amount: shown(whole) },
  ]
}
