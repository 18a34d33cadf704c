/**
 * Who visits which business, in which mode: what every page around it says.
 */
import type { Stopped } from '../../core/app.ts'
import type { Ctx } from '../../core/outside.ts'
import type { OperationInput, Operations, PageAnswer, PageRequest } from '../../core/route.ts'
import type { Id } from '../../lib/ids.ts'
import type { Mode } from '../../lib/mode.ts'
import type { Session } from '../../platform/team/team.ts'
import type { Show } from './show.ts'

// biome-ignore lint/suspicious/noExplicitAny: records of every shape, as the API has them
export type Doc = Record<string, any>

/** `mode`: there is no such page in the other. */
export type MenuItem = { path: string; title: string; needs?: string; mode?: Mode }
export type MenuGroup = { title: string | null; items: readonly MenuItem[] }

export type Place = {
  session: Session
  business: { id: Id; name: string }
  mode: Mode
  /** That the operator has stopped the business: every page says so. */
  stopped: Stopped | null
  /** The operator's part: it has a menu of its own, and is of no business. */
  operator?: { menu: readonly MenuGroup[] }
  /** Where the pages of this business and mode are: `/dashboard/{business}/{mode}`. */
  base: string
  /** The page, without its query. */
  path: string
  /** Whether who visits has a right here. */
  can(right: string): boolean
}

/** A visit: what a page of a business is given. */
export type Visit = Place & {
  ctx: Ctx
  request: PageRequest
  operations: Operations
  show: Show
  /** Asks an operation of the API, as who visits. @throws {Refusal} what the API refuses with */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape, as JSON has them
  operate(id: string, input?: OperationInput, key?: string): Promise<any>
  /**
   * Follows a stream of the API, as long as who visits may. @throws {Refusal} what the API refuses
   * with
   */
  follow(id: string, input?: OperationInput): Promise<AsyncIterable<string>>
  /**
   * Whether who visits may ask it. @param keyed by a form that may have been sent before, when the
   * business was not stopped yet
   */
  allowed(id: string, keyed?: boolean): boolean
}

/** A page of a business: `path` stands below its mode. */
export type BusinessPage = {
  method: 'GET' | 'POST'
  path: string
  /** Its form may carry a file, or the text of one. */
  takesFile?: boolean
  handler(visit: Visit): Promise<PageAnswer>
}
