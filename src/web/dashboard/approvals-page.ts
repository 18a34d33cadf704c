/** The page of payouts that wait for a second person, who can decide several at once. */
import type { AnswerOf } from '../../core/operations.ts'
import type { PageAnswer } from '../../core/route.ts'
import { type Html, html } from '../../lib/html.ts'
import { keyForm } from './acts.ts'
import {
  type Decision,
  decisions,
  foreseeDecision,
  isOwn,
  namesOf,
  type Payout,
  sumOf,
  whyOf,
} from './approvals.ts'
import type { BusinessPage, Visit } from './place.ts'
import { linkTo, shortDestination } from './related.ts'
import { page } from './view/layout.ts'
import { messagePage } from './view/message.ts'
import { form, keyInput, notice, pickedIn, pickName } from './view/parts.ts'
import { en, many } from './view/strings.ts'

const path = '/approvals'
const title = 'Approvals'
/** The most that are decided at once. */
const mostPayouts = 100

const decisionOf = (text: string | undefined): Decision =>
  text === 'refuse' ? 'refuse' : 'approve'

const mayDecide = (visit: Visit): boolean => visit.allowed('decidePayouts')

const pageNumber = (text: string | undefined): number =>
  /^[1-9]\d{0,5}$/.test(text ?? '') ? Number(text) : 1

/** Returns a page of the payouts that wait, those first whose time ends first. */
async function waiting({ api, request }: Visit) {
  const number = pageNumber(request.query.page)
  const { docs, totalDocs, hasNextPage } = await api.listPayouts({
    query: { approval: 'waiting', limit: mostPayouts, page: number },
  })
  const until = ({ approval_details: details }: Payout): string => details?.until ?? ''
  const payouts = docs.toSorted((a, b) => (until(a) < until(b) ? -1 : 1))
  return { payouts, totalDocs, number, hasNextPage }
}

async function listPage(visit: Visit, above: string | null = null): Promise<PageAnswer> {
  const { payouts, totalDocs, number, hasNextPage } = await waiting(visit)
  const to = (page: number): string => `${visit.base}${path}${page === 1 ? '' : `?page=${page}`}`
  const main = html`<div class="head"><h1>${title}</h1></div>${above !== null && notice('bad', above)}
${payouts.length > 0 ? await choicesOf(visit, payouts) : html`<div class="sheet"><h2>No payout waits for approval</h2><p>Payouts above your <a href="${visit.base}/limits">limits</a> wait here for approval by a second person.</p></div>`}
${
  totalDocs > mostPayouts &&
  html`<nav class="pages" aria-label="${en.list.pages}"><p>${en.list.page(visit.show.number(number), visit.show.number(Math.ceil(totalDocs / mostPayouts)))}, ${visit.show.number(totalDocs)} in all</p><div class="buttons">
${number > 1 && html`<a class="button second" rel="prev" href="${to(number - 1)}">${en.list.previous}</a>`}
${hasNextPage && html`<a class="button second" rel="next" href="${to(number + 1)}">${en.list.next}</a>`}</div></nav>`
}`
  return { html: page(visit, { title, main }), status: above === null ? 200 : 400 }
}

async function choicesOf(visit: Visit, payouts: Payout[]): Promise<Html> {
  const nameOf = await namesOf(visit)
  const mayPick = mayDecide(visit)
  const { show } = visit
  const rows = payouts.map((payout) => {
    const { reference, amount, currency, destination, approval_details: details } = payout
    const own = isOwn(payout, visit)
    const what = html`<strong>${show.money(amount, currency)}</strong> to <bdi>${shortDestination(destination)}</bdi>`
    const about =
      details &&
      html`<p class="hint">${linkTo(visit, 'payouts', reference)} · Made by: ${nameOf(details.made_by)}${own && ', so someone else has to approve it'} · Waits until ${show.time(details.until)}, because ${whyOf(details)}</p>`
    return mayPick && !own
      ? html`<div class="field check"><label><input type="checkbox" name="${pickName(reference)}" value="true"><span>${what}</span></label>${about}</div>`
      : html`<div class="field"><p>${what}</p>${about}</div>`
  })
  const sheet = html`<div class="sheet fields">${rows}</div>`
  if (!mayPick)
    return html`<p class="dim">Your role can view these payouts, but not decide about them.</p>${sheet}`
  return form(
    visit.session.csrf,
    visit.path,
    html`${sheet}<div class="buttons"><button name="decision" value="approve">Approve selected</button><button class="second" name="decision" value="refuse">Refuse selected</button></div>`,
  )
}

