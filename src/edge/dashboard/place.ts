/**
 * Who visits which business, in which mode: what every page around it says.
 */
import type { Id } from '../../lib/ids.ts'
import type { Mode } from '../../lib/mode.ts'
import type { Session } from '../../platform/team/team.ts'

// biome-ignore lint/suspicious/noExplicitAny: records of every shape, as the API has them
export type Doc = Record<string, any>

export type Place = {
  session: Session
  business: { id: Id; name: string }
  mode: Mode
  /** Where the pages of this business and mode are: `/dashboard/{business}/{mode}`. */
  base: string
  /** The page, without its query. */
  path: string
  /** Whether who visits has a right here. */
  can(right: string): boolean
}
