/**
 * What needs somebody now, of the last days. Each part asks for a few of the newest only, by an
 * index.
 */
import { findMismatched } from '../../collecting/payments/payments.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { ownIncidents } from '../../platform/incidents/incidents.ts'
import { ownFailingEndpoints, ownFailingOf } from '../../platform/webhooks/webhooks.ts'
import { outgoingOf } from '../../rails/records/outgoing.ts'
import type { Visit } from './place.ts'
import { linkTo, shortDestination } from './related.ts'
import { payoutSchedules, ruleOf, stopping, whyNothing } from './resources/payout-schedules.ts'
import { payouts, whyNot } from './resources/payouts.ts'
import { withNames } from './tables.ts'
import { badge } from './view/parts.ts'
import { en, wordOf } from './view/strings.ts'

const dayCount = 7
const most = 5

/** What is to be looked at of one kind, and where the rest of it is. */
type Need = { title: string; items: readonly Part[]; all?: string | false }

/** All of it; null where there is nothing. */
export async function needsOf(visit: Visit): Promise<Part> {
  const since = new Date(visit.ctx.scope.now.getTime() - dayCount * 86_400_000)
  const parts = [
    waiting,
    held,
    failedPayouts,
    stoppedSchedules,
    failedRefunds,
    failingEndpoints,
    paidDifferently,
    failedDocuments,
    incidents,
  ]
  const found = (await Promise.all(parts.map((part) => part(visit, since))))
    .flat()
    .filter(({ items }) => items.length > 0)
  return found.length === 0 ? null : html`${found.map(needOf)}`
}

const needOf = ({ title, items, all }: Need): Html =>
  html`<h3>${title}</h3><ul>${items
    .slice(0, most)
    .map(
      (item) => html`<li>${item}</li>`,
    )}</ul>${all && html`<p><a href="${all}">${en.needs.all}</a></p>`}`

const when = ({ show }: Visit, iso: string): Html =>
  html` <time class="dim" datetime="${iso}">${show.time(iso)}</time>`

/** Payouts that wait for a second person: the oldest are over first, but all of them are few. */
async function waiting(visit: Visit): Promise<Need[]> {
  const { allowed, api, show, base } = visit
  if (!allowed(payouts.list)) return []
  const { docs, hasNextPage } = await api.listPayouts({
    query: { approval: 'waiting', limit: most },
  })
  const items = docs.map(({ amount, currency, destination, reference, approval_details }) => {
    const text = `${show.money(amount, currency)} to ${shortDestination(destination)}`
    return html`${linkTo(visit, payouts.path, reference, text)}<br>${approval_details && en.needs.until(show.time(approval_details.until))}`
  })
  return [
    { title: en.needs.waiting, items, all: hasNextPage && `${base}/payouts?approval=waiting` },
  ]
}

async function held({ ctx, mode, allowed }: Visit): Promise<Need[]> {
  if (mode === 'test' || !allowed('listPayouts') || (await outgoingOf(ctx.db)).heldAt === null)
    return []
  return [{ title: en.needs.held, items: [en.needs.heldMeans] }]
}

async function failedPayouts(visit: Visit, since: Date): Promise<Need[]> {
  if (!visit.allowed('listPayouts')) return []
  const newest = { from: since.toISOString(), limit: most }
  const lists = await Promise.all(
    (['failed', 'returned'] as const).map((status) =>
      visit.api.listPayouts({ query: { ...newest, status } }),
    ),
  )
  const docs = lists
    .flatMap((list) => list.docs)
    .sort((a, b) => (a.created_at < b.created_at ? 1 : -1))
  const items = docs.map(
    ({ amount, currency, destination, status, reference, failure_reason, created_at }) => {
      const text = `${visit.show.money(amount, currency)} to ${shortDestination(destination)}`
      const why = failure_reason && `${wordOf(failure_reason)}. ${whyNot[failure_reason]}`
      return html`${badge(status)} ${linkTo(visit, payouts.path, reference, text)}${when(visit, created_at)}<br>${why}`
    },
  )
  const more = docs.length > most || lists.some(({ hasNextPage }) => hasNextPage)
  return [{ title: en.needs.failed, items, all: more && `${visit.base}/payouts?status=failed` }]
}

