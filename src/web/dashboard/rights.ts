/**
 * Who may do what at the dashboard: each action of each resource, by role and mode. It follows from
 * the roles and from what the operations need; the docs and a test are made of it.
 */
import type { Needed } from '../../books/businesses/businesses.ts'
import type { Operations } from '../../core/route.ts'
import { type PersonRole, type Right, rightsOf, roles } from '../../platform/team/team.ts'
import type { Action, Resource } from './resource.ts'
import { resources } from './resources.ts'

export type RightsRow = {
  resource: Resource
  action: Action
  /** Whether it makes a record. */
  creates: boolean
  /** What a role needs for it. */
  scope: Needed
  /** The roles that may. */
  live: readonly PersonRole[]
  test: readonly PersonRole[]
}

/**
 * The whole table.
 * @param scopeOf what an operation needs
 */
export function rightsTable(
  route: Operations['route'],
  scopeOf: (operation: string) => Needed,
): RightsRow[] {
  const rowOf = (resource: Resource, action: Action, creates: boolean): RightsRow => {
    const { operation } = action
    const scope = scopeOf(operation)
    const having = (livemode: boolean): PersonRole[] =>
      roles.filter((role) => rightsOf(role, livemode).includes(scope as Right))
    return {
      resource,
      action,
      creates,
      scope,
      test: having(false),
      live: route(operation).mode === 'test' ? [] : having(true),
    }
  }
  return resources.flatMap((resource) => [
    ...(resource.create ? [rowOf(resource, resource.create, true)] : []),
    ...resource.actions.map((action) => rowOf(resource, action, false)),
  ])
}
