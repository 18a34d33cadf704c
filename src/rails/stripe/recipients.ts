/** Recipients at Stripe with one bank account each, created once. Creating one moves no money. */
import type { Stripe } from 'stripe'
import { sha256 } from '../../lib/secrets.ts'
import type { Failure } from '../http/client.ts'
import { codeToShow } from '../http/masking.ts'
import { asObject, textOf } from '../http/values.ts'
import type { Destination } from '../ports/rail.ts'
import { dropRecipient, findRecipient, keepRecipient } from '../records/recipients.ts'
import type { Account } from './account.ts'
import { isUnknown } from './unconfirmed.ts'

export type AmericanAccount = Extract<Destination, { type: 'us_bank' }>
export type Recipient = { recipient: string; payoutMethod: string }
/** `isNew`: it was created just now. */
type Known = Recipient & { isNew: boolean }

type AccountIn = Stripe.V2.Core.AccountCreateParams
type SetupIn = Stripe.V2.MoneyManagement.OutboundSetupIntentCreateParams

/** Identifies the payee, so only a digest of it is stored. */
export const keyOf = (to: AmericanAccount): string =>
  JSON.stringify([
    to.routing_number,
    to.account_number,
    to.account_type,
    to.account_name,
    to.holder_address,
  ])

/**
 * The stored recipient as one text. Its second part is empty until Stripe has accepted the bank
 * account.
 */
const separator = ' '
export const codeOf = ({ recipient, payoutMethod }: Recipient): string =>
  `${recipient}${separator}${payoutMethod}`

/**
 * Returns a destination's recipient, created if none is stored; otherwise the failed result.
 * @param instead the order for which a recipient is created in place of one that Stripe no longer
 * knows; null for the first. Under one name Stripe repeats its first answer for thirty days
 */
export async function recipientOf(
  account: Account,
  to: AmericanAccount,
  instead: string | null,
): Promise<Known | Failure> {
  const key = keyOf(to)
  const [kept = '', method = ''] = (await findRecipient(account, key))?.split(separator) ?? []
  if (method !== '') return { recipient: kept, payoutMethod: method, isNew: false }
  const made = kept === '' ? await makeRecipient(account, to, instead) : { recipient: kept }
  if (!('recipient' in made)) return made
  const { recipient } = made
  const setup = await account.client.ask({
    method: 'POST',
    path: '/v2/money_management/outbound_setup_intents',
    urgency: 'send',
    context: recipient,
    key: `pm-${sha256(`${recipient} ${key}`).toString('hex')}`,
    body: {
      usage_intent: 'payment',
      payout_method_data: {
        type: 'bank_account',
        bank_account: {
          country: 'US',
          currency: 'usd',
          bank_account_type: to.account_type,
          account_number: to.account_number,
          routing_number: to.routing_number,
        },
      },
    } satisfies SetupIn,
  })
  if (setup.is === 'refused' && isUnknown(setup))
    await dropRecipient(account, key, codeOf({ recipient, payoutMethod: '' }))
  if (setup.is !== 'answered') return setup
  const payoutMethod = textOf(asObject(setup.data.payout_method)?.id)
  const difference = differenceIn(account, setup.data, to)
  if (payoutMethod === null || difference !== null)
    return doubtful(
      account,
      '/v2/money_management/outbound_setup_intents',
      `a bank account with ${difference ?? 'no id'}`,
    )
  await keepRecipient(account, key, codeOf({ recipient, payoutMethod }))
  return { recipient, payoutMethod, isNew: true }
}

/**
 * Creates and stores a recipient without a bank account, so that it is not created again while
 * Stripe rejects its bank account.
 */
async function makeRecipient(
  account: Account,
  to: AmericanAccount,
  instead: string | null,
): Promise<{ recipient: string } | Failure> {
  const key = keyOf(to)
  const digest = sha256(`${account.name} ${account.livemode} ${instead} ${key}`).toString('hex')
  const made = await account.client.ask({
    method: 'POST',
    path: '/v2/core/accounts',
    urgency: 'send',
    key: `rc-${digest}`,
    body: recipientIn(account, to, digest),
  })
  if (made.is !== 'answered') return made
  const recipient = textOf(made.data.id)
  if (recipient === null || made.data.livemode !== account.livemode)
    return doubtful(account, '/v2/core/accounts', 'a recipient without an id, or of another mode')
  await keepRecipient(account, key, codeOf({ recipient, payoutMethod: '' }))
  return { recipient }
}

function doubtful(account: Account, what: string, why: string): Failure {
  account.report('quarantined', `POST ${what}`, why)
  return { is: 'unknown', why }
}

/** A one-word name is taken for a company's, because a person has two names. */
function recipientIn({ host }: Account, to: AmericanAccount, digest: string): AccountIn {
  const { account_name: name, holder_address: given } = to
  const at = name.lastIndexOf(' ')
  const address = given && {
    ...(given.line1 === undefined ? {} : { line1: given.line1 }),
    ...(given.city === undefined ? {} : { city: given.city }),
    ...(given.state === undefined ? {} : { state: given.state }),
    ...(given.postal_code === undefined ? {} : { postal_code: given.postal_code }),
    country: given.country ?? 'us',
  }
  const more = address === null ? {} : { address }
  return {
    display_name: name,
    // Stripe requires an email address. We do not share the payee's, and nothing is sent to this
    // one.
    contact_email: `recipient-${digest.slice(0, 24)}@${host}`,
    identity:
      at > 0
        ? {
            country: 'us',
            entity_type: 'individual',
            individual: { given_name: name.slice(0, at), surname: name.slice(at + 1), ...more },
          }
        : {
            country: 'us',
            entity_type: 'company',
            business_details: { registered_name: name, ...more },
          },
    configuration: {
      recipient: { capabilities: { bank_accounts: { local: { requested: true } } } },
    },
    include: ['identity', 'configuration.recipient'],
  }
}

function differenceIn(
  { livemode }: Account,
  data: Record<string, unknown>,
  to: AmericanAccount,
): string | null {
  const bank = asObject(asObject(data.payout_method)?.bank_account) ?? {}
  if (data.livemode !== livemode) return 'another mode'
  if (data.status !== 'succeeded') return `the status ${codeToShow(String(data.status))}`
  if (bank.last4 !== to.account_number.slice(-4) || bank.routing_number !== to.routing_number)
    return 'another account'
  return null
}