/** Standing payouts that cannot pay where they should, or would not: a business has few. */
async function stoppedSchedules(visit: Visit): Promise<Need[]> {
  if (!visit.allowed(payoutSchedules.list)) return []
  const { docs } = await visit.api.listPayoutSchedules({ query: { limit: 100 } })
  const items = docs.flatMap((doc) => {
    const code = doc.paused_because ?? (doc.status === 'active' ? doc.next_skip : null)
    if (code === null || !stopping.includes(code)) return []
    return [
      html`${badge(doc.status)} ${linkTo(visit, payoutSchedules.path, doc.id, ruleOf(doc))}<br>${whyNothing[code]}`,
    ]
  })
  return [
    {
      title: en.needs.standing,
      items,
      all: items.length > most && `${visit.base}/payout-schedules`,
    },
  ]
}

async function failedRefunds(visit: Visit, since: Date): Promise<Need[]> {
  if (!visit.allowed('listRefunds')) return []
  const { docs, hasNextPage } = await visit.api.listRefunds({
    query: { status: 'failed', from: since.toISOString(), limit: most },
  })
  const items = docs.map(
    ({ id, amount, currency, failure_reason, created_at }) =>
      html`${linkTo(visit, 'refunds', id, visit.show.money(amount, currency))}${when(visit, created_at)}<br>${failure_reason}`,
  )
  return [
    { title: en.needs.refunds, items, all: hasNextPage && `${visit.base}/refunds?status=failed` },
  ]
}

/** The endpoints that are still asked, and missed deliveries. */
async function failingEndpoints(visit: Visit, since: Date): Promise<Need[]> {
  const { ctx, allowed, show, base } = visit
  if (!allowed('listWebhookDeliveries')) return []
  const items = (await ownFailingEndpoints(ctx, since, most + 1)).map(
    ({ id, url, failed, last_at }) => {
      const count = show.number(Number(failed))
      const many =
        Number(failed) === ownFailingOf ? en.needs.endpointMore(count) : en.needs.endpoint(count)
      return html`<a href="${base}/webhooks/${id}">${url}</a>: ${many}${when(visit, last_at.toISOString())}`
    },
  )
  return [{ title: en.needs.endpoints, items, all: items.length > most && `${base}/webhooks` }]
}

async function paidDifferently(visit: Visit, since: Date): Promise<Need[]> {
  if (!visit.allowed('listPayments')) return []
  const rows = await findMismatched(visit.ctx, since, most)
  const items = rows.map(({ id, variance, amount, amount_received, currency, created_at }) => {
    const [got, due] = [amount_received, amount].map((value) =>
      visit.show.money(value, currency),
    ) as [string, string]
    const text = en.needs.variances[variance ?? '']?.(got, due) ?? got
    return html`${badge(variance ?? '', 'warn')} ${linkTo(visit, 'payments', id, text)}${when(visit, created_at.toISOString())}`
  })
  return [{ title: en.needs.varied, items }]
}

type FailedDocument = { customer: string; id_type: string; created_at: string }

async function failedDocuments(visit: Visit, since: Date): Promise<Need[]> {
  if (!visit.allowed('listEvents') || !visit.allowed('getCustomer')) return []
  const query = { type: 'customer.document.failed' as const, limit: most }
  const { docs } = await visit.api.listEvents({ query })
  const failed = docs
    .filter(({ timestamp }) => new Date(timestamp) >= since)
    .map(({ payload }) => payload as FailedDocument)
  const seen = await withNames(visit, { namesCustomers: true }, failed)
  const items = failed.map(
    ({ customer, id_type, created_at }) =>
      html`${wordOf(id_type)}: ${linkTo(visit, 'customers', customer, seen.nameOf(customer))}${when(visit, created_at)}`,
  )
  return [{ title: en.needs.documents, items }]
}

async function incidents(visit: Visit): Promise<Need[]> {
  if (!visit.allowed('listTransactions')) return []
  const items = (await ownIncidents(visit.ctx, most)).map(
    ({ kind, rail, seen_at }) =>
      html`${en.needs.incident(wordOf(kind), rail)}${when(visit, seen_at.toISOString())}`,
  )
  return [{ title: en.needs.incidents, items }]
}
