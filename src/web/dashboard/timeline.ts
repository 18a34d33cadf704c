/**
 * What happened to a record, as the API explains it: states, postings, events, deliveries and what
 * the rail said, in their order.
 */
import { type Html, html, type Part } from '../../lib/html.ts'
import { namesOf } from './approving.ts'
import type { Doc, Visit } from './place.ts'
import { en, wordOf } from './view/strings.ts'

const explain = 'explainRecord'

/** The timeline of a record, where the API explains. */
export async function timelineOf(visit: Visit, { id }: Doc): Promise<Part> {
  if (!visit.allowed(explain)) return null
  const [timeline, nameOf]: [Doc, (who: Doc | null) => Part] = await Promise.all([
    visit.operate(explain, { params: { id } }),
    namesOf(visit),
  ])
  return html`<section class="sheet"><h2>${en.detail.timeline}</h2>
<ol class="timeline">${(timeline.entries as Doc[]).map((entry) => entryOf(visit, entry, nameOf))}</ol></section>`
}

/** Wallets of the ledger begin with the code of their currency. */
const inCapitals = (title: string): string =>
  title.replaceAll(/\b(?:ngn|usd|eur|usdc|usdt)\b/g, (code) => code.toUpperCase())

function entryOf(
  { show }: Visit,
  { at, kind, title, detail }: Doc,
  nameOf: (who: Doc | null) => Part,
): Html {
  const known = Object.entries((detail ?? {}) as Doc).filter(
    ([, value]) => value !== null && typeof value !== 'object',
  )
  const { amount, currency, failure_reason, by, actor } = (detail ?? {}) as Doc
  const who = by ?? actor
  const more = html`${who && html` by ${nameOf(who)}`}${failure_reason && `: ${wordOf(failure_reason)}`}`
  const moved =
    kind === 'posting' &&
    typeof amount === 'number' &&
    html`<strong>${show.money(amount, currency)}</strong> `
  return html`<li class="of-${kind}"><time datetime="${at}">${show.time(at)}</time><span class="badge">${en.detail.kinds[kind] ?? wordOf(kind)}</span> <span>${moved}${kind === 'posting' ? inCapitals(title) : title}${more}</span>${
    known.length > 0 &&
    html`<details><summary>${en.detail.more}</summary><dl class="facts">${known.map(
      ([name, value]) =>
        html`<div><dt>${wordOf(name)}</dt><dd><bdi>${String(value)}</bdi></dd></div>`,
    )}</dl></details>`
  }</li>`
}
