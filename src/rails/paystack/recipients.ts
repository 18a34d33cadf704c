/**
 * Whom Paystack knows as recipients: made once for each account and name, and kept by a digest of them, so that no account number stands in
 * one more table.
 */
import { sqlOfAll } from '../../db/db.ts'
import { modeOf } from '../../lib/mode.ts'
import { sha256 } from '../../lib/secrets.ts'
import type { Destination } from '../rail.ts'
import type { Account } from './account.ts'
import { type Answer, asObject, textOf } from './client.ts'

export type NigerianAccount = Extract<Destination, { type: 'ng_bank' }>

const selectRecipient = sqlOfAll<{ code: string }>(
  'paystack.select_recipient',
  'select code from provider_recipients where livemode = $1 and rail = $2 and digest = $3',
)
const keepRecipient = sqlOfAll(
  'paystack.keep_recipient',
  `insert into provider_recipients (livemode, rail, digest, code, created_at) values ($1, $2, $3, $4, $5)
   on conflict (livemode, rail, digest) do update set code = excluded.code, created_at = excluded.created_at`,
)
const dropRecipient = sqlOfAll(
  'paystack.drop_recipient',
  'delete from provider_recipients where livemode = $1 and rail = $2 and digest = $3 and code = $4',
)

/** A bank's name of the holder, or the number where it gave none: Paystack wants a name. */
const nameOf = ({ account_name, account_number }: NigerianAccount): string => account_name ?? account_number

const keyOf = ({ name, livemode }: Account, to: NigerianAccount) =>
  [livemode, name, sha256(`${to.bank_code} ${to.account_number} ${nameOf(to)}`)] as const

/** The recipient of an account, asked for where none is kept; else what came of asking, or that it is another's. */
export async function recipientOf(
  account: Account,
  to: NigerianAccount,
): Promise<{ recipient: string } | Exclude<Answer, { is: 'answered' }>> {
  const kept = await account.db.row(selectRecipient, [...keyOf(account, to)])
  if (kept) return { recipient: kept.code }
  const answer = await account.client.ask({
    ...({ method: 'POST', path: '/transferrecipient', urgency: 'send' } as const),
    body: {
      ...{ type: 'nuban', name: nameOf(to), currency: 'NGN' },
      ...{ account_number: to.account_number, bank_code: to.bank_code },
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
  await account.db.rows(keepRecipient, [...keyOf(account, to), code, account.clock.now()])
  return { recipient: code }
}

function differenceOf({ livemode }: Account, data: Record<string, unknown>, to: NigerianAccount): string | null {
  const details = asObject(data.details) ?? {}
  if (details.account_number !== to.account_number || details.bank_code !== to.bank_code) return 'another account'
  if (data.currency !== 'NGN') return 'another currency'
  return data.domain === modeOf(livemode) ? null : 'another mode'
}

/** Forgets a recipient that Paystack knows no more. */
export async function forgetRecipient(account: Account, to: NigerianAccount, code: string): Promise<void> {
  await account.db.rows(dropRecipient, [...keyOf(account, to), code])
}
