/**
 * The page of what waits for a second person: each payout with who made it and until when it waits,
 * and several decided at once.
 */
import type { PageAnswer } from '../../core/route.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { keyForm, keyInput } from './acts.ts'
import { isOwn, namesOf, whyOf } from './approving.ts'
import type { BusinessPage, Doc, Visit } from './place.ts'
import { linkTo, shortDestination } from './related.ts'
import { page } from './view/layout.ts'
import { messagePage } from './view/message.ts'
import { form, notice } from './view/parts.ts'
import { en } from './view/strings.ts'

const path = '/approvals'
const title = 'Approvals'
/** As many as are decided at once. */
const most = 100
const prefix = 'pick.'

const decisions = {
  approve: { verb: 'Approve', did: 'approved', confirm: 'Approve and send' },
  refuse: { verb: 'Refuse', did: 'refused', confirm: 'Refuse and give back' },
} as const
type Decision = keyof typeof decisions
const decisionOf = (text: string | undefined): Decision =>
  text === 'refuse' ? 'refuse' : 'approve'

const mayDecide = (visit: Visit): boolean => visit.allowed('decidePayouts')

const pageNumber = (text: string | undefined): number =>
  /^[1-9]\d{0,5}$/.test(text ?? '') ? Number(text) : 1

/** A page of what waits, in the order in which its time ends. */
async function waiting({ operate, request }: Visit) {
  const number = pageNumber(request.query.page)
  const query = { approval: 'waiting', limit: String(most), page: String(number) }
  const { docs, totalDocs, hasNextPage } = await operate('listPayouts', { query })
  const until = ({ approval_details }: Doc): string => approval_details.until
  return {
    docs: (docs as Doc[]).toSorted((a, b) => (until(a) < until(b) ? -1 : 1)),
    totalDocs,
    number,
    hasNextPage,
  }
}

const list: BusinessPage = { method: 'GET', path, handler: (visit) => listPage(visit) }

async function listPage(visit: Visit, above: string | null = null): Promise<PageAnswer> {
  const { docs, totalDocs, number, hasNextPage } = await waiting(visit)
  const to = (page: number): string => `${visit.base}${path}${page === 1 ? '' : `?page=${page}`}`
  const main = html`<div class="head"><h1>${title}</h1></div>${above !== null && notice('bad', above)}
${docs.length > 0 ? await choicesOf(visit, docs) : html`<div class="sheet"><h2>Nothing waits</h2><p>Payouts above your <a href="${visit.base}/limits">limits</a> wait here until somebody approves them who did not make them.</p></div>`}
${
  totalDocs > most &&
  html`<nav class="pages" aria-label="${en.list.pages}"><p>${en.list.page(visit.show.number(number), visit.show.number(Math.ceil(totalDocs / most)))}, ${visit.show.number(totalDocs)} in all</p><div class="buttons">
${number > 1 && html`<a class="button second" rel="prev" href="${to(number - 1)}">${en.list.previous}</a>`}
${hasNextPage && html`<a class="button second" rel="next" href="${to(number + 1)}">${en.list.next}</a>`}</div></nav>`
}`
  return { html: page(visit, { title, main }), status: above === null ? 200 : 400 }
}

async function choicesOf(visit: Visit, docs: Doc[]): Promise<Html> {
  const nameOf = await namesOf(visit)
  const mayPick = mayDecide(visit)
  const { show } = visit
  const rows = docs.map((doc) => {
    const { reference, amount, currency, destination, approval_details: details } = doc
    const own = isOwn(doc, visit)
    const what = html`<strong>${show.money(amount, currency)}</strong> to <bdi>${shortDestination(destination)}</bdi>`
    const about = html`<p class="hint">${linkTo(visit, 'payouts', reference)} · Made by: ${nameOf(details.made_by)}${own && ', so somebody else has to approve it'} · Waits until ${show.time(details.until)}, because ${whyOf(details)}</p>`
    return mayPick && !own
      ? html`<div class="field check"><label><input type="checkbox" name="${prefix}${reference}" value="true"><span>${what}</span></label>${about}</div>`
      : html`<div class="field"><p>${what}</p>${about}</div>`
  })
  const sheet = html`<div class="sheet fields">${rows}</div>`
  if (!mayPick) return html`<p class="dim">Your role lets you look, and not decide.</p>${sheet}`
  return form(
    visit.session.csrf,
    visit.path,
    html`${sheet}<div class="buttons"><button name="decision" value="approve">Approve the chosen</button><button class="second" name="decision" value="refuse">Refuse the chosen</button></div>`,
  )
}

