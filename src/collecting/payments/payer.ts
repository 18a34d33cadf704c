/** Who pays, where a rail has to be told. */
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
 * The address that the merchant gave, else the one that the payer typed, with its domain in ASCII,
 * as providers take it; and the customer's name where the payment has one.
 */
export async function payerOf(view: View, payment: PaymentRow): Promise<Payer> {
  const customer =
    payment.customer_id === null ? null : await findCustomer(view, payment.customer_id)
  const email = payment.email ?? payment.payer_email
  return { email: email && asciiEmail(email), name: customer?.name ?? null }
}

/** Whether there is an address to tell a rail that needs one. */
export const hasEmail = ({ email, payer_email }: PaymentRow): boolean =>
  email !== null || payer_email !== null

/**
 * Keeps the address that a payer typed. Once there is one, no other payer changes it.
 * @param email as it was checked
 * @throws {Refusal} `not_found`
 */
export async function keepPayerEmail(ctx: Ctx, id: Id, email: string): Promise<void> {
  await ctx.write(async (work) => {
    const payment = await lock(work, id)
    if (!hasEmail(payment)) await save(work, payment, { payer_email: email })
  })
}

/**
 * Keeps the language that the payer of a payment reads, for what is mailed. Nobody is shown it, so
 * it is no change of the record.
 */
export async function keepPayerLanguage(
  ctx: Ctx,
  { id, language: known }: PaymentRow,
  language: string,
): Promise<void> {
  if (language !== known) await ctx.rows(statements.keepLanguage, [id, language])
}
