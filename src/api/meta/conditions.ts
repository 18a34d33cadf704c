/**
 * Collects the conditions for operator alerts: incidents, accounts at providers, and the stablecoin
 * rail.
 */
import type { App } from '../../core/app.ts'
import { modeOf } from '../../lib/mode.ts'
import { formatMoney, type WalletCurrency } from '../../lib/money.ts'
import type { Condition, CurrentConditions } from '../../platform/alerts/alerts.ts'
import { incidentKinds, listIncidents } from '../../platform/incidents/incidents.ts'
import { faultsOf, listWaiting } from '../../platform/screening/screening.ts'
import { standingOf } from '../../rails/accounts/checks.ts'

/** The longest wait for a provider. */
const waitMs = 15_000
/** How often providers are queried about their accounts. */
const askedEveryMs = 5 * 60_000
/** A shorter interruption of a node needs no person. */
const evmLastsMs = 5 * 60_000

type Warning = { said: string; detail: string }

/** @param evmWarnings warnings of the stablecoin rail */
export function operatorConditions(
  app: App,
  evmWarnings: () => Promise<Warning[]>,
): () => Promise<CurrentConditions> {
  let accounts: CurrentConditions = { conditions: [], unseen: ['account '] }
  let askedAt = Number.NEGATIVE_INFINITY
  return async () => {
    const nowMs = app.clock.now().getTime()
    if (nowMs - askedAt >= askedEveryMs) {
      askedAt = nowMs
      accounts = await ofAccounts(app)
    }
    const [incidents, held, evm] = await Promise.all([
      ofIncidents(app),
      ofScreening(app),
      evmWarnings(),
    ])
    const chains = evm.map(({ said, detail }) => ({
      name: `evm ${said}`,
      sentence: detail,
      afterMs: evmLastsMs,
    }))
    return {
      conditions: [...incidents, ...held, ...accounts.conditions, ...chains],
      unseen: accounts.unseen,
    }
  }
}

async function ofIncidents({ db }: App): Promise<Condition[]> {
  return (await listIncidents(db, {})).map(({ id, livemode, rail, kind, subject }) => ({
    name: `incident ${id}`,
    sentence: `${modeOf(livemode)} ${rail}: ${kind}${subject === '' ? '' : ` ${subject}`}. ${incidentKinds[kind].replace(/\.$/, '')}`,
    afterMs: 0,
  }))
}

/** Only of live mode, because test keys can cause any condition. */
async function ofScreening({ db, screens }: App): Promise<Condition[]> {
  const lists = faultsOf(screens.live).map((sentence) => ({
    name: 'screening list',
    sentence,
    afterMs: 0,
  }))
  const held = (await listWaiting(db, 100n, 0n)).map(({ id, kind, subject }) => ({
    name: `review ${id}`,
    sentence: `Screening holds the live ${kind} ${subject}: it waits for a person (bursar screening list)`,
    afterMs: 0,
  }))
  return [...lists, ...held]
}

async function ofAccounts({ rails }: App): Promise<CurrentConditions> {
  const standings = await standingOf(rails, waitMs)
  const unseen = standings.filter(({ check }) => check.keyWorks === null)
  return {
    unseen: unseen.map(({ mode, account }) => `account ${mode} ${account.name} `),
    conditions: standings.flatMap(({ mode, account, check }) => {
      const of = `${mode} ${account.name}`
      const low = Object.entries(account.alertBelow ?? {}).filter(
        ([currency, least]) => (check.balances[currency as WalletCurrency] ?? least) < least,
      )
      const show = (currency: string, amount: bigint) =>
        formatMoney(amount, currency as WalletCurrency)
      return [
        ...(check.keyWorks === false
          ? [
              {
                name: `account ${of} key`,
                sentence: `${of}: ${account.provider} does not take its key`,
                afterMs: 0,
              },
            ]
          : []),
        ...low.map(([currency, least]) => ({
          name: `account ${of} balance ${currency}`,
          sentence: `${of} holds ${show(currency, check.balances[currency as WalletCurrency] as bigint)}, less than ${show(currency, least)}: payouts will wait once it is too low`,
          afterMs: 0,
        })),
      ]
    }),
  }
}
