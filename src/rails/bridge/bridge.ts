/** Bridge as a provider. An account is an operator's wallet at Bridge, with its API key. */
import { createPublicKey, type KeyObject } from 'node:crypto'
import { modeOf } from '../../lib/mode.ts'
import { OneOf, Type } from '../../lib/schema.ts'
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
import { bridgeAssumptions } from './assumptions.ts'
import { bridgeReach, openClient } from './client.ts'
import { bridgePayouts } from './payouts.ts'
import { bridgeStatement } from './statement.ts'
import { readWallet } from './wallet.ts'
import { bridgeInbound } from './webhooks.ts'

const id = (description: string) => Type.String({ pattern: '^[A-Za-z0-9_-]{1,60}$', description })

const settings = {
  api_key: Secret('The key of Bridge’s API, `sk-live-…` or `sk-test-…`.'),
  customer: id('The operator as Bridge’s customer: its id.'),
  wallet: id('The Bridge wallet that payouts are paid from: its id.'),
  token: Type.Optional(
    OneOf(['usdc', 'usdb'], { description: 'What the wallet holds. Default `usdc`.' }),
  ),
  payment_rail: Type.Optional(
    OneOf(['ach', 'ach_same_day', 'wire'], {
      description: 'How dollars go to banks. Default `ach`.',
    }),
  ),
  webhook_key: Type.Optional(
    Secret(
      'The public key of the webhook endpoint at Bridge, as PEM. Without it no webhook is taken.',
    ),
  ),
  webhook_key_previous: Type.Optional(
    Secret('The key of the endpoint before, while you replace it.'),
  ),
  payout_float_min: OptionalAmount('What is never paid out of the wallet, in cents.'),
  alert_below: OptionalAmount(
    'The balance below which the operator is alerted, in cents; `payout_float_min` when it is left out.',
  ),
}

/**
 * Defines Bridge, for dollars to banks in the United States.
 * @param reach its address in each mode: only tests change it; no setting can for a live account
 */
export const bridgeAt = (reach: Record<'live' | 'test', Reach>): Provider =>
  defineProvider({
    name: 'bridge',
    settings,
    routes: ['payout.usd'],
    open: (account, parts) => open(reach[modeOf(account.livemode)], account, parts),
  })

export const bridge = bridgeAt(bridgeReach)

function open(
  reach: Reach,
  { name, livemode, baseUrl, own }: SettingsOf<typeof settings>,
  { db, clock, log, report }: ProviderParts,
): Opened {
  const other = modeOf(!livemode)
  if (own.api_key.startsWith(`sk-${other}-`))
    throw new RangeError(`api_key: is a key of ${other} mode; it belongs below ${other}`)
  const client = openClient({ reach: reachAt(reach, baseUrl), apiKey: own.api_key, clock, log })
  const account: Account = {
    name,
    livemode,
    client,
    db,
    clock,
    log,
    report,
    customer: own.customer,
    wallet: own.wallet,
    token: own.token ?? 'usdc',
    paymentRail: own.payment_rail ?? 'ach',
  }
  const keys = [
    keyIn('webhook_key', own.webhook_key),
    keyIn('webhook_key_previous', own.webhook_key_previous),
  ].filter((key) => key !== null)
  const balance = openBalance(clock, () => readWallet(account))
  return {
    ports: { payout: bridgePayouts(account, balance, BigInt(own.payout_float_min ?? 0)) },
    check: () => checkAccount(account, own.webhook_key !== undefined),
    alertBelow: { usd: BigInt(own.alert_below ?? own.payout_float_min ?? 0) },
    statement: bridgeStatement(account),
    assumptions: livemode
      ? undefined
      : bridgeAssumptions(account, [own.api_key, own.customer, own.wallet]),
    inbound: bridgeInbound(keys, clock),
  }
}

/** @throws {RangeError} */
function keyIn(setting: string, pem: string | undefined): KeyObject | null {
  if (pem === undefined) return null
  try {
    const key = createPublicKey(pem)
    if (key.asymmetricKeyType === 'rsa') return key
  } catch {}
  throw new RangeError(`${setting}: is no public RSA key in PEM`)
}

/** Checks an account: whether its key works, and whether Bridge pays for its customer. */
async function checkAccount(account: Account, hasWebhooks: boolean): Promise<AccountCheck> {
  const { client, customer } = account
  const [held, about] = await Promise.all([
    readWallet(account),
    client.ask({
      method: 'GET',
      path: '/customers/{customer}',
      params: { customer },
      urgency: 'sweep',
    }),
  ])
  const status = about.is === 'answered' ? about.data.status : 'active'
  return checkByBalance({
    provider: 'Bridge',
    balanceName: 'the wallet',
    currency: 'usd',
    held,
    warnings: [
      status === 'active'
        ? null
        : `Bridge says that its customer is ${String(status)}: it pays for active ones only`,
      hasWebhooks
        ? null
        : 'webhook_key is not set, so payouts that come back are seen by the reconciliation only',
    ],
  })
}
