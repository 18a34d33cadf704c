/** Recipients at Paystack, created once per account and name. */
import { modeOf } from '../../lib/mode.ts'
import type { Destination } from '../ports/rail.ts'
import { dropRecipient, findRecipient, keepRecipient } from '../records/recipients.ts'
import type { Account } from './account.ts'
import { type Answer, asObject, textOf } from './client.ts'

export type NigerianAccount = Extract<Destination, { type: 'ng_bank' }>

/** The holder's name by the bank, or else the number, because Paystack requires a name. */
const nameOf = ({ account_name, account_number }: NigerianAccount): string =>
  account_name ?? account_number

const keyOf = (to: NigerianAccount): string => `${to.bank_code} ${to.account_number} ${nameOf(to)}`

/**
 * Returns an account's recipient, created if none is stored; otherwise the failed result, or that
 * the recipient is another account's.
 */
export async function recipientOf(
  account: Account,
  to: NigerianAccount,
): Promise<{ recipient: string } | Exclude<Answer, { is: 'answered' }>> {
  const kept = await findRecipient(account, keyOf(to))
  if (kept !== null) return { recipient: kept }
  const answer = await account.client.ask({
    method: 'POST',
    path: '/transferrecipient',
    urgency: 'send',
    body: {
      type: 'nuban',
      name: nameOf(to),
      currency: 'NGN',
      account_number: to.account_number,
      bank_code: to.bank_code,
    },
  })
  if (answer.is !== 'answered') return answer
  const data = asObject(answer.data) ?? {}
  const code = textOf(data.recipient_code)
  const difference = code === null ? 'no code' : differenceOf(account, data, to)
  if (code === null || difference !== null) {
    account.report('quarantined', 'POST /transferrecipient', `a recipient with ${difference}`)
    return { is: 'unknown', why: `a recipient with ${difference}` }
  }
  await keepRecipient(account, keyOf(to), code)
  return { recipient: code }
}

function differenceOf(
  { livemode }: Account,
  data: Record<string, unknown>,
  to: NigerianAccount,
): string | null {
  const details = asObject(data.details) ?? {}
  if (details.account_number !== to.account_number || details.bank_code !== to.bank_code)
    return 'another account'
  if (data.currency !== 'NGN') return 'another currency'
  return data.domain === modeOf(livemode) ? null : 'another mode'
}

/** Deletes a recipient that Paystack no longer knows. */
export async function forgetRecipient(
  account: Account,
  to: NigerianAccount,
  code: string,
): Promise<void> {
  await dropRecipient(account, keyOf(to), code)
}
