/**
 * The face of this rail: what `app/rails.ts` takes. An account here is a wallet of the operator's
 * at Monnify, and the keys that pay out of it.
 */
import { modeOf } from '../../lib/mode.ts'
import { Type } from '../../lib/schema.ts'
import { obstacleOfLack } from '../http/answers.ts'
import type { Reach } from '../http/exchange.ts'
import { defineProvider, type Provider, Secret } from '../ports/provider.ts'
import type { AccountCheck } from '../ports/routes.ts'
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

const kobo = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }))

/**
 * Monnify, for naira to banks in Nigeria.
 * @param reach where it is in each mode: tests alone give other places, which no setting can do for
 * a live account
 */
export const monnifyAt = (reach: Record<'live' | 'test', Reach>): Provider =>
  defineProvider({
    name: 'monnify',
    settings: {
      api_key: Secret('The API key, `MK_PROD_…` or `MK_TEST_…`.'),
      secret_key: Secret('The secret key that goes with it; webhooks are signed with it.'),
      secret_key_previous: Type.Optional(Secret('The secret key before, while you replace it.')),
      wallet: Type.String({
        pattern: '^\\d{6,20}$',
        description: 'The number of the disbursement wallet that payouts are paid from.',
      }),
      payout_float_min: kobo('What is never paid out of the wallet, in kobo.'),
      alert_below: kobo(
        'Below which balance the operator is told, in kobo; `payout_float_min` when it is left out.',
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
    },
    routes: ['payout.ngn', 'lookup.ngn', 'account.ngn'],
    open({ name, livemode, baseUrl, routes, own }, { db, clock, log, report }) {
      const mode = modeOf(livemode)
      if (own.api_key.startsWith(livemode ? 'MK_TEST_' : 'MK_PROD_'))
        throw new RangeError(
          `api_key: is a key of ${livemode ? 'test' : 'live'} mode; it belongs below the other`,
        )
      const at =
        baseUrl === null ? reach[mode] : { ...reach[mode], host: baseUrl.replace(/\/$/, '') }
      const client = openClient({
        reach: at,
        apiKey: own.api_key,
        secretKey: own.secret_key,
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
        report,
        wallet: own.wallet,
      }
      const contract = own.contract_code ?? null
      if (contract === null && routes.includes('account.ngn'))
        throw new RangeError('contract_code is missing, whose payments reserved accounts take')
      const secrets = [own.secret_key, own.secret_key_previous].filter((one) => one !== undefined)
      const balance = openBalance(clock, () => readWallet(account))
      return {
        ports: {
          payout: monnifyPayouts(account, balance, BigInt(own.payout_float_min ?? 0)),
          lookup: monnifyLookups(account),
          ...(contract === null
            ? {}
            : { account: monnifyAccounts(account, contract, own.account_bank ?? usualBank) }),
        },
        check: () => checkAccount(account),
        assumptions: livemode
          ? undefined
          : monnifyAssumptions(
              account,
              contract === null ? null : { code: contract, bank: own.account_bank ?? usualBank },
              [own.api_key, own.secret_key, own.wallet, contract ?? ''],
            ),
        alertBelow: { ngn: BigInt(own.alert_below ?? own.payout_float_min ?? 0) },
        statement: monnifyStatement(account, contract !== null),
        inbound: monnifyInbound(
          livemode,
          secrets,
          contract === null ? null : (from, to) => missed(account, from, to),
        ),
      }
    },
  })

export const monnify = monnifyAt(monnifyReach)

/** How the account stands: its wallet tells whether the keys work. */
async function checkAccount(account: Account): Promise<AccountCheck> {
  const [held, blocked] = await Promise.all([readWallet(account), blockOf(account)])
  const keyWorks = 'amount' in held ? true : held.is === 'bad_credentials' ? false : null
  return {
    fatal: null,
    keyWorks,
    obstacle: blocked?.obstacle ?? ('amount' in held ? null : obstacleOfLack(held)),
    balances: 'amount' in held ? { ngn: held.amount } : {},
    warnings: [
      ...('amount' in held || held.is === 'bad_credentials'
        ? []
        : [
            `Monnify could not be asked for the wallet (${held.is === 'refused' ? held.message : held.is})`,
          ]),
      ...(blocked?.obstacle === 'otp_required'
        ? [
            'payouts wait since Monnify asked for a code: have that switched off there, then `bursar rails unblock`',
          ]
        : []),
    ],
  }
}
