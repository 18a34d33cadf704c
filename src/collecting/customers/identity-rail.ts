/** Which rail verifies a type of identity document. */
import { identityTerms, type WithTerms } from '../../rails/accounts/choice.ts'
import type { IdentityTerms } from '../../rails/ports/rail.ts'
import type { IdType } from './schema.ts'

/** Types that a person reviews if no rail verifies them: paper documents, so not a bvn. */
const byPerson: readonly IdType[] = [
  'nin',
  'passport',
  'drivers_license',
  'voters_card',
  'cac',
  'tin',
]

/**
 * Returns facts about the rail that verifies a type of document; null if the sandbox or a person
 * does.
 * @throws {Refusal} `rail_not_configured` in live mode
 */
export const findIdentityRail = (view: WithTerms, type: string): IdentityTerms | null =>
  identityTerms(
    view,
    type,
    byPerson.some((one) => one === type),
  )
