/**
 * The face of this rail: what `app/rails.ts` takes. An account here is an account at Stripe, known
 * by its secret key.
 */
import { modeOf } from '../../lib/mode.ts'
import { Type } from '../../lib/schema.ts'
import { obstacleOfLack } from '../http/answers.ts'
import type { Reach } from '../http/exchange.ts'
import { defineProvider, type Provider, Secret } from '../ports/provider.ts'
import type { AccountCheck } from '../ports/routes.ts'
import { openBalance } from '../records/balance.ts'
import type { Account } from './account.ts'
import { stripeAccounts } from './accounts.ts'
import { stripeAssumptions } from './assumptions.ts'
import { balanceStatement } from './balance-statement.ts'
import { stripeCheckouts } from './checkouts.ts'
import { openClient, stripeReach } from './client.ts'
import { readFunds } from './funds.ts'
import { stripePayouts } from './payouts.ts'
import { stripeRefunds } from './refunds.ts'
import { stripeStatement } from './statement.ts'
import { stripeInbound } from './webhooks.ts'

const cents = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }))

/**
 * Stripe, for dollars.
 * @param reach where it is: tests alone give another place, which no setting can do for a live
 * account
 */
export const stripeAt = (reach: Reach): Provider =>
  defineProvider({
    name: 'stripe',
    settings: {
      secret_key: Secret(
        'The key of the account, `sk_live_…` or a restricted one, `rk_live_…`; with `test` below `test`.',
      ),
      webhook_secret: Type.Optional(
        Secret(
          'The secret of the event destination at Stripe, `whsec_…`. Without it no webhook is taken.',
        ),
      ),
      webhook_secret_previous: Type.Optional(Secret('The secret before, while you roll it.')),
      financial_account: Type.Optional(
        Type.String({
          pattern: '^[A-Za-z0-9_]{1,80}$',
          description:
            'The financial account that payouts are paid from: its id. An account that takes cards has none.',
        }),
      ),
      payout_float_min: cents('What is never paid out of the financial account, in cents.'),
      alert_below: cents(
        'Below which balance the operator is told, in cents; `payout_float_min` when it is left out.',
      ),
    },
    routes: ['payout.usd', 'card.usd', 'account.usd'],
    // Events of payouts are of all financial accounts, so that two of them would each hear of the
    // other's.
    sharedKey: ({ secret_key: secret, financial_account }) => ({
      secret,
      part: financial_account ? 'payouts' : 'balance',
    }),
    open({ name, livemode, baseUrl, routes, own }, { db, clock, log, host, report }) {
      const cards = routes.includes('card.usd')
      const from = own.financial_account ?? null
      const accounts = routes.includes('account.usd')
      refuseSettings(own.secret_key, livemode, {
        cards,
        accounts,
        payouts: routes.includes('payout.usd'),
        from,
      })
      const client = openClient({
        reach: baseUrl === null ? reach : { ...reach, host: baseUrl.replace(/\/$/, '') },
        secretKey: own.secret_key,
        livemode,
        clock,
        log,
      })
      const account: Account = { name, livemode, host, client, db, clock, log, report }
      const secrets = [own.webhook_secret, own.webhook_secret_previous].filter(
        (one) => one !== undefined,
      )
      const hears = secrets.length > 0
      const inbound = stripeInbound(account, secrets, clock, {
        payouts: from !== null,
        cards,
        accounts,
      })
      const card = stripeCheckouts(account)
      const refunds = stripeRefunds(account)
      const assumptions = livemode ? undefined : stripeAssumptions(account, from, [own.secret_key])
      if (from === null) {
        const ports = { card, account: stripeAccounts(account) }
        return {
          ports,
          refunds,
          check: () => checkCards(account, hears),
          statement: balanceStatement(account),
          assumptions,
          inbound,
        }
      }
      const balance = openBalance(clock, () => readFunds(account, from))
      return {
        ports: {
          card,
          payout: stripePayouts(account, balance, from, BigInt(own.payout_float_min ?? 0)),
        },
        refunds,
        check: () => checkAccount(account, from, hears),
        alertBelow: { usd: BigInt(own.alert_below ?? own.payout_float_min ?? 0) },
        statement: stripeStatement(account, from),
        assumptions,
        inbound,
      }
    },
  })

type Uses = { cards: boolean; accounts: boolean; payouts: boolean; from: string | null }

/** @throws {RangeError} for a key of the other mode, and for uses that the settings do not fit */
function refuseSettings(
  secretKey: string,
  livemode: boolean,
  { cards, accounts, payouts, from }: Uses,
): void {
  const mode = modeOf(livemode)
  if (!new RegExp(`^(sk|rk)_${mode}_`).test(secretKey))
    throw new RangeError(
      `secret_key is no secret key of ${mode} mode: give sk_${mode}_… or rk_${mode}_…`,
    )
  if (payouts && from === null)
    throw new RangeError('financial_account is missing, which payouts are paid from')
  // The statement is that of the financial account, in which no payer's money is.
  const other = cards ? 'card.usd' : accounts ? 'account.usd' : null
  if (other !== null && from !== null)
    throw new RangeError(
      `financial_account is for payouts: let ${other} lead to another account, with the same key`,
    )
}

export const stripe = stripeAt(stripeReach)

/** How the account stands: its financial account tells whether the key works. */
async function checkAccount(
  account: Account,
  financialAccount: string,
  hears: boolean,
): Promise<AccountCheck> {
  const held = await readFunds(account, financialAccount)
  const keyWorks = 'amount' in held ? true : held.is === 'bad_credentials' ? false : null
  return {
    fatal: null,
    keyWorks,
    obstacle: 'amount' in held ? null : obstacleOfLack(held),
    balances: 'amount' in held ? { usd: held.amount } : {},
    warnings: [
      ...('amount' in held || held.is === 'bad_credentials'
        ? []
        : [
            `Stripe could not be asked for the financial account (${held.is === 'refused' ? held.message : held.is})`,
          ]),
      ...(hears
        ? []
        : [
            'webhook_secret is not set: payouts that come back are seen by asking for events, every quarter of an hour',
          ]),
    ],
  }
}

/**
 * How an account that takes cards stands: its balance tells whether the key works, and of which
 * mode it is.
 */
async function checkCards({ client, livemode }: Account, hears: boolean): Promise<AccountCheck> {
  const held = await client.ask({ method: 'GET', path: '/v1/balance', urgency: 'ask' })
  const keyWorks = held.is === 'answered' ? true : held.is === 'bad_credentials' ? false : null
  const isOther = held.is === 'answered' && held.data.livemode === !livemode
  return {
    fatal: isOther ? `Stripe says that this account is in ${modeOf(!livemode)} mode` : null,
    keyWorks,
    obstacle: keyWorks === false ? 'bad_credentials' : keyWorks === null ? 'provider_down' : null,
    balances: {},
    warnings: [
      ...(keyWorks === null ? [`Stripe could not be asked for the balance (${held.is})`] : []),
      ...(hears
        ? []
        : [
            'webhook_secret is not set: what was paid is seen when its payer comes back, by timers, and every quarter of an hour',
          ]),
    ],
  }
}
