/**
 * Second persons: who made something, by what ids they are known, and who may approve it.
 */
import type { Scope } from '../../core/app.ts'
import type { Work } from '../../core/inside.ts'
import { later } from '../../lib/clock.ts'
import { refusalsOf } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import * as s from '../../lib/schema.ts'
import * as statements from './team-sql.ts'

/** Who made something, or decided. People are named by their id alone. */
export type Who = { type: 'key' | 'person' | 'operator'; id: Id | null; hint: string | null }

/**
 * `same`: what stands for the same person or key. Who shares one of these with the maker cannot
 * approve.
 */
export type Maker = Who & { same: Id[] }

/**
 * How long an invitation, or a role that approves, keeps two people from approving what the other
 * made: 72 hours.
 */
export const approverWaitMs = 72 * 3_600_000

/** What a second person is refused with. */
export const makerRefusals = refusalsOf({
  approved_by_maker: [
    403,
    'Who made the payout or the change, or made, rolled or re-scoped the key that did, cannot approve it: it needs a second person.',
  ],
  approver_too_new: [
    403,
    'For 72 hours after an invitation or a role, nobody approves what the other made: neither of the two, nor two whom the same person invited.',
  ],
})

const makerTypes = s.Named('PayoutMakerType', ['key', 'person', 'operator'])

/** The schema of who made something, or decided. */
export const WhoRecord = (description: string) =>
  s.Nullable(
    s.Type.Object(
      {
        type: s.OneOf(makerTypes, {
          description:
            '`key`: a request with an API key; `person`: somebody who has signed in; `operator`: a command.',
        }),
        id: s.Nullable(s.IdText('The key, or the person.')),
        hint: s.Nullable(
          s.Type.String({ description: 'How one recognises the key; null of a person.' }),
        ),
      },
      { title: 'PayoutMaker', description },
    ),
  )

/** As the API gives it: what is compared stays inside. */
export const toWho = ({ type, id, hint }: Who): Who => ({ type, id, hint })

/**
 * Who acts, as a record keeps it; null in jobs. People are named by their id alone: a payout and
 * its events stay when they have left.
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
 * All ids that who acts can stand behind: a person; a key, those whose rolls led to it, and the
 * people who made, rolled or re-scoped them. Two who share one are the same to each other.
 */
function sameAs({ actor }: Scope): Id[] {
  if (actor?.type === 'person') return [actor.id]
  if (actor?.type === 'key') return [actor.root, ...actor.makers]
  return []
}

/**
 * Refuses who acts to approve what they made themselves. In live mode, for `approverWaitMs`, also
 * what was made by who invited them or gave them a role that approves, by whom they did so, or by
 * whom the same person did, over any number of steps: one person could be all of them. And anything
 * to who joined by a link that was shown, with an address that nothing has proved.
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