const decide: BusinessPage = {
  method: 'POST',
  path,
  async handler(visit) {
    if (!mayDecide(visit)) return messagePage('not_allowed', visit.session, visit)
    const { form: typed } = visit.request
    const decision = decisionOf(typed.decision)
    const references = Object.keys(typed).flatMap((name) =>
      name.startsWith(prefix) && typed[name] === 'true' ? [name.slice(prefix.length)] : [],
    )
    if (references.length === 0) return listPage(visit, 'Choose at least one payout.')
    if (typed.step !== 'do') return reviewPage(visit, decision, references)
    const { key = '' } = typed
    if (!keyForm.test(key)) return messagePage('out_of_date', visit.session, visit)
    const body = { decision, references: references.slice(0, most) }
    return resultPage(visit, decision, await visit.operate('decidePayouts', { body }, key))
  },
}

/** What leaves or comes back, wallet by wallet. */
function sumsOf(docs: Doc[], { show }: Visit): string {
  const sums = new Map<string, bigint>()
  for (const { currency, amount } of docs)
    sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(amount))
  return [...sums].map(([currency, amount]) => show.money(amount, currency)).join(' and ')
}

const counted = (count: number, { show }: Visit): string =>
  `${show.number(count)} ${count === 1 ? 'payout' : 'payouts'}`

async function reviewPage(
  visit: Visit,
  decision: Decision,
  references: string[],
): Promise<PageAnswer> {
  const chosen = (await waiting(visit)).docs.filter(({ reference }) =>
    references.includes(reference),
  )
  if (chosen.length === 0) return listPage(visit, 'What you chose does not wait any more.')
  const nameOf = await namesOf(visit)
  const { verb, confirm } = decisions[decision]
  const { show } = visit
  const sums = html`<strong>${sumsOf(chosen, visit)}</strong>`
  const first: Part =
    decision === 'approve'
      ? html`${sums} is sent, by ${counted(chosen.length, visit)}. Your wallets hold it already.`
      : html`${sums} is available again, the fees included: ${counted(chosen.length, visit)} ${chosen.length === 1 ? 'is' : 'are'} canceled for good, and nothing is sent.`
  const lines = chosen.map(
    (doc) =>
      html`<li>${show.money(doc.amount, doc.currency)} to <bdi>${shortDestination(doc.destination)}</bdi>, of which ${show.money(doc.destination_amount, doc.destination_currency)} arrives. Made by: ${nameOf(doc.approval_details.made_by)}; waits until ${show.time(doc.approval_details.until)}.</li>`,
  )
  const heading = `${verb} ${counted(chosen.length, visit)}`
  const main = html`<div class="narrow"><div class="head"><h1>${heading}</h1></div>
<div class="sheet"><h2>${en.confirm.happens}</h2><ul class="happens"><li>${first}</li>${lines}${visit.mode === 'test' && html`<li>${en.confirm.test}</li>`}</ul></div>
${form(
  visit.session.csrf,
  visit.path,
  html`${keyInput()}<input type="hidden" name="decision" value="${decision}">${chosen.map(({ reference }) => html`<input type="hidden" name="${prefix}${reference}" value="true">`)}<div class="buttons"><button name="step" value="do"${decision === 'refuse' && html` class="danger"`}>${confirm}</button><a class="button second" href="${visit.path}">${en.dont}</a></div>`,
)}</div>`
  return { html: page(visit, { title: heading, main, above: [[visit.path, title]] }) }
}

function resultPage(visit: Visit, decision: Decision, { decided, skipped }: Doc): PageAnswer {
  const done = decided as Doc[]
  const { did } = decisions[decision]
  const said =
    done.length > 0 &&
    notice(
      'good',
      `${counted(done.length, visit)} of ${sumsOf(done, visit)} ${done.length === 1 ? 'is' : 'are'} ${did}.`,
    )
  const left = (skipped as Doc[]).map(
    ({ reference, message }) => html`<li>${linkTo(visit, 'payouts', reference)}: ${message}</li>`,
  )
  const main = html`<div class="narrow"><div class="head"><h1>${title}</h1></div>${said}
${left.length > 0 && notice('warn', html`These stay as they were:<ul class="happens">${left}</ul>`)}
<p><a class="button" href="${visit.path}">What still waits</a></p></div>`
  return { html: page(visit, { title, main }) }
}

/** The pages of what waits for approval. */
export const approvalPages: BusinessPage[] = [list, decide]
