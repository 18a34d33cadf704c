/** Dojah as a provider. An account is an app at Dojah, identified by its id and secret key. */
import { modeOf } from '../../lib/mode.ts'
import { Type } from '../../lib/schema.ts'
import type { Reach } from '../http/exchange.ts'
import { defineProvider, type Provider, Secret } from '../ports/provider.ts'
import type { AccountCheck } from '../ports/routes.ts'
import { keyModes, walletIn } from './answers.ts'
import { dojahAssumptions } from './assumptions.ts'
import { type Client, openClient } from './client.ts'
import { dojahIdentity } from './identity.ts'
import { lowWallet } from './unconfirmed.ts'

const times = { connectMs: 5_000, wholeMs: 15_000 }
const hosts = { live: 'https://api.dojah.io', test: 'https://sandbox.dojah.io' }

/**
 * Defines Dojah, which looks up the holders of identity numbers in Nigeria.
 * @param reach its address: only tests change it; no setting can for a live account
 */
export const dojahAt = (reach: Reach | null): Provider =>
  defineProvider({
    name: 'dojah',
    settings: {
      app_id: Type.String({ pattern: '^[A-Za-z0-9_-]{1,100}$', description: 'The id of the app.' }),
      secret_key: Secret('Its secret key.'),
    },
    routes: ['identity.ng'],
    open({ name, livemode, baseUrl, own }, { clock, log, report }) {
      const mode = modeOf(livemode)
      const says = keyModes.find(([pattern]) => pattern.test(own.secret_key))?.[1] ?? mode
      if (says !== mode)
        throw new RangeError(`secret_key: is a key of ${says} mode; it belongs below ${says}`)
      const host = baseUrl?.replace(/\/$/, '') ?? reach?.host ?? hosts[mode]
      const client = openClient({
        reach: { ...times, ...reach, host },
        appId: own.app_id,
        secretKey: own.secret_key,
        clock,
        log,
      })
      return {
        ports: { identity: dojahIdentity({ name, client, report }) },
        check: () => checkAccount(client),
        assumptions: livemode ? undefined : dojahAssumptions(client, [own.secret_key, own.app_id]),
      }
    },
  })

export const dojah = dojahAt(null)

/** Checks an account by its wallet's balance, which also shows whether the key works. */
async function checkAccount(client: Client): Promise<AccountCheck> {
  const answer = await client.ask({ method: 'GET', path: '/api/v1/balance', urgency: 'sweep' })
  const wallet = answer.is === 'answered' ? walletIn(answer.entity ?? {}) : null
  const warnings =
    answer.is === 'answered'
      ? wallet !== null && wallet < lowWallet
        ? [`the wallet at Dojah that look-ups are paid from has ${wallet} naira: put something in`]
        : []
      : answer.is === 'bad_credentials'
        ? []
        : [`Dojah could not be asked for the balance (${answer.is})`]
  const keyWorks = answer.is === 'answered' ? true : answer.is === 'bad_credentials' ? false : null
  return { fatal: null, keyWorks, obstacle: null, balances: {}, warnings }
}
