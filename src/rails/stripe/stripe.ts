/** Stripe as a provider. An account is an account at Stripe, identified by its secret key. */
import { modeOf } from '../../lib/mode.ts'
import { Type } from '../../lib/schema.ts'
import { type Reach, reachAt } from '../http/exchange.ts'
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
import type { Account } from './account.ts'
import { stripeAccounts } from './accounts.ts'
import { stripeAssumptions } from './assumptions.ts'
import { balanceStatement } from './balance-statement.ts'
import { stripeCheckouts } from './checkouts.ts'
import { openClient, openFilesClient, stripeReach } from './client.ts'
import { stripeDisputes } from './disputes.ts'
import { readFunds } from './funds.ts'
import { stripePayouts } from './payouts.ts'
import { stripeRefunds } from './refunds.ts'
import { stripeStatement } from './statement.ts'
import { stripeInbound } from './webhooks.ts'

const settings = {
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
  payout_float_min: OptionalAmount('What is never paid out of the financial account, in cents.'),
  alert_below: OptionalAmount(
    'The balance below which the operator is alerted, in cents; `payout_float_min` when it is left out.',
  ),
}

/**
 * Defines Stripe, for dollars.
 * @param reach its address: only tests change it; no setting can for a live account
 */
export const stripeAt = (reach: Reach): Provider =>
  defineProvider({
    name: 'stripe',
    settings,
    routes: ['payout.usd', 'card.usd', 'account.usd'],
    // Payout events come from all financial accounts of a key, so two of them would each get the
    // other's events.
    sharedKey: ({ secret_key: secret, financial_account }) => ({
      secret,
      part: financial_account ? 'payouts' : 'balance',
    }),
    open: (account, parts) => open(reach, account, parts),
  })

export const stripe = stripeAt(stripeReach)

function open(
  reach: Reach,
  { name, livemode, baseUrl, routes, own }: SettingsOf<typeof settings>,
  { db, clock, log, host, report }: ProviderParts,
): Opened {
  const uses: Uses = {
    cards: routes.includes('card.usd'),
    accounts: routes.includes('account.usd'),
    payouts: routes.includes('payout.usd'),
    from: own.financial_account ?? null,
  }
  refuseSettings(own.secret_key, livemode, uses)
  const reached = { secretKey: own.secret_key, livemode, clock, log }
  const client = openClient({ ...reached, reach: reachAt(reach, baseUrl) })
  const account: Account = { name, livemode, host, client, db, clock, log, report }
  const secrets = [own.webhook_secret, own.webhook_secret_previous].filter(
    (one) => one !== undefined,
  )
  const { from } = uses
  const shared = {
    refunds: stripeRefunds(account),
    assumptions: livemode ? undefined : stripeAssumptions(account, from, [own.secret_key]),
    inbound: stripeInbound(account, secrets, clock, { ...uses, payouts: from !== null }),
  }
  const card = stripeCheckouts(account)
  const hasWebhooks = secrets.length > 0
  if (from === null)
    return {
      ...shared,
      ports: { card, account: stripeAccounts(account) },
      check: () => checkMoneyIn(account, hasWebhooks),
      statement: balanceStatement(account),
      disputes: stripeDisputes(
        account,
        openFilesClient({ ...reached, reach: reachAt(filesReachOf(reach), baseUrl) }),
      ),
    }
  const floatMin = BigInt(own.payout_float_min ?? 0)
  const balance = openBalance(clock, () => readFunds(account, from))
  return {
    ...shared,
    ports: { card, payout: stripePayouts(account, { balance, financialAccount: from, floatMin }) },
    check: () => checkPayouts(account, from, hasWebhooks),
    alertBelow: { usd: own.alert_below === undefined ? floatMin : BigInt(own.alert_below) },
    statement: stripeStatement(account, from),
  }
}

/** Files go to a host of their own. Only tests give another for everything. */
const filesReachOf = (reach: Reach): Reach =>
  reach === stripeReach ? { ...reach, host: 'https://files.stripe.com' } : reach

type Uses = { cards: boolean; accounts: boolean; payouts: boolean; from: string | null }

/** @throws {RangeError} for a key of the other mode, and for uses that do not fit the settings */
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
  // The statement is the financial account's, which has no payers' money.
  const other = cards ? 'card.usd' : accounts ? 'account.usd' : null
  if (other !== null && from !== null)
    throw new RangeError(
      `financial_account is for payouts: let ${other} lead to another account, with the same key`,
    )
}

/** Checks an account that pays out: its financial account shows whether the key works. */
async function checkPayouts(
  account: Account,
  financialAccount: string,
  hasWebhooks: boolean,
): Promise<AccountCheck> {
  return checkByBalance({
    provider: 'Stripe',
    balanceName: 'the financial account',
    currency: 'usd',
    held: await readFunds(account, financialAccount),
    warnings: [
      hasWebhooks
        ? null
        : 'webhook_secret is not set: payouts that come back are seen by asking for events, every quarter of an hour',
    ],
  })
}

/**
 * Checks an account that takes money in: its balance shows whether the key works, and the key's
 * mode.
 */
async function checkMoneyIn(
  { client, livemode }: Account,
  hasWebhooks: boolean,
): Promise<AccountCheck> {
  const held = await client.ask({ method: 'GET', path: '/v1/balance', urgency: 'ask' })
  const keyWorks = held.is === 'answered' ? true : held.is === 'bad_credentials' ? false : null
  const isOtherMode = held.is === 'answered' && held.data.livemode === !livemode
  const warnings = [
    keyWorks === null ? `Stripe could not be asked for the balance (${held.is})` : null,
    hasWebhooks
      ? null
      : 'webhook_secret is not set: what was paid is seen when its payer comes back, by timers, and every quarter of an hour',
  ]
  return {
    fatal: isOtherMode ? `Stripe says that this account is in ${modeOf(!livemode)} mode` : null,
    keyWorks,
    obstacle: keyWorks === false ? 'bad_credentials' : keyWorks === null ? 'provider_down' : null,
    balances: {},
    warnings: warnings.filter((one) => one !== null),
  }
}