const decide: BusinessPage = {
  method: 'POST',
  path,
  async handler(visit) {
    if (!mayDecide(visit)) return messagePage('not_allowed', visit.session, visit)
    const { form: typed } = visit.request
    const decision = decisionOf(typed.decision)
    const references = pickedIn(typed)
    if (references.length === 0) return listPage(visit, 'Choose at least one payout.')
    if (typed.step !== 'do') return reviewPage(visit, decision, references)
    const { key = '' } = typed
    if (!keyForm.test(key)) return messagePage('out_of_date', visit.session, visit)
    const body = { decision, references: references.slice(0, mostPayouts) }
    return resultPage(visit, decision, await visit.api.decidePayouts({ body }, key))
  },
}

const counted = (count: number, { show }: Visit): string =>
  many(show.number(count), 'payout', 'payouts')

async function reviewPage(
  visit: Visit,
  decision: Decision,
  references: string[],
): Promise<PageAnswer> {
  const chosen = (await waiting(visit)).payouts.filter(({ reference }) =>
    references.includes(reference),
  )
  if (chosen.length === 0) return listPage(visit, 'The selected payouts no longer wait.')
  const { title: verb, confirm } = decisions[decision]
  const lines = await foreseeDecision(decision, chosen, visit)
  const heading = `${verb} ${counted(chosen.length, visit)}`
  const main = html`<div class="narrow"><div class="head"><h1>${heading}</h1></div>
<div class="sheet"><h2>${en.confirm.happens}</h2><ul class="happens">${lines.map((line) => html`<li>${line}</li>`)}${visit.mode === 'test' && html`<li>${en.confirm.test}</li>`}</ul></div>
${form(
  visit.session.csrf,
  visit.path,
  html`${keyInput()}<input type="hidden" name="decision" value="${decision}">${chosen.map(({ reference }) => html`<input type="hidden" name="${pickName(reference)}" value="true">`)}<div class="buttons"><button name="step" value="do"${decision === 'refuse' && html` class="danger"`}>${confirm}</button><a class="button second" href="${visit.path}">${en.dont}</a></div>`,
)}</div>`
  return { html: page(visit, { title: heading, main, above: [[visit.path, title]] }) }
}

function resultPage(
  visit: Visit,
  decision: Decision,
  { decided, skipped }: AnswerOf<'decidePayouts'>,
): PageAnswer {
  const result =
    decided.length > 0 &&
    notice(
      'good',
      `${counted(decided.length, visit)} of ${sumOf(decided, visit)} ${decided.length === 1 ? 'is' : 'are'} ${decisions[decision].did}.`,
    )
  const left = skipped.map(
    ({ reference, message }) => html`<li>${linkTo(visit, 'payouts', reference)}: ${message}</li>`,
  )
  const main = html`<div class="narrow"><div class="head"><h1>${title}</h1></div>${result}
${left.length > 0 && notice('warn', html`These stay as they were:<ul class="happens">${left}</ul>`)}
<p><a class="button" href="${visit.path}">See what still waits</a></p></div>`
  return { html: page(visit, { title, main }) }
}

/** The pages of payouts that wait for approval. */
export const approvalPages: BusinessPage[] = [
  { method: 'GET', path, handler: (visit) => listPage(visit) },
  decide,
]
