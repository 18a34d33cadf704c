/**
 * What needs attention until a person has dealt with it, with its number, its age and a link to
 * each. What a state does not end, such as a failed payout, ends when a person says so.
 */
import { customerNames } from '../../collecting/customers/customers.ts'
import { findUnanswered } from '../../collecting/disputes/disputes.ts'
import { findMismatched } from '../../collecting/payments/payments.ts'
import { findFailed } from '../../collecting/refunds/refunds.ts'
import { html, type Part } from '../../lib/html.ts'
import type { Id } from '../../lib/ids.ts'
import { findTroubled } from '../../paying-out/payouts/payouts.ts'
import { ownIncidents } from '../../platform/incidents/incidents.ts'
import {
  findUndealtEvents,
  ownFailingEndpoints,
  ownFailingOf,
} from '../../platform/webhooks/webhooks.ts'
import { outgoingOf } from '../../rails/records/outgoing.ts'
import { deadline } from './deadline.ts'
import type { Visit } from './place.ts'
import { linkTo, shortDestination } from './related.ts'
import { payoutSchedules, ruleOf, stopping, whyNothing } from './resources/payout-schedules.ts'
import { payouts } from './resources/payouts.ts'
import { whyNot } from './resources/why-not.ts'
import { badge } from './view/parts.ts'
import { en, wordOf } from './view/strings.ts'

/** Endpoints are looked at for so long: they are not listed once they answer. */
const endpointDays = 7
/** The most that is counted of a kind. */
export const mostCounted = 100
const perPage = 100
/** What is read of a kind: one more tells whether there are more. */
const mostRead = mostCounted + 1

/** `subject`: what a person can say of that it is dealt with; otherwise its state ends it. */
export type NeedItem = { content: Part; subject?: string }
export type Need = { title: string; items: readonly NeedItem[]; isMore?: boolean }

/** Returns what needs attention, by kind. */
export async function findNeeds(visit: Visit): Promise<Need[]> {
  const parts = [
    waiting,
    held,
    openDisputes,
    troubledPayouts,
    stoppedSchedules,
    failedRefunds,
    failingEndpoints,
    paidDifferently,
    failedDocuments,
    incidents,
  ]
  const found = await Promise.all(parts.map((part) => part(visit)))
  return found.flat().filter(({ items }) => items.length > 0)
}

/** When it was, and how long ago. */
function when({ show, ctx }: Visit, at: string | Date): Part {
  const iso = new Date(at).toISOString()
  const days = Math.floor((ctx.scope.now.getTime() - Date.parse(iso)) / 86_400_000)
  return html` <time class="dim" datetime="${iso}">${show.time(iso)}${days > 0 && `, ${en.needs.age(days, show.number(days))}`}</time>`
}

/** Payouts that wait for a second person: the oldest are over first. */
async function waiting(visit: Visit): Promise<Need[]> {
  const { allowed, api, show } = visit
  if (!allowed(payouts.list)) return []
  const { docs, hasNextPage } = await api.listPayouts({
    query: { approval: 'waiting', limit: perPage },
  })
  const items = docs
    .toReversed()
    .map(({ amount, currency, destination, reference, approval_details, created_at }) => {
      const text = `${show.money(amount, currency)} to ${shortDestination(destination)}`
      return {
        content: html`${linkTo(visit, payouts.path, reference, text)}${when(visit, created_at)}${approval_details && en.needs.until(show.time(approval_details.until))}`,
      }
    })
  return [{ title: en.needs.waiting, items, isMore: hasNextPage }]
}

async function held({ ctx, mode, allowed }: Visit): Promise<Need[]> {
  if (mode === 'test' || !allowed('listPayouts') || (await outgoingOf(ctx.db)).heldAt === null)
    return []
  return [{ title: en.needs.held, items: [{ content: en.needs.heldMeans }] }]
}

/** Those whose evidence is due first come first. */
async function openDisputes(visit: Visit): Promise<Need[]> {
  const { allowed, ctx, show } = visit
  if (!allowed('listDisputes')) return []
  const docs = await findUnanswered(ctx, mostRead)
  const due = (at: Date | null): number => at?.getTime() ?? Number.POSITIVE_INFINITY
  const items = docs
    .toSorted((a, b) => (due(a.evidence_due_at) < due(b.evidence_due_at) ? -1 : 1))
    .map(({ id, amount, currency, created_at, evidence_due_at }) => ({
      content: html`${linkTo(visit, 'disputes', id, show.money(amount, currency))}${when(visit, created_at)}${evidence_due_at && html`<span>${en.evidenceDue} ${deadline(visit, evidence_due_at.toISOString())}</span>`}`,
    }))
  return [{ title: en.needs.disputes, items }]
}

