/** The state of the installation, for the operator's commands, keys and dashboard. */
import type { App } from '../../core/app.ts'
import type { Check } from '../../core/module.ts'
import { type Standing, standingOf } from '../../rails/accounts/checks.ts'
import type { WatcherState } from '../../rails/ports/chains.ts'
import type { RouteName } from '../../rails/ports/routes.ts'
import { diagnose, type Finding } from '../doctor/doctor.ts'

export { closeIt } from './incidents.ts'

declare module '../../core/app.ts' {
  interface Strategies {
    /**
     * Only the composition root can reach these: the stablecoin rail, held orders, and every
     * module's checks.
     */
    installation: {
      chains(): Promise<{ watchers: WatcherState[]; warnings: { detail: string }[] }>
      held(): Promise<string[]>
      /** All checks of `bursar ledger verify`. */
      checks: readonly Check[]
    }
  }
}

/** Returns the findings of `bursar doctor`. */
export const healthOf = (app: App): Promise<Finding[]> =>
  diagnose({
    app,
    evmWarnings: async () =>
      (await app.strategies.installation.chains()).warnings.map(({ detail }) => detail),
    heldWarnings: () => app.strategies.installation.held(),
  })

/** The longest wait for a provider. */
const waitMs = 15_000

/**
 * Returns the current state of every account, as `bursar rails status --json` shows it. `approval`
 * contains a secret.
 */
export async function accountsNow(app: Pick<App, 'rails' | 'origin'>) {
  const standings = await standingOf(app.rails, waitMs)
  return standings.map(
    ({ mode, account: { name, provider, serves, inbound, approvals }, check }) => ({
      mode,
      name,
      provider,
      serves,
      routes: routesOf(app, mode, name),
      key:
        check.fatal !== null || check.keyWorks === false
          ? 'refused'
          : check.keyWorks
            ? 'works'
            : 'unknown',
      obstacle: check.obstacle,
      balances: check.balances,
      webhook: inbound ? `${app.origin.url}/rails/${name}/${mode}/webhook` : null,
      approval: approvals
        ? `${app.origin.url}/rails/${name}/${mode}/approve/${approvals.token}`
        : null,
      warnings: [...(check.fatal === null ? [] : [check.fatal]), ...check.warnings],
    }),
  )
}

/** Returns the routes to an account, with the number of accounts before it in each. */
function routesOf({ rails }: Pick<App, 'rails'>, mode: Standing['mode'], name: string) {
  return Object.entries(rails[mode].routes).flatMap(([route, names]) =>
    names.includes(name) ? [{ route: route as RouteName, before: names.indexOf(name) }] : [],
  )
}
