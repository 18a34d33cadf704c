/**
 * The face of this rail: what `app/rails.ts` takes. An account here is an integration at Paystack,
 * known by its secret key.
 */
import { Type } from '../../lib/schema.ts'
import { obstacleOfLack } from '../http/answers.ts'
import { defineProvider, type Provider, Secret } from '../ports/provider.ts'
import type { AccountCheck } from '../ports/routes.ts'
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
import { paystackIdentity } from './identity.ts'
import { paystackLookups } from './lookups.ts'
import { paystackPayouts } from './payouts.ts'
import { paystackRefunds } from './refunds.ts'
import { paystackStatement } from './statement.ts'
import { paystackApprovals, paystackInbound } from './webhooks.ts'

/**
 * Paystack, in Nigeria.
 * @param reach where it is: tests alone give another place, which no setting can do for a live
 * account
 */
export const paystackAt = (reach: Reach): Provider =>
  defineProvider({
    name: 'paystack',
    settings: {
      secret_key: Secret('The secret key of the integration, `sk_live_…` or `sk_test_…`.'),
      secret_key_previous: Type.Optional(
        Secret('The key before, while Paystack still signs webhooks with it after it was rolled.'),
      ),
      payout_float_min: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: 'What is never paid out of the balance at Paystack, in kobo.',
        }),
      ),
      alert_below: Type.Optional(
        Type.Integer({
          minimum: 0,
          description:
            'Below which balance the operator is told, in kobo; `payout_float_min` when it is left out.',
        }),
      ),
      dva_bank: Type.Optional(
        Type.String({
          pattern: '^[a-z0-9-]{1,60}$',
          description:
            'The bank that gives dedicated accounts, by Paystack’s name of it. Default `wema-bank`, and `test-bank` in test mode.',
        }),
      ),
    },
    routes: [
      'payout.ngn',
      'lookup.ngn',
      'card.ngn',
      'bank_transfer.ngn',
      'account.ngn',
      'identity.ng',
    ],
    open(
      { name, livemode, serves, baseUrl, channels, routes, own },
      { db, clock, log, host, report },
    ) {
      const client = openClient({
        reach: baseUrl === null ? reach : { ...reach, host: baseUrl.replace(/\/$/, '') },
        secretKey: own.secret_key,
        livemode,
        clock,
        log,
      })
      const account: Account = {
        name,
        livemode,
        client,
        db,
        clock,
        log,
        host,
        report,
        shared: serves === '*' || serves.length > 1,
      }
      const { secret_key_previous: previous } = own
      const secrets = [own.secret_key, ...(previous === undefined ? [] : [previous])] as [
        string,
        ...string[],
      ]
      const balance = openBalance(clock, () => readBalance(account))
      const { banks, read: readBanks, codeOf, task } = paystackBanks(account)
      const dvaBank = own.dva_bank ?? (livemode ? 'wema-bank' : 'test-bank')
      const accounts = paystackAccounts(account, dvaBank, codeOf)
      const takesIn = routes.includes('account.ngn') || routes.includes('bank_transfer.ngn')
      return {
        ports: {
          payout: paystackPayouts(account, balance, BigInt(own.payout_float_min ?? 0)),
          lookup: paystackLookups(account),
          identity: paystackIdentity(account),
          card: paystackCheckouts(account, reach.pagesHost ?? pagesHost, channels['card.ngn']),
          bank_transfer: accounts,
          account: accounts,
        },
        refunds: paystackRefunds(account),
        check: async () => {
          await readBanks()
          const warning = routes.includes('account.ngn') ? bankWarning(account, dvaBank) : null
          const [check, ofBank] = await Promise.all([checkAccount(account), warning])
          return ofBank === null ? check : { ...check, warnings: [...check.warnings, ofBank] }
        },
        alertBelow: { ngn: BigInt(own.alert_below ?? own.payout_float_min ?? 0) },
        statement: paystackStatement(account),
        banks,
        tasks: [task],
        // A live key below test is no account of test mode.
        assumptions:
          livemode || own.secret_key.startsWith('sk_live_')
            ? undefined
            : paystackAssumptions(
                account,
                baseUrl === null ? (reach.pagesHost ?? pagesHost) : null,
                secrets,
              ),
        inbound: {
          ...paystackInbound(secrets),
          // What comes to accounts of ours has no timers; whoever takes none in leaves the
          // transactions of others alone.
          ...(takesIn ? { missed: (from: Date, to: Date) => missed(account, from, to) } : {}),
        },
        approvals: paystackApprovals(account, secrets),
      }
    },
  })

/** Where payers pay. */
const pagesHost = 'checkout.paystack.com'

export const paystack = paystackAt(paystackReach)

/**
 * How the account stands: its balance tells whether the key works, its newest transfer which mode
 * it is in.
 */
async function checkAccount(account: Account): Promise<AccountCheck> {
  const [held, blocked, transfers] = await Promise.all([
    readBalance(account),
    blockOf(account),
    account.client.ask({
      method: 'GET',
      path: '/transfer',
      query: { perPage: '1' },
      urgency: 'sweep',
    }),
  ])
  const newest =
    transfers.is === 'answered' && Array.isArray(transfers.data)
      ? asObject(transfers.data[0])
      : null
  const other = account.livemode ? 'test' : 'live'
  const keyWorks = 'amount' in held ? true : held.is === 'bad_credentials' ? false : null
  const warnings = [
    ...('amount' in held || held.is === 'bad_credentials'
      ? []
      : [`Paystack could not be asked for the balance (${held.is})`]),
    ...(transfers.is === 'refused' ? [`Paystack shows no transfers: ${transfers.message}`] : []),
    ...(blocked?.obstacle === 'otp_required'
      ? [
          'payouts wait since Paystack asked for a code: switch that off at Paystack, then `bursar rails unblock`',
        ]
      : []),
  ]
  return {
    fatal: newest?.domain === other ? `Paystack says that this account is in ${other} mode` : null,
    keyWorks,
    obstacle: blocked?.obstacle ?? ('amount' in held ? null : obstacleOfLack(held)),
    balances: 'amount' in held ? { ngn: held.amount } : {},
    warnings,
  }
}
