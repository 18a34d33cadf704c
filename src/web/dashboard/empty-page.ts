/**
 * The page that empties the test data of a business: for its owners, by its name and a second
 * factor, in test mode alone.
 */
import type { PageAnswer } from '../../core/route.ts'
import { Refusal } from '../../lib/errors.ts'
import { html, type Part } from '../../lib/html.ts'
import { keyForm, signInAgain } from './acts.ts'
import type { BusinessPage, Visit } from './place.ts'
import { page } from './view/layout.ts'
import { messagePage } from './view/message.ts'
import { type Field, field, form, keyInput, notice } from './view/parts.ts'
import { en } from './view/strings.ts'

const path = '/test-data'
const title = 'Empty test data'

const deleted =
  'Customers, payments, refunds, payouts, batches, schedules, beneficiaries, invoices, products, distributions, collections, accounts, addresses, transactions, events, deliveries and requests: all that was made in test mode. The wallets hold 0, and the test clock is back at the present.'
const stays =
  'Live data, API keys, the team, saved views, webhook endpoints, limits, the business’s profile, and the audit log, which says who did this.'

/** What was typed, and what is wrong: with the name, or with all of it. */
type Tried = { typed: string; wrong?: string | undefined; above?: Part; status: number }

async function show(visit: Visit, { typed, wrong, above, status }: Tried): Promise<PageAnswer> {
  const { last } = await visit.api.getEmptying()
  const under =
    last?.ended_at &&
    html`<p class="hint">They were emptied last on ${visit.show.time(last.ended_at)}.</p>`
  const running = last && last.ended_at === null
  const name: Field = {
    name: 'name',
    label: 'The name of the business',
    kind: 'text',
    required: true,
    hint: `Type “${visit.business.name}” to confirm.`,
  }
  const main = html`<div class="narrow"><div class="head"><div><h1>${title}</h1>${under}</div></div>
${above && notice('bad', above)}${running && notice('info', 'The test data are being emptied. Load this page again to see when it is done.')}
<section class="sheet"><h2>What is deleted permanently</h2><p>${deleted}</p></section><section class="sheet"><h2>What stays</h2><p>${stays}</p></section>
${form(visit.session.csrf, visit.path, html`${keyInput()}<div class="sheet fields">${field(name, typed, wrong ?? null, true)}</div><div class="buttons"><button class="danger" name="step" value="do">Delete all test data</button></div>`)}</div>`
  return { html: page(visit, { title: status === 200 ? title : en.wrong(title), main }), status }
}

/** Live mode has no such page. */
const guarded =
  (handler: (visit: Visit) => Promise<PageAnswer>): BusinessPage['handler'] =>
  async (visit) => {
    if (visit.mode === 'live') return messagePage('not_found', visit.session, visit)
    if (!visit.allowed('emptyTestData')) return messagePage('not_allowed', visit.session, visit)
    return handler(visit)
  }

/** The page, and what its form does. */
export const emptyPages: BusinessPage[] = [
  { method: 'GET', path, handler: guarded((visit) => show(visit, { typed: '', status: 200 })) },
  {
    method: 'POST',
    path,
    handler: guarded(async (visit) => {
      const { key = '', name: typed = '' } = visit.request.form
      if (!keyForm.test(key)) return messagePage('out_of_date', visit.session, visit)
      try {
        // Without the key: its answer would be among what is emptied. Who asks twice asks for one.
        await visit.api.emptyTestData({ body: { name: typed } })
        return { redirect: visit.path }
      } catch (error) {
        if (!(error instanceof Refusal) || error.status >= 500 || error.code === 'scope_missing')
          throw error
        const [issue] = Array.isArray(error.data) ? (error.data as { message: string }[]) : []
        const about = issue
          ? { wrong: issue.message }
          : { above: html`${error.message}${signInAgain({ visit }, error)}` }
        return show(visit, { typed, ...about, status: error.status })
      }
    }),
  },
]
