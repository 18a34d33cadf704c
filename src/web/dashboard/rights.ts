/**
 * Who may do what at the dashboard: each action of each resource, by role and mode. It follows from
 * the roles and from what the operations need; the docs and a test are made of it.
 */
import type { Operations } from '../../core/route.ts'
import type { OperationScope } from '../../core/scopes.ts'
import { type PersonRole, type Right, rightsOf, roles } from '../../platform/team/team.ts'
import type { AnyAction, Resource } from './resource.ts'
import { resources } from './resources.ts'

export type RightsRow = {
  resource: Resource
  action: AnyAction
  /** Whether it makes a record. */
  creates: boolean
  /** What a role needs for it. */
  scope: OperationScope
  /** The roles that may. */
  live: readonly PersonRole[]
  test: readonly PersonRole[]
}

/** Returns a row for each action of each resource. */
export function rightsTable(routeOf: Operations['route']): RightsRow[] {
  const rowOf = (resource: Resource, action: AnyAction, creates: boolean): RightsRow => {
    const { personScope, mode, ...route } = routeOf(action.operation)
    const scope = personScope ?? route.scope
    const having = (livemode: boolean): PersonRole[] =>
      roles.filter((role) => rightsOf(role, livemode).includes(scope as Right))
    return {
      resource,
      action,
      creates,
      scope,
      test: having(false),
      live: mode === 'test' ? [] : having(true),
    }
  }
  return resources.flatMap((resource) => [
    ...(resource.create ? [rowOf(resource, resource.create, true)] : []),
    ...resource.actions.map((action) => rowOf(resource, action, false)),
  ])
}
