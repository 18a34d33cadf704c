/** Decides what a stopped business may still do. */
import type { Route } from '../../core/route.ts'
import type { OperationScope } from '../../core/scopes.ts'

/** The rights by which a business collects or pays out. */
const moneyScopes: readonly OperationScope[] = ['collect', 'refund', 'payout', 'approve']

/** Whether an operation is refused to a stopped business: it starts to collect or to pay out. */
export const isRefusedWhenStopped = (route: Pick<Route, 'scope' | 'allowedWhenStopped'>): boolean =>
  !('read' in route) && moneyScopes.includes(route.scope) && !route.allowedWhenStopped
