/**
 * The face of this rail: what `edge/rails.ts` takes. An account here is an account at Stripe, known by its secret key.
 */
import { Type } from '../../lib/schema.ts'
import { openBalance } from '../balance.ts'
import type { Reach } from '../exchange.ts'
import { defineProvider, type Provider, Secret } from '../provider.ts'
import type { AccountCheck } from '../routes.ts'
import type { Account } from './account.ts'
import { openClient, stripeReach } from './client.ts'
import { readFunds } from './funds.ts'
import { stripePayouts } from './payouts.ts'
import { stripeStatement } from './statement.ts'
import { stripeInbound } from './webhooks.ts'

const cents = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }))

/**
 * Stripe, for dollars.
 * @param reach where it is: tests alone give another place, which no setting can do for a live account
 */
export const stripeAt = (reach: Reach): Provider =>
  defineProvider({
    name: 'stripe',
    settings: {
      secret_key: Secret(
        'The key of the account, `sk_live_…` or a restricted one, `rk_live_…`; with `test` below `test`.',
      ),
      webhook_secret: Type.Optional(
        Secret('The secret of the event destination at Stripe, `whsec_…`. Without it no webhook is taken.'),
      ),
      webhook_secret_previous: Type.Optional(Secret('The secret before, while you roll it.')),
      financial_account: Type.String({
        pattern: '^[A-Za-z0-9_]{1,80}$',
        description: 'The financial account that payouts are paid from: its id.',
      }),
      payout_float_min: cents('What is never paid out of the financial account, in cents.'),
      alert_below: cents('Below which balance the operator is told, in cents; `payout_float_min` when it is left out.'),
    },
    routes: ['payout.usd'],
    open({ name, livemode, baseUrl, own }, { db, clock, log, host, report }) {
      const client = openClient({
        reach: baseUrl === null ? reach : { ...reach, host: baseUrl.replace(/\/$/, '') },
        secretKey: own.secret_key,
        ...{ livemode, clock, log },
      })
      const account: Account = { name, livemode, host, client, db, clock, log, report }
      const secrets = [own.webhook_secret, own.webhook_secret_previous].filter((one) => one !== undefined)
      const balance = openBalance(clock, () => readFunds(account, own.financial_account))
      return {
        ports: { payout: stripePayouts(account, balance, own.financial_account, BigInt(own.payout_float_min ?? 0)) },
        check: () => checkAccount(account, own.financial_account, secrets.length > 0),
        alertBelow: { usd: BigInt(own.alert_below ?? own.payout_float_min ?? 0) },
        statement: stripeStatement(account, own.financial_account),
        inbound: stripeInbound(account, secrets, clock),
      }
    },
  })

export const stripe = stripeAt(stripeReach)

/** How the account stands: its financial account tells whether the key works. */
async function checkAccount(account: Account, financialAccount: string, hears: boolean): Promise<AccountCheck> {
  const held = await readFunds(account, financialAccount)
  const keyWorks = 'amount' in held ? true : held.is === 'bad_credentials' ? false : null
  return {
    fatal: null,
    keyWorks,
    obstacle: keyWorks === false ? 'bad_credentials' : keyWorks === null ? 'provider_down' : null,
    balances: 'amount' in held ? { usd: held.amount } : {},
    warnings: [
      ...('amount' in held || held.is === 'bad_credentials'
        ? []
        : [`Stripe could not be asked for the financial account (${held.is === 'refused' ? held.message : held.is})`]),
      ...(hears
        ? []
        : [
            'webhook_secret is not set: payouts that come back are seen by asking for events, every quarter of an hour',
          ]),
    ],
  }
}
