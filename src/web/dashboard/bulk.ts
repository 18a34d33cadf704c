/** Actions on several records of a list: they are chosen, reviewed and done one by one. */
import type { PageAnswer } from '../../core/route.ts'
import { Refusal } from '../../lib/errors.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import type { Currency } from '../../lib/money.ts'
import { keyForm } from './acts.ts'
import { calledOf } from './details.ts'
import type { BusinessPage, Visit } from './place.ts'
import { isBlocked, unreadyNotice } from './readiness.ts'
import { type AnyAction, type AnyRecord, hrefOf, type Resource } from './resource.ts'
import { table, withNames } from './tables.ts'
import { page } from './view/layout.ts'
import { messagePage } from './view/message.ts'
import { form, keyInput, notice, pickedIn, pickName } from './view/parts.ts'
import { en, many } from './view/strings.ts'

/** The most records at once: a page of a list. */
const mostRecords = 25

/** Returns the actions that the visitor may take on several records of a list. */
const bulkActions = (visit: Visit, { actions }: Resource): AnyAction[] =>
  actions.filter(({ bulk, operation }) => bulk !== undefined && visit.allowed(operation))

/** Shows the records of a list, to choose from where something can be done to several. */
export async function listTable(
  visit: Visit,
  resource: Resource,
  docs: AnyRecord[],
): Promise<Html> {
  const seen = await withNames(visit, resource, docs)
  const actions = bulkActions(visit, resource)
  if (actions.length === 0) return table(resource, docs, seen)
  const pick = (doc: AnyRecord): Html =>
    html`<input type="checkbox" name="${pickName(doc[resource.key] ?? '')}" value="true" aria-label="${en.bulk.choose(`${calledOf(resource, doc)} ${doc[resource.key]}`)}">`
  return html`<form method="get" action="${visit.base}/${resource.path}/-/bulk" data-bulk>${table(resource, docs, seen, pick)}
<div class="buttons"><label class="check" hidden><input type="checkbox" data-all> ${en.bulk.all}</label><span class="dim">${en.bulk.title}</span>${actions.map(
    ({ name, bulk, danger }) =>
      html`<button class="second${danger && ' danger'}" name="do" value="${name}">${bulk}</button>`,
  )}</div></form>`
}

/** An action on the chosen records, by what their list or the review page has sent. */
type Choice = { visit: Visit; resource: Resource; action: AnyAction; keys: string[] }

function choiceOf(visit: Visit, resource: Resource, typed: Record<string, string>): Choice | null {
  const action = resource.actions.find(({ name, bulk }) => bulk !== undefined && name === typed.do)
  return action ? { visit, resource, action, keys: pickedIn(typed).slice(0, mostRecords) } : null
}

/** @throws {Refusal} `not_found` */
const readRecord = ({ visit, resource }: Choice, key: string): Promise<AnyRecord> =>
  visit.operate(resource.get, { params: { [resource.key]: key } }) as Promise<AnyRecord>

const countOf = ({ visit, resource }: Choice, count: number): string =>
  many(visit.show.number(count), resource.one, resource.more)

function around({ visit, resource, action }: Choice, main: Html): string {
  const title = action.bulk ?? action.title
  const above = [[`${visit.base}/${resource.path}`, resource.title]] as const
  return page(visit, { title, above, main: html`<div class="head"><h1>${title}</h1></div>${main}` })
}

