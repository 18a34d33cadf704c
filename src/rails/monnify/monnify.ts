/** Monnify as a provider. An account is an operator's wallet at Monnify, with its keys. */
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
import { blockOf } from '../records/blocks.ts'
import type { Account } from './account.ts'
import { monnifyAccounts } from './accounts.ts'
import { monnifyAssumptions } from './assumptions.ts'
import { monnifyReach, openClient } from './client.ts'
import { missed } from './deposits.ts'
import { monnifyLookups } from './lookups.ts'
import { monnifyPayouts } from './payouts.ts'
import { monnifyStatement } from './statement.ts'
import { usualBank } from './unconfirmed.ts'
import { readWallet } from './wallet.ts'
import { monnifyInbound } from './webhooks.ts'

const settings = {
  api_key: Secret('The API key, `MK_PROD_…` or `MK_TEST_…`.'),
  secret_key: Secret('The secret key that goes with it; webhooks are signed with it.'),
  secret_key_previous: Type.Optional(Secret('The secret key before, while you replace it.')),
  wallet: Type.String({
    pattern: '^\\d{6,20}$',
    description: 'The number of the disbursement wallet that payouts are paid from.',
  }),
  payout_float_min: OptionalAmount('What is never paid out of the wallet, in kobo.'),
  alert_below: OptionalAmount(
    'The balance below which the operator is alerted, in kobo; `payout_float_min` when it is left out.',
  ),
  contract_code: Type.Optional(
    Type.String({
      pattern: '^[0-9]{4,20}$',
      description: 'The contract whose payments reserved accounts take.',
    }),
  ),
  account_bank: Type.Optional(
    Type.String({
      pattern: '^[0-9]{3,6}$',
      description:
        'The code of the bank that gives reserved accounts. Default `50515`, Moniepoint.',
    }),
  ),
}

/**
 * Defines Monnify, for naira to banks in Nigeria.
 * @param reach its address in each mode: only tests change it; no setting can for a live account
 */
export const monnifyAt = (reach: Record<'live' | 'test', Reach>): Provider =>
  defineProvider({
    name: 'monnify',
    settings,
    routes: ['payout.ngn', 'lookup.ngn', 'account.ngn'],
    open: (account, parts) => open(reach[modeOf(account.livemode)], account, parts),
  })

export const monnify = monnifyAt(monnifyReach)

function open(
  reach: Reach,
  { name, livemode, baseUrl, routes, own }: SettingsOf<typeof settings>,
  { db, clock, log, report }: ProviderParts,
): Opened {
  if (own.api_key.startsWith(livemode ? 'MK_TEST_' : 'MK_PROD_'))
    throw new RangeError(
      `api_key: is a key of ${modeOf(!livemode)} mode; it belongs below the other`,
    )
  if (own.contract_code === undefined && routes.includes('account.ngn'))
    throw new RangeError('contract_code is missing, whose payments reserved accounts take')
  const client = openClient({
    reach: reachAt(reach, baseUrl),
    apiKey: own.api_key,
    secretKey: own.secret_key,
    clock,
    log,
  })
  const { wallet } = own
  const account: Account = { name, livemode, client, db, clock, log, report, wallet }
  const contract =
    own.contract_code === undefined
      ? null
      : { code: own.contract_code, bank: own.account_bank ?? usualBank }
  const secrets = [own.secret_key, own.secret_key_previous].filter((one) => one !== undefined)
  const balance = openBalance(clock, () => readWallet(account))
  return {
    ports: {
      payout: monnifyPayouts(account, balance, BigInt(own.payout_float_min ?? 0)),
      lookup: monnifyLookups(account),
      ...(contract === null ? {} : { account: monnifyAccounts(account, contract) }),
    },
    check: () => checkAccount(account),
    assumptions: livemode
      ? undefined
      : monnifyAssumptions(account, contract, [
          own.api_key,
          own.secret_key,
          wallet,
          contract?.code ?? '',
        ]),
    alertBelow: { ngn: BigInt(own.alert_below ?? own.payout_float_min ?? 0) },
    statement: monnifyStatement(account, contract !== null),
    inbound: monnifyInbound(
      livemode,
      secrets,
      contract === null ? null : (from, to) => missed(account, from, to),
    ),
  }
}

async function checkAccount(account: Account): Promise<AccountCheck> {
  const [held, blocked] = await Promise.all([readWallet(account), blockOf(account)])
  return checkByBalance({
    provider: 'Monnify',
    balanceName: 'the wallet',
    currency: 'ngn',
    held,
    blocked,
    warnings: [
      blocked?.obstacle === 'otp_required'
        ? 'payouts wait since Monnify asked for a code: have that switched off there, then `bursar rails unblock`'
        : null,
    ],
  })
}
