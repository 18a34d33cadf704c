/**
 * What pages say of payouts that wait for a second person, and what can be done to them.
 */
import { html, type Part } from '../../lib/html.ts'
import { listMembers } from '../../platform/team/team.ts'
import type { Doc, Visit } from './place.ts'
import { destinationOf } from './related.ts'
import type { Action, Section } from './resource.ts'
import { fact, facts, notice } from './view/parts.ts'
import { wordOf } from './view/strings.ts'

export const waits = ({ approval }: Doc): boolean => approval === 'waiting'

/**
 * Whether who visits made a payout by hand, and so cannot approve it. What a key of theirs made,
 * the API refuses.
 */
export const isOwn = ({ approval_details }: Doc, { session }: Pick<Visit, 'session'>): boolean =>
  approval_details?.made_by?.id === session.person.id

/** Says who made something, or decided it, as the team knows them. */
export async function namesOf({ ctx, session }: Visit): Promise<(who: Doc | null) => Part> {
  const names = new Map(
    (await listMembers(ctx)).map(({ person_id, name }) => [person_id as string, name]),
  )
  return (who) => {
    if (who === null) return 'Nobody'
    if (who.type === 'operator') return 'The operator of the server'
    if (who.type === 'key') return html`The key <code>${who.hint}</code>`
    if (who.id === session.person.id) return html`<bdi>${session.person.name}</bdi> (you)`
    const name = names.get(who.id)
    return name === undefined
      ? 'Somebody who is not in the team any more'
      : html`<bdi>${name}</bdi>`
  }
}

/** Why payouts wait, in the middle of a sentence. */
const whys: Record<string, string> = {
  payout_limit: 'it is above what one payout may be',
  daily_limit: 'the day would send too much without approval',
}
export const whyOf = ({ reasons }: Doc): string =>
  (reasons as string[]).map((one) => whys[one] ?? one).join(', and ')

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`

/** What the page of a payout says of its approval. */
export const approvalSection: Section = {
  title: 'Approval',
  async content(doc, seen) {
    const { approval, approval_details: details } = doc
    if (!details) return false
    const nameOf = await namesOf(seen)
    const { show } = seen
    const own =
      waits(doc) &&
      isOwn(doc, seen) &&
      notice(
        'info',
        'You made this payout, so you cannot approve it: somebody else of your team has to.',
      )
    return html`${own}${facts([
      fact('Why it waits', sentence(whyOf(details))),
      fact('Made by', nameOf(details.made_by)),
      approval === 'waiting' &&
        fact('Waits until', `${show.time(details.until)}; then it is canceled and given back`),
      approval !== 'waiting' &&
        fact(
          approval === 'approved' ? 'Approved by' : 'Refused by',
          details.decided_by || approval === 'approved'
            ? nameOf(details.decided_by)
            : 'Nobody: its time had ended',
        ),
      details.decided_at !== null && fact('When', show.time(details.decided_at)),
    ])}`
  },
}

/** What is said of a payout before it is decided: who made it, why it waits, and until when. */
async function aboutIt({ approval_details: details }: Doc, visit: Visit): Promise<Part[]> {
  const nameOf = await namesOf(visit)
  return [
    html`Made by: ${nameOf(details.made_by)}. It waits because ${whyOf(details)}.`,
    `If nobody decides until ${visit.show.time(details.until)}, it is canceled and given back.`,
  ]
}

const isDecidable = (doc: Doc, visit: Visit): boolean => waits(doc) && !isOwn(doc, visit)

export const approve: Action = {
  name: 'approve',
  title: 'Approve',
  leads: true,
  confirm: 'Approve and send',
  operation: 'approvePayout',
  when: isDecidable,
  async foresee({ doc }, visit) {
    const { show } = visit
    const money = (value: number): string => show.money(value, doc.currency)
    return {
      lines: [
        html`<strong>${money(doc.amount)}</strong> is sent from your ${wordOf(doc.currency)} wallet, which holds it already.`,
        `The fee of it is ${money(doc.fee)}, and ${show.money(doc.destination_amount, doc.destination_currency)} arrives, at the price that it was made at.`,
        html`It goes to:<br>${destinationOf(doc.destination)}`,
        ...(await aboutIt(doc, visit)),
      ],
    }
  },
  done: 'You have approved the payout. It is on its way.',
}

export const refuse: Action = {
  name: 'refuse',
  title: 'Refuse',
  confirm: 'Refuse and give back',
  operation: 'refusePayout',
  danger: true,
  when: isDecidable,
  async foresee({ doc }, visit) {
    return {
      lines: [
        html`<strong>${visit.show.money(doc.amount, doc.currency)}</strong> is available in your ${wordOf(doc.currency)} wallet again, the fee included.`,
        'Nothing is sent, and the payout is canceled for good.',
        html`It would have gone to:<br>${destinationOf(doc.destination)}`,
        ...(await aboutIt(doc, visit)),
      ],
    }
  },
  done: 'You have refused the payout. Its money is available again.',
}

/** Whether a payout of this amount would wait as the limits stand, in a sentence. */
export async function whatWaits(
  { amount, currency }: Doc,
  { operate, show }: Visit,
): Promise<string[]> {
  const limits: Doc = await operate('getLimits')
  const limit = (limits.currencies as Doc[]).find((one) => one.currency === currency)
  if (!limit) return []
  const { approve_above: above, approve_above_daily: daily, sent_today: sent } = limit
  const reason =
    above !== null && amount > above
      ? `more than ${show.money(above, currency)}`
      : daily !== null && sent + amount > daily
        ? `more than the ${show.money(daily, currency)} that a day sends without approval`
        : null
  return reason === null
    ? []
    : [
        `It is ${reason}, so it waits until somebody else approves it, for at most ${limits.approval_hours} hours.`,
      ]
}
