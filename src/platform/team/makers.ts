/** The second-person rule: who made a record, their ids, and who may approve it. */
import type { Scope } from '../../core/app.ts'
import type { Work } from '../../core/inside.ts'
import { later } from '../../lib/clock.ts'
import { refusalsOf } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import * as s from '../../lib/schema.ts'
import * as statements from './team-sql.ts'

/** The person, key or operator that made or decided something. People are named only by id. */
export type Who = { type: 'key' | 'person' | 'operator'; id: Id | null; hint: string | null }

/**
 * `same`: ids that stand for the same person or key. An actor who shares one with the maker cannot
 * approve.
 */
export type Maker = Who & { same: Id[] }

/**
 * For how long after an invitation, or a grant of a role that approves, the two people cannot
 * approve each other's records: 72 hours.
 */
export const approverWaitMs = 72 * 3_600_000

/** The refusals of the second-person rule. */
export const makerRefusals = refusalsOf({
  approved_by_maker: [
    403,
    'Who made the payout or the change, or made, rolled or re-scoped the key that did, cannot approve it: it needs a second person.',
  ],
  approver_too_new: [
    403,
    'For 72 hours after one person invites another or gives a role, neither can approve what the other made. The same holds between two people whom the same person invited.',
  ],
})

const makerTypes = s.Named('PayoutMakerType', ['key', 'person', 'operator'])

/** The schema of the person, key or operator that made or decided something. */
export const WhoRecord = (description: string) =>
  s.Nullable(
    s.Type.Object(
      {
        type: s.OneOf(makerTypes, {
          description:
            '`key`: a request with an API key; `person`: a signed-in person; `operator`: a command.',
        }),
        id: s.Nullable(s.IdText('The key, or the person.')),
        hint: s.Nullable(
          s.Type.String({ description: 'How one recognises the key; null of a person.' }),
        ),
      },
      { title: 'PayoutMaker', description },
    ),
  )

/** As in the API: without the ids that are compared. */
export const toWho = ({ type, id, hint }: Who): Who => ({ type, id, hint })

/**
 * Returns the actor as stored in records; null in jobs. People are named only by id, because
 * payouts and their events outlive a membership.
 */
export function whoActs(scope: Scope): Maker | null {
  const { actor } = scope
  if (!actor) return null
  const id = actor.type === 'operator' ? null : actor.id
  return {
    type: actor.type,
    id,
    hint: actor.type === 'key' ? actor.hint : null,
    same: sameAs(scope),
  }
}

/**
 * Returns all ids that the actor may stand for: a person's own; for a key, the first key of its
 * rolls and the people who created, rolled or re-scoped them. Actors who share an id count as the
 * same.
 */
function sameAs({ actor }: Scope): Id[] {
  if (actor?.type === 'person') return [actor.id]
  if (actor?.type === 'key') return [actor.root, ...actor.makers]
  return []
}

/**
 * Refuses approval by the maker. In live mode, for `approverWaitMs`, also refuses it between people
 * whose grants (an invitation, or a role that approves) lead, over any number of steps, to one of
 * them or to the same person, because one person could be all of them. Also refuses a person who
 * joined by a shown link, whose address is unproven.
 * @param maker null: a job
 * @throws {Refusal} `approved_by_maker`, `approver_too_new`
 */
export async function requireSecondPerson(work: Work, maker: Maker | null): Promise<void> {
  const { businessId, livemode, now } = work.scope
  const own = sameAs(work.scope)
  const made = maker?.same ?? []
  if (own.some((id) => made.includes(id))) makerRefusals.refuse('approved_by_maker')
  if (!livemode) return
  const since = later(now, -approverWaitMs)
  const grant = await work.tx.row(statements.selectNewGrant, [businessId, own, made, since, now])
  if (!grant) return
  const until = later(grant.since, approverWaitMs).toISOString()
  const why = grant.shown
    ? `You joined by a link that was shown and not mailed, so you approve nothing that others made until ${until}.`
    : `You and who made it are joined by invitations or roles that are less than 72 hours old: you cannot approve it until ${until}.`
  makerRefusals.refuse(
    'approver_too_new',
    `${why} Anybody else with the right \`approve\` can who did not make it, and is not as new.`,
  )
}
