/** How payouts that wait for a second person are shown, and the decisions about them. */
import type { AnswerOf } from '../../core/operations.ts'
import { html, type Part } from '../../lib/html.ts'
import { listMembers } from '../../platform/team/team.ts'
import type { Visit } from './place.ts'
import { destinationOf, shortDestination } from './related.ts'
import type { Action, Section } from './resource.ts'
import { fact, facts, notice } from './view/parts.ts'
import { many } from './view/strings.ts'

export type Payout = AnswerOf<'getPayout'>
type Approval = NonNullable<Payout['approval_details']>

/** Returns whether a payout waits for a second person. */
export const waits = ({ approval }: Pick<Payout, 'approval'>): boolean => approval === 'waiting'

/**
 * Returns whether the visitor made a payout by hand, and so cannot approve it. The API refuses
 * those of the visitor's keys.
 */
export const isOwn = (
  { approval_details }: Pick<Payout, 'approval_details'>,
  { session }: Pick<Visit, 'session'>,
): boolean => approval_details?.made_by?.id === session.person.id

/** Whoever made, decided or changed something. */
export type Actor = { type: string; id?: string | null; hint?: string | null }

/** Returns a function that names an actor as the team knows them. */
export async function namesOf({
  ctx,
  session,
}: Pick<Visit, 'ctx' | 'session'>): Promise<(actor: Actor | null) => Part> {
  const names = new Map(
    (await listMembers(ctx)).map(({ person_id, name }) => [person_id as string, name]),
  )
  return (actor) => {
    if (actor === null) return 'Nobody'
    if (actor.type === 'operator') return 'The server operator'
    if (actor.type === 'key') return html`The key <code>${actor.hint}</code>`
    if (actor.id === session.person.id) return html`<bdi>${session.person.name}</bdi> (you)`
    const name = names.get(actor.id ?? '')
    return name === undefined ? 'A former team member' : html`<bdi>${name}</bdi>`
  }
}

/** Why payouts wait, in the middle of a sentence. */
const reasons: Record<string, string> = {
  payout_limit: 'it is above your limit for one payout',
  daily_limit: 'it would bring the day above what you send without approval',
}
export const whyOf = ({ reasons: codes }: Approval): string =>
  codes.map((one) => reasons[one] ?? one).join(', and ')

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`

/** The part of a payout's page about its approval. */
export const approvalSection: Section<Payout> = {
  title: 'Approval',
  async content(payout, seen) {
    const { approval, approval_details: details } = payout
    if (!details) return false
    const nameOf = await namesOf(seen)
    const { show } = seen
    const own =
      waits(payout) &&
      isOwn(payout, seen) &&
      notice('info', 'You made this payout, so someone else in your team has to approve it.')
    return html`${own}${facts([
      fact('Why it waits', sentence(whyOf(details))),
      fact('Made by', nameOf(details.made_by)),
      approval === 'waiting' &&
        fact(
          'Waits until',
          `${show.time(details.until)}; then it is canceled and the money returned`,
        ),
      approval !== 'waiting' &&
        fact(
          approval === 'approved' ? 'Approved by' : 'Refused by',
          details.decided_by || approval === 'approved'
            ? nameOf(details.decided_by)
            : 'Nobody: the time ran out',
        ),
      details.decided_at !== null && fact('When', show.time(details.decided_at)),
    ])}`
  },
}

/** The two decisions about payouts that wait. */
export const decisions = {
  approve: {
    title: 'Approve',
    did: 'approved',
    confirm: 'Approve and send',
    effect: (sum: Part, count: string): Part =>
      html`<strong>${sum}</strong> is sent, by ${count}. Your wallets hold it already.`,
  },
  refuse: {
    title: 'Refuse',
    did: 'refused',
    confirm: 'Refuse and return',
    effect: (sum: Part, count: string): Part =>
      html`<strong>${sum}</strong> is available again, fees included. Nothing is sent, and ${count} canceled for good.`,
  },
} as const
export type Decision = keyof typeof decisions

/** Returns the sum of some payouts, wallet by wallet. */
export function sumOf(payouts: readonly Pick<Payout, 'amount' | 'currency'>[], { show }: Visit) {
  const sums = new Map<string, bigint>()
  for (const { currency, amount } of payouts)
    sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(amount))
  return [...sums].map(([currency, amount]) => show.money(amount, currency)).join(' and ')
}

/** Returns what a decision will do: in all, and to each payout. */
export async function foreseeDecision(
  decision: Decision,
  payouts: readonly Payout[],
  visit: Visit,
): Promise<Part[]> {
  const nameOf = await namesOf(visit)
  const { show } = visit
  const count = many(
    show.number(payouts.length),
    decision === 'approve' ? 'payout' : 'payout is',
    decision === 'approve' ? 'payouts' : 'payouts are',
  )
  return [
    decisions[decision].effect(sumOf(payouts, visit), count),
    ...payouts.flatMap((payout) => {
      const { approval_details: details } = payout
      const to =
        payouts.length === 1
          ? html`<br>${destinationOf(payout.destination)}`
          : html`<bdi>${shortDestination(payout.destination)}</bdi>`
      return [
        html`${show.money(payout.amount, payout.currency)} to ${to}`,
        html`Of that, ${show.money(payout.destination_amount, payout.destination_currency)} arrives, after a fee of ${show.money(payout.fee, payout.currency)}.`,
        details &&
          html`Made by: ${nameOf(details.made_by)}. It waits because ${whyOf(details)}. Unless someone decides by ${show.time(details.until)}, it is canceled and the money returns to your wallet.`,
      ]
    }),
  ]
}

const actionOf = (decision: Decision, done: string) => {
  const { title, confirm } = decisions[decision]
  return {
    name: decision,
    title,
    confirm,
    when: (payout: Payout, visit: Visit) => waits(payout) && !isOwn(payout, visit),
    foresee: async ({ doc }: { doc: Payout }, visit: Visit) => ({
      lines: await foreseeDecision(decision, [doc], visit),
    }),
    done,
  }
}

export const approve: Action<'approvePayout', Payout> = {
  ...actionOf('approve', 'You have approved the payout. Sending it now.'),
  operation: 'approvePayout',
  leads: true,
}

export const refuse: Action<'refusePayout', Payout> = {
  ...actionOf('refuse', 'You have refused the payout. Its money is available again.'),
  operation: 'refusePayout',
  danger: true,
}

/** Returns a sentence if a payout of this amount would need approval under today's limits. */
export async function whatWaits(
  { amount, currency }: { amount: number; currency: string },
  { api, show }: Visit,
): Promise<string[]> {
  const limits = await api.getLimits()
  const limit = limits.currencies.find((one) => one.currency === currency)
  if (!limit) return []
  const { approve_above: above, approve_above_daily: daily, sent_today: sent } = limit
  const reason =
    above !== null && amount > above
      ? `more than ${show.money(above, currency)}`
      : daily !== null && (sent ?? 0) + amount > daily
        ? `more than the ${show.money(daily, currency)} that you send in a day without approval`
        : null
  return reason === null
    ? []
    : [
        `It is ${reason}, so it waits until someone else approves it, for at most ${limits.approval_hours} hours.`,
      ]
}