/** Payouts that failed, came back, or were canceled because nobody approved them in time. */
async function troubledPayouts(visit: Visit): Promise<Need[]> {
  if (!visit.allowed('listPayouts')) return []
  const { ctx, show } = visit
  const lists = await findTroubled(ctx, mostRead)
  const itemOf = (doc: (typeof lists)[number][number]): NeedItem => {
    const { id, amount, currency, destination, status, reference, failure_reason } = doc
    const text = `${show.money(amount, currency)} to ${shortDestination(destination)}`
    const why = failure_reason
      ? `${wordOf(failure_reason)}. ${whyNot[failure_reason]}`
      : status === 'canceled' && en.needs.unapproved
    return {
      subject: id,
      content: html`${badge(status)} ${linkTo(visit, payouts.path, reference, text)}${when(visit, doc.updated_at)}${why}`,
    }
  }
  const docs = lists
    .flatMap((list) => list.slice(0, mostCounted))
    .sort((a, b) => (a.created_at < b.created_at ? 1 : -1))
  return [
    {
      title: en.needs.failed,
      items: docs.map(itemOf),
      isMore: lists.some(({ length }) => length > mostCounted),
    },
  ]
}

/** Standing payouts that cannot pay where they should, or would not: a business has few. */
async function stoppedSchedules(visit: Visit): Promise<Need[]> {
  if (!visit.allowed(payoutSchedules.list)) return []
  const { docs } = await visit.api.listPayoutSchedules({ query: { limit: 100 } })
  const items = docs.flatMap((doc) => {
    const code = doc.paused_because ?? (doc.status === 'active' ? doc.next_skip : null)
    if (code === null || !stopping.includes(code)) return []
    return [
      {
        content: html`${badge(doc.status)} ${linkTo(visit, payoutSchedules.path, doc.id, ruleOf(doc))}<br>${whyNothing[code]}`,
      },
    ]
  })
  return [{ title: en.needs.standing, items }]
}

async function failedRefunds(visit: Visit): Promise<Need[]> {
  if (!visit.allowed('listRefunds')) return []
  const docs = await findFailed(visit.ctx, mostRead)
  const items = docs.map(({ id, amount, currency, failure_reason, updated_at }) => ({
    subject: id,
    content: html`${linkTo(visit, 'refunds', id, visit.show.money(amount, currency))}${when(visit, updated_at)}${failure_reason && wordOf(failure_reason)}`,
  }))
  return [{ title: en.needs.refunds, items }]
}

/** The endpoints that are still asked, and missed deliveries. */
async function failingEndpoints(visit: Visit): Promise<Need[]> {
  const { ctx, allowed, show, base } = visit
  if (!allowed('listWebhookDeliveries')) return []
  const since = new Date(ctx.scope.now.getTime() - endpointDays * 86_400_000)
  const items = (await ownFailingEndpoints(ctx, since, perPage)).map(
    ({ id, url, failed, last_at }) => {
      const count = show.number(Number(failed))
      const many =
        Number(failed) === ownFailingOf ? en.needs.endpointMore(count) : en.needs.endpoint(count)
      return {
        content: html`<a href="${base}/webhooks/${id}">${url}</a>: ${many}${when(visit, last_at.toISOString())}`,
      }
    },
  )
  return [{ title: en.needs.endpoints, items }]
}

async function paidDifferently(visit: Visit): Promise<Need[]> {
  if (!visit.allowed('listPayments')) return []
  const rows = await findMismatched(visit.ctx, mostRead)
  const items = rows.map(({ id, variance, amount, amount_received, currency, created_at }) => {
    const [got, due] = [amount_received, amount].map((value) =>
      visit.show.money(value, currency),
    ) as [string, string]
    const text = en.needs.variances[variance ?? '']?.(got, due) ?? got
    return {
      subject: id,
      content: html`${badge(variance ?? '', 'warn')} ${linkTo(visit, 'payments', id, text)}${when(visit, created_at)}`,
    }
  })
  return [{ title: en.needs.varied, items }]
}

type FailedDocument = { customer: Id; id_type: string; created_at: string }

async function failedDocuments(visit: Visit): Promise<Need[]> {
  if (!visit.allowed('listEvents') || !visit.allowed('getCustomer')) return []
  const docs = await findUndealtEvents(visit.ctx, 'customer.document.failed', mostRead)
  const failed = docs.map(({ id, payload }) => ({ event: id, ...(payload as FailedDocument) }))
  const names = await customerNames(
    visit.ctx,
    failed.map(({ customer }) => customer),
  )
  const items = failed.map(({ event, customer, id_type, created_at }) => ({
    subject: event,
    content: html`${wordOf(id_type)}: ${linkTo(visit, 'customers', customer, html`<bdi>${names.get(customer) ?? en.deleted}</bdi>`)}${when(visit, created_at)}`,
  }))
  return [{ title: en.needs.documents, items }]
}

async function incidents(visit: Visit): Promise<Need[]> {
  if (!visit.allowed('listTransactions')) return []
  const items = (await ownIncidents(visit.ctx, perPage)).map(({ kind, rail, seen_at }) => ({
    content: html`${en.needs.incident(wordOf(kind), rail)}${when(visit, seen_at.toISOString())}`,
  }))
  return [{ title: en.needs.incidents, items }]
}
