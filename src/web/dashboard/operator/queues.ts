import { type Html, html, type Part } from '../../../lib/html.ts'
import type { BusinessPage } from '../place.ts'
import { page } from '../view/layout.ts'
import { badge, code, notice } from '../view/parts.ts'

const title = 'Queues'

const queueWords: Record<string, readonly [name: string, todo: string]> = {
  timers: ['Not begun', 'See that a worker runs: /health says whether it works.'],
  jobs: [
    'Wait for a worker',
    'See that a worker runs, and that WORKER_CONCURRENCY and DATABASE_POOL suffice.',
  ],
  given_up: ['Failed for good', 'Look for the task in the log, and mend what it failed by.'],
  webhooks: [
    'Deliveries to webhooks',
    'See that a worker runs, and which endpoints answer slowly.',
  ],
}

type Cells = readonly Part[]

/** @param titles a column is written from the right where its title begins with `#` */
function sectionOf(
  name: string,
  nothing: string,
  titles: readonly string[],
  rows: readonly Cells[],
): Html {
  const right = titles.map((one) => one.startsWith('#') && html` class="right"`)
  return html`<section class="sheet"><h2>${name}</h2>${
    rows.length === 0
      ? html`<p class="dim">${nothing}</p>`
      : html`<div class="scroll" tabindex="0" role="group" aria-label="${name}"><table><thead><tr>${titles.map((one, i) => html`<th scope="col"${right[i]}>${one.replace('#', '')}</th>`)}</tr></thead><tbody>${rows.map(
          (cells) => html`<tr>${cells.map((cell, i) => html`<td${right[i]}>${cell}</td>`)}</tr>`,
        )}</tbody></table></div>`
  }</section>`
}

/** What waits, and who does not answer. */
export const queuesPage: BusinessPage = {
  method: 'GET',
  path: '/queues',
  async handler(visit) {
    const { show, base, api } = visit
    const doc = await api.getQueues()
    const time = (at: string) => html`<time datetime="${at}">${show.time(at)}</time>`
    const wrong = doc.queues.filter(({ late }) => late > 0)
    const todos = [...new Set(wrong.map(({ queue }) => queueWords[queue]?.[1]))]
    const main = html`<div class="head"><div><h1>${title}</h1><p class="hint">What waits now, of every business, and who does not answer.</p></div></div>
${todos.map((todo) => notice('warn', todo))}
${(doc.network_warnings as string[]).map((sentence) => notice('warn', sentence))}
${sectionOf(
  'Jobs and deliveries',
  'Nothing that is due waits.',
  ['What', 'Task', '#Due', '#Late'],
  doc.queues.map(({ queue, task, due, late }) => [
    queueWords[queue]?.[0],
    task === null ? null : code(task),
    show.number(due),
    late > 0 ? badge('late', 'warn', show.number(late)) : '0',
  ]),
)}
${sectionOf(
  'Webhooks of providers',
  'All that came are applied.',
  ['Rail', '#Waiting', 'The oldest came'],
  doc.provider_webhooks.map(({ rail, mode, waiting, oldest_at }) => [
    html`<bdi>${rail}</bdi> ${badge(mode, 'dim')}`,
    show.number(waiting),
    time(oldest_at),
  ]),
)}
${sectionOf(
  'Endpoints of businesses that take nothing',
  'Every endpoint that something was sent to within a day has taken something.',
  ['Host', 'Business', '#Failed', '#Tried again', 'Nothing came since'],
  doc.failing_endpoints.map(({ host, mode, business, failed, waiting, since }) => [
    html`<bdi>${host}</bdi> ${badge(mode, 'dim')}`,
    html`<a href="${base}/businesses/${business}">${code(business)}</a>`,
    show.number(failed),
    show.number(waiting),
    time(since),
  ]),
)}
${doc.failing_endpoints.length > 0 && html`<p class="dim">Tell the business. Once its endpoint answers, it can have sent again what failed, at the page of the endpoint.</p>`}
${sectionOf(
  'Networks',
  'No network of stablecoins is connected, or none was read yet.',
  ['Network', '#Newest block', 'Seen', '#Blocks to read', 'Read', 'Trouble'],
  doc.networks.map(({ network, tip, tip_at, behind, read_at, troubles }) => [
    html`<bdi>${network}</bdi>`,
    show.number(tip),
    time(tip_at),
    show.number(behind),
    time(read_at),
    (troubles as string[]).join('; ') || 'None',
  ]),
)}`
    return { html: page(visit, { title, main }) }
  },
}
