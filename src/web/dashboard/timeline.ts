/** Shows what happened to a record: states, postings, events, deliveries and the rail's answers. */
import type { AnswerOf } from '../../core/operations.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { namesOf } from './approvals.ts'
import type { Visit } from './place.ts'
import { en, wordOf } from './view/strings.ts'

/** Returns the timeline of a record, if the visitor may see it. */
export async function timelineOf(
  visit: Visit,
  { id, currency }: { id: string; currency?: string },
): Promise<Part> {
  if (!visit.allowed('explainRecord')) return null
  const [{ entries }, nameOf] = await Promise.all([
    visit.api.explainRecord({ params: { id } }),
    namesOf(visit),
  ])
  return html`<section class="sheet"><h2>${en.detail.timeline}</h2>
<ol class="timeline">${entries.map((entry) => entryOf(visit, entry, { nameOf, ofRecord: currency ?? '' }))}</ol></section>`
}

/** Names of ledger accounts begin with the code of their currency. */
const inCapitals = (title: string): string =>
  title.replaceAll(/\b(?:ngn|usd|eur|usdc|usdt)\b/g, (code) => code.toUpperCase())

type Entry = AnswerOf<'explainRecord'>['entries'][number]
/** The details of an entry that have a place of their own in its line. */
type Known = {
  amount?: unknown
  currency?: string
  failure_reason?: string
  by?: Actor
  actor?: Actor
}
type Actor = Parameters<Awaited<ReturnType<typeof namesOf>>>[0]

function entryOf(
  { show }: Visit,
  { at, kind, title, detail }: Entry,
  { nameOf, ofRecord }: { nameOf: (who: Actor) => Part; ofRecord: string },
): Html {
  const shown = Object.entries(detail).filter(
    ([, value]) => value !== null && typeof value !== 'object',
  )
  const { amount, currency = ofRecord, failure_reason, by, actor } = detail as Known
  const read = (name: string, value: unknown): Part => valueInWords(show, { name, value, currency })
  const who = by ?? actor
  const more = html`${who && html` by ${nameOf(who)}`}${failure_reason && `: ${wordOf(failure_reason)}`}`
  const moved =
    kind === 'posting' &&
    typeof amount === 'number' &&
    html`<strong>${show.money(amount, currency)}</strong> `
  return html`<li class="of-${kind}"><time datetime="${at}">${show.time(at)}</time><span class="badge">${en.detail.kinds[kind] ?? wordOf(kind)}</span> <span>${moved}${kind === 'posting' ? inCapitals(title) : title}${more}</span>${
    shown.length > 0 &&
    html`<details><summary>${en.detail.more}</summary><dl class="facts">${shown.map(
      ([name, value]) =>
        html`<div><dt>${wordOf(name)}</dt><dd><bdi>${read(name, value)}</bdi></dd></div>`,
    )}</dl></details>`
  }</li>`
}

/** Details that are minor units of the entry's currency. */
const amounts = /^(amount|fee|net|held|taken|total|balance|variance)$|^amount_|_amount$|_fee$/
const isTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

type Named = { name: string; value: unknown; currency: string }

/** Shows a detail as the reader would write it: money in major units, times in the time zone. */
export function valueInWords(show: Visit['show'], { name, value, currency }: Named): Part {
  if (typeof value === 'boolean') return value ? en.yes : en.no
  if (typeof value === 'number' && currency !== '' && amounts.test(name))
    return show.money(value, currency)
  if (typeof value === 'string' && isTime.test(value)) return show.time(value)
  if (name === 'currency') return String(value).toUpperCase()
  return String(value)
}
