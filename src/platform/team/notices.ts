/** Mails notices to the team: the defaults by role, each person's choices, and the mails. */

import type { App } from '../../core/app.ts'
import { dashboardUrl } from '../../core/dashboard-url.ts'
import type { Work } from '../../core/inside.ts'
import { outside, scopeOf } from '../../core/outside.ts'
import { later } from '../../lib/clock.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { mailOnce } from '../mail/mail.ts'
import {
  type NoticeKind,
  noticeKinds,
  takeWaiting,
  type WaitingNotices,
  waitingNotices,
} from '../notices/notices.ts'
import type { PersonRole } from './roles.ts'
import * as statements from './team-sql.ts'

/** The roles that get a notice by default, its text for one and for many, and its page. */
export const notices: Record<
  NoticeKind,
  { name: string; roles: readonly PersonRole[]; says(count: string): string; page: string }
> = {
  payout_failed: {
    name: 'A payout failed or came back',
    roles: ['owner', 'admin', 'finance'],
    says: (count) =>
      count === '1' ? 'A payout failed or came back' : `${count} payouts failed or came back`,
    page: '/payouts',
  },
  payout_waiting: {
    name: 'A payout waits for a second person',
    roles: ['owner', 'admin', 'finance'],
    says: (count) =>
      count === '1'
        ? 'A payout waits for a second person'
        : `${count} payouts wait for a second person`,
    page: '/approvals',
  },
  endpoint_failing: {
    name: 'A webhook endpoint takes nothing',
    roles: ['owner', 'admin', 'developer'],
    says: (count) =>
      count === '1'
        ? 'A webhook endpoint takes nothing'
        : `${count} webhook endpoints take nothing`,
    page: '/webhooks',
  },
  incident: {
    name: 'The books and a provider differ',
    roles: ['owner', 'admin', 'finance'],
    says: (count) =>
      count === '1'
        ? 'The books and a provider differ'
        : `The books and a provider differ ${count} times`,
    page: '',
  },
  dispute: {
    name: 'A dispute was opened or decided',
    roles: ['owner', 'admin', 'finance'],
    says: (count) =>
      count === '1'
        ? 'A dispute was opened or decided'
        : `Disputes were opened or decided: ${count}`,
    page: '/disputes',
  },
}

/** A person's choices by kind. */
export type NoticeChoices = Partial<Record<NoticeKind, boolean>>

/** Whether a person gets a kind of notice. */
export const isNoticeWanted = (
  kind: NoticeKind,
  role: PersonRole,
  choices: NoticeChoices,
): boolean => choices[kind] ?? notices[kind].roles.includes(role)

/** Returns the kinds that a person gets in each business. */
export async function noticesOf(
  { db }: Pick<App, 'db'>,
  personId: Id,
): Promise<Map<Id, Record<NoticeKind, boolean>>> {
  const rows = await db.rows(statements.selectWanted, [personId])
  return new Map(
    rows.map(({ business_id, role, notices: choices }) => [
      business_id,
      Object.fromEntries(
        noticeKinds.map((kind) => [kind, isNoticeWanted(kind, role, choices)]),
      ) as Record<NoticeKind, boolean>,
    ]),
  )
}

/**
 * Sets exactly which kinds a person gets in a business. @returns whether the person is in its team
 */
export async function chooseNotices(
  { db }: Pick<App, 'db'>,
  personId: Id,
  businessId: Id,
  chosen: readonly string[],
): Promise<boolean> {
  const choices = Object.fromEntries(noticeKinds.map((kind) => [kind, chosen.includes(kind)]))
  return (
    (await db.row(statements.updateWanted, [businessId, personId, JSON.stringify(choices)])) !==
    null
  )
}

const hourMs = 3_600_000

/** Mails pending notices, at most one mail an hour per kind and business. */
export async function mailNotices(app: App): Promise<void> {
  for (const { business_id, livemode, kind } of await waitingNotices(
    app.db,
    later(app.clock.now(), -hourMs),
  )) {
    const ctx = outside(app, await scopeOf(app, business_id, livemode))
    await ctx.write((work) => mailKind(app, work, kind))
  }
}

async function mailKind(app: App, work: Work, kind: NoticeKind): Promise<void> {
  const now = app.clock.now()
  const waiting = await takeWaiting(work, kind, now, later(now, -hourMs))
  if (!waiting) return
  const about = `notice.${kind} ${newId(now)}`
  for (const person of await work.tx.rows(statements.selectRecipients, [work.scope.businessId])) {
    const theirs = waiting.filter(({ made_by }) => made_by !== person.id)
    if (theirs.length === 0 || !isNoticeWanted(kind, person.role, person.notices)) continue
    await mailOnce(work, {
      about,
      recipient: person.email,
      ...letterOf(work, kind, person, theirs),
    })
  }
}

const mostLines = 10

function letterOf(
  work: Work,
  kind: NoticeKind,
  { name, business }: { name: string; business: string },
  waiting: WaitingNotices[],
): { subject: string; body: string } {
  const { businessId, livemode } = work.scope
  const count = waiting.reduce((sum, one) => sum + one.count, 0n)
  const lines = waiting.flatMap((one) => one.lines).slice(0, mostLines)
  const more = count - BigInt(lines.length)
  const says = notices[kind].says(count.toLocaleString('en'))
  const body = [
    `Hello ${name.replaceAll(/\s+/g, ' ')},`,
    '',
    `${says} (${business}).`,
    '',
    ...lines.map((line) => `- ${line}`),
    ...(more > 0n ? [`and ${more.toLocaleString('en')} more.`] : []),
    '',
    'See it here:',
    dashboardUrl(work, `/${businessId}/${livemode ? 'live' : 'test'}${notices[kind].page}`),
    '',
    'There is at most one such mail in an hour. You can switch it off at your account:',
    dashboardUrl(work, '/account'),
    ...(livemode ? [] : ['', '(Test mode: no real money moved, and this is not sent.)']),
    '',
  ].join('\n')
  return { subject: `${says} – ${business}`, body }
}
