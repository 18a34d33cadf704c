/** Payers: their email address, name and language. */
import type { View } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { asciiEmail } from '../../lib/email.ts'
import type { Id } from '../../lib/ids.ts'
import { findCustomer } from '../customers/customers.ts'
import { lock, save } from './record.ts'
import type { PaymentRow } from './sql.ts'
import * as statements from './sql.ts'

export type Payer = { email: string | null; name: string | null }

/**
 * Returns the payer as providers accept it. The merchant's email address goes before the one that
 * the payer typed; its domain is in ASCII.
 */
export async function payerOf(view: View, payment: PaymentRow): Promise<Payer> {
  const customer =
    payment.customer_id === null ? null : await findCustomer(view, payment.customer_id)
  const email = payment.email ?? payment.payer_email
  return { email: email && asciiEmail(email), name: customer?.name ?? null }
}

/** Whether a payment has an email address, which some rails require. */
export const hasEmail = ({ email, payer_email }: PaymentRow): boolean =>
  email !== null || payer_email !== null

/**
 * Stores the email address that a payer typed, unless the payment has one.
 * @param email a valid address
 * @throws {Refusal} `not_found`
 */
export async function keepPayerEmail(ctx: Ctx, id: Id, email: string): Promise<void> {
  await ctx.write(async (work) => {
    const payment = await lock(work, id)
    if (!hasEmail(payment)) await save(work, payment, { payer_email: email })
  })
}

/** Stores the payer's language for mails. It is not part of the record, so no event follows. */
export async function keepPayerLanguage(
  ctx: Ctx,
  { id, language: known }: PaymentRow,
  language: string,
): Promise<void> {
  if (language !== known) await ctx.rows(statements.keepLanguage, [id, language])
}