/** Shows what is about to happen to which records, and which of them stay as they are. */
async function reviewPage(choice: Choice): Promise<PageAnswer> {
  const { visit, resource, action, keys } = choice
  visit.operations.requireConfirmed(visit.ctx.scope, action.operation)
  const found = await Promise.all(keys.map((key) => readRecord(choice, key).catch(skipGone)))
  const docs = found.filter((doc) => doc !== null)
  const ready = docs.filter((doc) => action.when?.(doc, visit) ?? true)
  // What the server lacks is said before anything is confirmed.
  const lacksOf = (doc: AnyRecord) => {
    const needs = action.needs?.(visit, doc)
    return needs && isBlocked(needs) ? needs : undefined
  }
  const able = ready.filter((doc) => lacksOf(doc) === undefined)
  const list = `${visit.base}/${resource.path}`
  const others = docs.length - able.length
  const seen = await withNames(visit, resource, able)
  const main = html`${docs.length === 0 && notice('bad', en.bulk.none)}${others > 0 && notice('warn', en.bulk.stay(countOf(choice, others)))}${unreadyNotice(ready.map(lacksOf).find(Boolean))}
${
  able.length > 0 &&
  html`<div class="sheet"><h2>${en.confirm.happens}</h2><ul class="happens"><li>${action.bulk}: ${countOf(choice, able.length)}${sumsOf(able, visit)}</li><li>${en.bulk.each}</li>${visit.mode === 'test' && html`<li>${en.confirm.test}</li>`}</ul></div>
${table(resource, able, seen)}`
}
${form(
  visit.session.csrf,
  `${list}/-/bulk`,
  html`${keyInput()}<input type="hidden" name="do" value="${action.name}">${able.map((doc) => html`<input type="hidden" name="${pickName(doc[resource.key] ?? '')}" value="true">`)}<div class="buttons">${able.length > 0 && html`<button${action.danger && html` class="danger"`}>${action.bulk}</button>`}<a class="button second" href="${list}">${en.dont}</a></div>`,
)}`
  return { html: around(choice, main), status: docs.length === 0 ? 400 : 200 }
}

/** What the records are worth together, by currency. */
function sumsOf(docs: AnyRecord[], { show }: Visit): Part {
  const sums = new Map<string, number>()
  for (const { currency, ...doc } of docs as (AnyRecord & { total?: number; amount?: number })[]) {
    const amount = doc.total ?? doc.amount
    if (currency && amount !== undefined) sums.set(currency, (sums.get(currency) ?? 0) + amount)
  }
  const parts = [...sums].map(([currency, sum]) => show.money(sum, currency as Currency))
  return parts.length > 0 && `, ${parts.join(' + ')}`
}

/** Does the action to each record, and says what was refused. A page sent again does nothing more. */
async function doAll(choice: Choice, key: string): Promise<PageAnswer> {
  const { visit, resource, action } = choice
  const refused: Html[] = []
  const deletes = visit.operations.route(action.operation).method === 'DELETE'
  let done = 0
  for (const one of choice.keys) {
    const doc = await readRecord(choice, one).catch(skipGone)
    if (doc === null) {
      // The page is sent again, after it has deleted the record.
      if (deletes) done++
      continue
    }
    try {
      const draft = { doc, body: {}, values: {} }
      const own = { params: { [resource.key]: one } }
      const input = (await action.input?.(draft, visit)) ?? own
      await visit.operate(action.operation, input, `${key}-${doc.id}`)
      done++
    } catch (error) {
      if (!(error instanceof Refusal) || error.status >= 500) throw error
      refused.push(
        html`<li><a href="${hrefOf(visit, resource, doc)}">${calledOf(resource, doc)}</a>: ${error.message}</li>`,
      )
    }
  }
  const main = html`${done > 0 && notice('good', en.bulk.done(countOf(choice, done)))}
${refused.length > 0 && notice('warn', html`${en.bulk.refused}<ul class="happens">${refused}</ul>`)}
<p><a class="button" href="${visit.base}/${resource.path}">${en.bulk.back}</a></p>`
  return { html: around(choice, main) }
}

/** A draft that the page has deleted is gone when the page is sent again. */
function skipGone(error: unknown): null {
  if (error instanceof Refusal && error.status === 404) return null
  throw error
}

/** The pages of a resource on which several records are changed, if it has such actions. */
export function bulkPages(resource: Resource): BusinessPage[] {
  if (!resource.actions.some(({ bulk }) => bulk !== undefined)) return []
  const path = `/${resource.path}/-/bulk`
  const toList = ({ base }: Visit): PageAnswer => ({ redirect: `${base}/${resource.path}` })
  const reject = (visit: Visit): PageAnswer => messagePage('not_allowed', visit.session, visit)
  return [
    {
      method: 'GET',
      path,
      async handler(visit) {
        const choice = choiceOf(visit, resource, visit.request.query)
        if (!choice) return toList(visit)
        return visit.allowed(choice.action.operation) ? reviewPage(choice) : reject(visit)
      },
    },
    {
      method: 'POST',
      path,
      async handler(visit) {
        const { key = '', ...typed } = visit.request.form
        const choice = choiceOf(visit, resource, typed)
        if (!choice || !keyForm.test(key)) return messagePage('out_of_date', visit.session, visit)
        return visit.allowed(choice.action.operation, true) ? doAll(choice, key) : reject(visit)
      },
    },
  ]
}
