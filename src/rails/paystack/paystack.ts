/** Paystack as a provider. An account is an integration at Paystack, identified by its key. */
import { modeOf } from '../../lib/mode.ts'
import { Type } from '../../lib/schema.ts'
import { reachAt } from '../http/exchange.ts'
import {
  defineProvider,
  type Opened,
  OptionalAmount,
  type Provider,
  type ProviderParts,
  Secret,
  type SettingsOf,
} from '../ports/provider.ts'
import type { AccountCheck } from '../ports/routes.ts'
import { checkByBalance } from '../records/account-check.ts'
import { openBalance } from '../records/balance.ts'
import { blockOf } from '../records/blocks.ts'
import type { Account } from './account.ts'
import { bankWarning, paystackAccounts } from './accounts.ts'
import { paystackAssumptions } from './assumptions.ts'
import { readBalance } from './balance.ts'
import { paystackBanks } from './banks.ts'
import { paystackCheckouts } from './checkouts.ts'
import { asObject, openClient, paystackReach, type Reach } from './client.ts'
import { missed } from './deposits.ts'
import { paystackDisputes } from './disputes.ts'
import { paystackIdentity } from './identity.ts'
import { paystackLookups } from './lookups.ts'
import { paystackPayouts } from './payouts.ts'
import { paystackRefunds } from './refunds.ts'
import { paystackStatement } from './statement.ts'
import { paystackApprovals, paystackInbound } from './webhooks.ts'

const settings = {
  secret_key: Secret('The secret key of the integration, `sk_live_…` or `sk_test_…`.'),
  secret_key_previous: Type.Optional(
    Secret('The key before, while Paystack still signs webhooks with it after it was rolled.'),
  ),
  payout_float_min: OptionalAmount('What is never paid out of the balance at Paystack, in kobo.'),
  alert_below: OptionalAmount(
    'The balance below which the operator is alerted, in kobo; `payout_float_min` when it is left out.',
  ),
  dva_bank: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9-]{1,60}$',
      description:
        'The bank that gives dedicated accounts, by Paystack’s name of it. Default `wema-bank`, and `test-bank` in test mode.',
    }),
  ),
}

/** The host of its hosted pages. */
const pagesHost = 'checkout.paystack.com'

/**
 * Defines Paystack, in Nigeria.
 * @param reach its address: only tests change it; no setting can for a live account
 */
export const paystackAt = (reach: Reach): Provider =>
  defineProvider({
    name: 'paystack',
    settings,
    routes: [
      'payout.ngn',
      'lookup.ngn',
      'card.ngn',
      'bank_transfer.ngn',
      'account.ngn',
      'identity.ng',
    ],
    open: (account, parts) => open(reach, account, parts),
  })

export const paystack = paystackAt(paystackReach)

function open(
  reach: Reach,
  settings: PaystackSettings,
  { db, clock, log, host, report }: ProviderParts,
): Opened {
  const { name, livemode, serves, baseUrl, channels, routes, own } = settings
  const client = openClient({
    reach: reachAt(reach, baseUrl),
    secretKey: own.secret_key,
    livemode,
    clock,
    log,
  })
  const shared = serves === '*' || serves.length > 1
  const account: Account = { name, livemode, client, db, clock, log, host, report, shared }
  const floatMin = BigInt(own.payout_float_min ?? 0)
  const pages = reach.pagesHost ?? pagesHost
  const banks = paystackBanks(account)
  const dvaBank = own.dva_bank ?? (livemode ? 'wema-bank' : 'test-bank')
  const accounts = paystackAccounts(account, dvaBank, banks.codeOf)
  return {
    ports: {
      payout: paystackPayouts(
        account,
        openBalance(clock, () => readBalance(account)),
        floatMin,
      ),
      lookup: paystackLookups(account),
      identity: paystackIdentity(account),
      card: paystackCheckouts(account, { host: pages, offered: channels['card.ngn'] }),
      bank_transfer: accounts,
      account: accounts,
    },
    refunds: paystackRefunds(account),
    check: async () => {
      await banks.read()
      return checkAccount(account, routes.includes('account.ngn') ? dvaBank : null)
    },
    alertBelow: { ngn: own.alert_below === undefined ? floatMin : BigInt(own.alert_below) },
    statement: paystackStatement(account),
    disputes: paystackDisputes(account, reachAt(reach, baseUrl)),
    banks: banks.banks,
    tasks: [banks.task],
    ...messagesOf(account, settings, pages),
  }
}

type PaystackSettings = SettingsOf<typeof settings>

/** The messages that a key signs, and the assumptions that a test key can check. */
function messagesOf(
  account: Account,
  { livemode, baseUrl, routes, own }: PaystackSettings,
  pages: string,
): Pick<Opened, 'assumptions' | 'inbound' | 'approvals'> {
  const { secret_key: secret, secret_key_previous: previous } = own
  const secrets: [string, ...string[]] = previous === undefined ? [secret] : [secret, previous]
  const takesMoneyIn = routes.includes('account.ngn') || routes.includes('bank_transfer.ngn')
  return {
    // A live key configured below test is not a test account.
    assumptions:
      livemode || secret.startsWith('sk_live_')
        ? undefined
        : paystackAssumptions(account, baseUrl === null ? pages : null, secrets),
    inbound: {
      ...paystackInbound(secrets),
      // Deposits to accounts have no timers, so missed ones are searched. An account that takes no
      // money in ignores others' transactions.
      ...(takesMoneyIn ? { missed: (from: Date, to: Date) => missed(account, from, to) } : {}),
    },
    approvals: paystackApprovals(account, secrets),
  }
}

/**
 * Checks an account: its balance shows whether the key works, its newest transfer the key's mode.
 * @param dvaBank the bank of dedicated accounts; null if none are opened
 */
async function checkAccount(account: Account, dvaBank: string | null): Promise<AccountCheck> {
  const [held, blocked, transfers, ofBank] = await Promise.all([
    readBalance(account),
    blockOf(account),
    account.client.ask({
      method: 'GET',
      path: '/transfer',
      query: { perPage: '1' },
      urgency: 'sweep',
    }),
    dvaBank === null ? null : bankWarning(account, dvaBank),
  ])
  const newest =
    transfers.is === 'answered' && Array.isArray(transfers.data)
      ? asObject(transfers.data[0])
      : null
  const other = modeOf(!account.livemode)
  return checkByBalance({
    provider: 'Paystack',
    balanceName: 'the balance',
    currency: 'ngn',
    held,
    blocked,
    fatal: newest?.domain === other ? `Paystack says that this account is in ${other} mode` : null,
    warnings: [
      transfers.is === 'refused' ? `Paystack shows no transfers: ${transfers.message}` : null,
      blocked?.obstacle === 'otp_required'
        ? 'payouts wait since Paystack asked for a code: switch that off at Paystack, then `bursar rails unblock`'
        : null,
      ofBank,
    ],
  })
}
