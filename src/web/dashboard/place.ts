/** Where a visitor is: the business, the mode, and what pages there can do. */
import type { Stopped } from '../../core/app.ts'
import type { OperationClient, OperationId } from '../../core/operations.ts'
import type { Ctx } from '../../core/outside.ts'
import type { OperationInput, Operations, PageAnswer, PageRequest } from '../../core/route.ts'
import type { Id } from '../../lib/ids.ts'
import type { Mode } from '../../lib/mode.ts'
import type { Session } from '../../platform/team/team.ts'
import type { Show } from './show.ts'
import type { groupIcons } from './view/icons.ts'

/** An entry of the menu. With `mode`, the page exists in that mode only. */
export type MenuItem = { path: string; title: string; right?: string; mode?: Mode }
export type MenuGroup = {
  /** Left out, its items stand there for themselves and do not fold. */
  title: string | null
  icon?: keyof typeof groupIcons
  items: readonly MenuItem[]
}

export type Place = {
  session: Session
  business: { id: Id; name: string }
  mode: Mode
  /** Set when the operator has stopped the business: every page says so. */
  stopped: Stopped | null
  /** Set on the operator's pages, which have their own menu and belong to no business. */
  operator?: { menu: readonly MenuGroup[] }
  /** The start of all paths of this business and mode: `/dashboard/{business}/{mode}`. */
  base: string
  /** The page's path, without its query. */
  path: string
  /** Returns whether the visitor has a right here. */
  can(right: string): boolean
}

/** A visit to a page of a business. */
export type Visit = Place & {
  ctx: Ctx
  request: PageRequest
  operations: Operations
  show: Show
  /** The country of the business, in two letters: phone numbers are dialled there. */
  country: string
  /** The API's operations, called as the visitor. @throws {Refusal} what the API refuses with */
  api: OperationClient
  /** Calls an operation that a resource names. @throws {Refusal} what the API refuses with */
  operate(id: OperationId, input?: OperationInput, key?: string): Promise<unknown>
  /** Calls an operation that answers with a file. @throws {Refusal} what the API refuses with */
  file(id: OperationId, input: OperationInput): Promise<AsyncIterable<string | Uint8Array>>
  /** Follows a stream for as long as the visitor may. @throws {Refusal} as the API does */
  follow(id: OperationId, input?: OperationInput): Promise<AsyncIterable<string>>
  /**
   * Returns whether the visitor may call an operation.
   * @param keyed the form may be a repeat, from before the business was stopped
   */
  allowed(id: OperationId, keyed?: boolean): boolean
}

/** A page of a business. `path` is below the mode. */
export type BusinessPage = {
  method: 'GET' | 'POST'
  path: string
  /** Its form may carry a file, or the text of one. */
  takesFile?: boolean
  handler(visit: Visit): Promise<PageAnswer>
}
