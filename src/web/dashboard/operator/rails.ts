import type { AnswerOf } from '../../../core/operations.ts'
import { type Html, html } from '../../../lib/html.ts'
import type { BusinessPage, Visit } from '../place.ts'
import { page } from '../view/layout.ts'
import { badge, code, fact, facts, notice } from '../view/parts.ts'

const title = 'Rails'
const keys = {
  works: ['good', 'Works'],
  refused: ['bad', 'Is refused'],
  unknown: ['warn', 'Could not be tried'],
} as const

const others = (before: number): string =>
  before === 1 ? ' (after 1 other)' : ` (after ${before} others)`

type Account = AnswerOf<'getRails'>['accounts'][number]

function sheetOf({ show, base }: Visit, account: Account): Html {
  const { mode, name, provider, businesses, routes, key, obstacle, balances, webhook, warnings } =
    account
  const [tone, text] = keys[key]
  return html`<section class="sheet"><h2><bdi>${name}</bdi> ${badge(mode, 'dim')}</h2>
${obstacle !== null && notice('warn', html`Payouts wait: ${obstacle}. Mend that at the provider, then run <code>bursar rails unblock ${name}${mode === 'test' && ' --test'}</code> on the server.`)}
${warnings.map((sentence) => notice('warn', sentence))}
${facts([
  fact('Provider', provider),
  fact('Its key', badge(key, tone, text)),
  fact(
    'Goes to it',
    html`${routes.map(({ route, before }) => html`<div>${code(route)}${before > 0 && others(before)}</div>`)}${routes.length === 0 && 'Nothing: it is in no route'}`,
  ),
  fact(
    'Serves',
    businesses === null
      ? 'Every business'
      : html`${businesses.map((id) => html`<div><a href="${base}/businesses/${id}">${code(id)}</a></div>`)}`,
  ),
  fact('Holds', balances.map(({ amount, currency }) => show.money(amount, currency)).join(', ')),
  fact('Webhook URL there', webhook !== null && html`<bdi>${webhook}</bdi>`),
])}</section>`
}

/** The accounts at providers, as `bursar rails status` shows them. */
export const railsPage: BusinessPage = {
  method: 'GET',
  path: '/rails',
  async handler(visit) {
    const { accounts } = await visit.api.getRails()
    const main = html`<div class="head"><div><h1>${title}</h1><p class="hint">The accounts at providers, which were asked just now how they stand. They are set in RAILS_FILE.</p></div></div>
${accounts.length === 0 && html`<section class="sheet"><h2>No account at a provider is configured</h2><p class="dim">Set RAILS_FILE, as docs/paystack.md says. Test keys use the sandbox.</p></section>`}
${accounts.map((account) => sheetOf(visit, account))}`
    return { html: page(visit, { title, main }) }
  },
}
