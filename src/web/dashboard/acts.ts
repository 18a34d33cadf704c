/**
 * The pages of actions: a form, then a confirmation with numbers. Each form carries an idempotency
 * key, so a double click or a reload does the action once.
 */
import type { OperationInput, PageAnswer } from '../../core/route.ts'
import { Refusal } from '../../lib/errors.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { asCurrency, type Currency } from '../../lib/money.ts'
import { readPhone } from '../../lib/phone.ts'
import { moneyFault, moneyInWords, readMoney } from '../../lib/typed-money.ts'
import { calledOf, recordOf } from './details.ts'
import { readFile } from './files.ts'
import type { BusinessPage, Visit } from './place.ts'
import { isBlocked, type Needs, unreadyNotice } from './readiness.ts'
import { copied } from './related.ts'
import {
  type AnyAction,
  type AnyRecord,
  type Draft,
  hrefOf,
  type Resource,
  type Values,
} from './resource.ts'
import { page } from './view/layout.ts'
import { messagePage, proveAt } from './view/message.ts'
import { type Field, fact, facts, field, form, keyInput, notice, withFiles } from './view/parts.ts'
import { en } from './view/strings.ts'
import { isUnproved } from './visit.ts'

type Errors = Record<string, string>

/** An action on a record; the record is null if the action creates one. */
type Act = {
  visit: Visit
  resource: Resource
  action: AnyAction
  doc: AnyRecord | null
  fields: readonly Field[]
  /** What the form comes to, if that was asked. */
  total?: Part
}

/** Stands for the record in actions that create one: they read nothing of it. */
const noRecord = {} as AnyRecord
type FormBody = Record<string, unknown>

const mostRows = 100
/** The form of the key that each page carries. */
export const keyForm = /^page-[\w-]{20,40}$/

/** The pages of a resource's actions. */
export function actionPages(resource: Resource): BusinessPage[] {
  const { path, actions, create } = resource
  const ofRecords = actions.flatMap((action) =>
    pagesOf(resource, action, `/${path}/{key}/${action.name}`, false),
  )
  return create
    ? [...ofRecords, ...pagesOf(resource, create, `/${path}/-/${create.name}`, true)]
    : ofRecords
}

function pagesOf(
  resource: Resource,
  action: AnyAction,
  path: string,
  creates: boolean,
): BusinessPage[] {
  const begin = async (
    visit: Visit,
    typed: Values | null,
  ): Promise<{ act: Act; values: Values } | PageAnswer> => {
    // A page that is sent again is answered as before, though the business was stopped meanwhile.
    const again = visit.request.form.step === 'do'
    if (!visit.allowed(action.operation, again))
      return messagePage('not_allowed', visit.session, visit)
    const doc = creates ? null : await recordOf(visit, resource)
    const unready = action.needs?.(visit, doc ?? noRecord)
    if (unready && isBlocked(unready) && visit.request.form.step !== 'do')
      return blockedPage({ visit, resource, action, doc, fields: [] }, unready)
    const values = {
      ...(typed ?? {
        ...(await action.start?.(doc ?? noRecord, visit)),
        ...pickOf(visit.request.query),
      }),
    }
    const single = (await action.fields?.(visit, doc ?? noRecord, values)) ?? []
    const fields = [...single, ...(await rowFields(action, visit, values))]
    return { act: { visit, resource, action, doc, fields }, values }
  }

  return [
    {
      method: 'GET',
      path,
      async handler(visit) {
        const begun = await begin(visit, null)
        if (!('act' in begun)) return begun
        const { act, values } = begun
        if (act.doc && action.when && !action.when(act.doc, visit))
          return { redirect: hrefOf(visit, resource, act.doc) }
        visit.operations.requireConfirmed(visit.ctx.scope, action.operation)
        return asks(act) ? formPage(act, values) : reviewPage(act, values)
      },
    },
    {
      method: 'POST',
      path,
      ...(action.takesFile && { takesFile: true }),
      async handler(visit) {
        const { step, key = '', csrf: _csrf, ...form } = visit.request.form
        const { typed, errors } = readFile(action.takesFile, visit.request.files, form)
        const begun = await begin(visit, compactRows(action, typed))
        if (!('act' in begun)) return begun
        const { act, values } = begun
        if (Object.keys(errors).length > 0) return formPage(act, values, errors, null, 422)
        if (step === 'edit' || step === 'more') return formPage(act, values)
        if (step === 'total') return formPage({ ...act, total: await totalOf(act, values) }, values)
        try {
          if (step !== 'do' && asks(act) && action.foresee) return await reviewPage(act, values)
          if (!keyForm.test(key)) return messagePage('out_of_date', visit.session, visit)
          const { input } = await draftOf(act, values)
          const answer = await visit.operate(action.operation, input, key)
          return action.reveals ? revealPage(act, answer) : { redirect: whereTo(act, answer) }
        } catch (error) {
          return refusedPage(act, values, error)
        }
      },
    },
  ]
}

/** Whether there is anything to fill in. */
const asks = ({ fields }: Act): boolean => fields.some(({ kind }) => kind !== 'hidden')

/**
 * What is shown this once. A page that is sent again gets the answer that was kept, which lacks it.
 */
function revealPage(act: Act, answer: unknown): PageAnswer {
  const { visit, resource, action, doc } = act
  const secrets = action.reveals?.(answer) ?? []
  const words = action.looks ? en.looked : en.revealed
  const gone = secrets.every(([, secret]) => secret === null)
  const record = hrefOf(visit, resource, recordAfter(doc, answer))
  const { warnings: given = [] } = answer as { warnings?: { message: string }[] }
  const warnings = given.map(({ message }) => notice('warn', message))
  const main = html`<div class="narrow" data-posted="${record}"><div class="head"><h1>${headingOf(act)}</h1></div>
${gone ? notice('warn', words.before) : notice('good', action.done)}${warnings}
${!gone && html`<section class="sheet">${facts(secrets.map(([label, secret]) => fact(label, copied(secret))))}<p class="hint">${words.once}</p></section>`}
<div class="buttons"><a class="button" href="${record}">${words.goOn}</a></div></div>`
  return { html: around(act, main, false), secret: true }
}

/** Returns the record as the operation's answer has changed it. */
const recordAfter = (doc: AnyRecord | null, answer: unknown): AnyRecord => ({
  ...(doc ?? noRecord),
  ...(answer as Partial<AnyRecord> | null),
})

/** What a link fills in: `?customer=…`. */
const pickOf = ({ done: _done, ...query }: Values): Values => query

function whereTo({ visit, resource, action, doc }: Act, answer: unknown): string {
  // The page of another resource knows by the whole name what was done.
  return action.leadsTo
    ? `${visit.base}${action.leadsTo(answer, doc ?? noRecord)}?done=${resource.path}.${action.name}`
    : `${hrefOf(visit, resource, recordAfter(doc, answer))}?done=${action.name}`
}

/** Says a refusal beside the fields that it is about; what is about none, above them. */
function refusedPage(act: Act, values: Values, error: unknown): Promise<PageAnswer> | PageAnswer {
  if (!(error instanceof Refusal) || error.status >= 500) throw error
  if (error.code === 'scope_missing' || (error.code === 'not_found' && !asks(act))) throw error
  const { fields, action } = act
  const errors: Errors = {}
  const said: string[] = []
  const issues = Array.isArray(error.data)
    ? (error.data as { path: string; message: string }[])
    : []
  const place = (name: string | undefined, message: string): void => {
    const found = fields.find((one) => one.name === name && one.kind !== 'hidden')
    if (found)
      errors[found.name] ??= message.startsWith(`${name} `)
        ? `${found.label}${message.slice(found.name.length)}`
        : message
    else if (!said.includes(message)) said.push(message)
  }
  for (const { path, message } of issues) place(path, message)
  if (issues.length === 0)
    place(error.details.field ?? action.about?.[error.code] ?? usual[error.code], error.message)
  const above = said.length > 0 ? html`${said.join(' ')}${signInAgain(act, error)}` : null
  return asks(act)
    ? formPage(act, values, errors, above, error.status)
    : reviewPage(act, values, above, error.status)
}

/** Who has to say again who it is finds the way to that, and back. */
export function signInAgain({ visit }: Pick<Act, 'visit'>, refusal: Refusal): Part {
  if (!isUnproved(refusal)) return false
  const { href, label } = proveAt(visit.session, visit.path)
  return html` <a href="${href}">${label}</a>`
}

/** Fields that refusals are about in every form. */
const usual: Record<string, string> = {
  duplicate_reference: 'reference',
  insufficient_funds: 'amount',
  amount_too_small: 'amount',
  amount_too_large: 'amount',
  unsupported_currency: 'currency',
  invalid_redirect_url: 'redirect_url',
}

async function draftOf(
  { visit, resource, action, doc, fields }: Act,
  values: Values,
): Promise<{ draft: Draft<AnyRecord, FormBody>; input: OperationInput }> {
  const { locale } = visit.show
  const body = bodyOf(fields, values, { locale, country: visit.country, doc: doc ?? noRecord })
  const draft = { doc: doc ?? noRecord, body, values }
  const own = doc ? { params: { [resource.key]: doc[resource.key] } } : {}
  const withBody = !['GET', 'DELETE'].includes(visit.operations.route(action.operation).method)
  const input = (await action.input?.(draft, visit)) ?? {
    ...own,
    ...(withBody ? { body: draft.body } : {}),
  }
  return { draft, input }
}

/**
 * By what a form is read: the locale and the country of the business, and the record that the form
 * is about.
 */
type Reading = { locale: string; country: string; doc: HasCurrency }
type HasCurrency = { currency?: string }

/**
 * The currency of a field's amount: of the form, of its record, or of the field's own name, as in
 * `ngn.max_payout`.
 */
const currencyOf = (name: string, values: Values, doc: HasCurrency): Currency | undefined =>
  [values.currency, doc.currency, name.split('.')[0]]
    .map(asCurrency)
    .find((one) => one !== undefined)

/**
 * The body that a form stands for: its fields by their names, `destination.bank_code` inside
 * `destination`.
 * @throws {Refusal} `validation_failed`, for what is no amount or number, or is missing
 */
function bodyOf(
  fields: readonly Field[],
  values: Values,
  { locale, country, doc }: Reading,
): FormBody {
  const body: FormBody = {}
  const issues: { path: string; message: string }[] = []
  for (const of of fields) {
    const text = (values[of.name] ?? '').trim()
    const currency = currencyOf(of.name, values, doc)
    const value = text === '' ? emptyOf(of) : readField(of, text, { locale, country }, currency)
    if (value instanceof Wrong) issues.push({ path: of.name, message: value.message })
    else if (text === '' && of.required) issues.push({ path: of.name, message: en.required })
    else if (value !== undefined) put(body, of.name.split('.'), value)
  }
  if (issues.length > 0) throw new Refusal('validation_failed', 422, en.required, { data: issues })
  return body
}

class Wrong {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

const emptyOf = ({ kind, clears }: Field): unknown =>
  kind === 'check' ? false : clears ? null : undefined

function readField(
  { kind }: Field,
  text: string,
  { locale, country }: Omit<Reading, 'doc'>,
  currency: Currency | undefined,
): unknown {
  if (kind === 'money' || kind === 'percent') {
    const read = readMoney(text, locale, kind === 'money' ? currency : undefined)
    if (read.amount !== null) return Number(read.amount)
    return new Wrong(kind === 'percent' ? en.notPercent : moneyFault(text, read, locale))
  }
  if (kind === 'phone') return readPhone(text, country) ?? new Wrong(en.notPhone)
  if (kind === 'number') return /^\d{1,15}$/.test(text) ? Number(text) : new Wrong(en.notNumber)
  return kind === 'check' ? text === 'true' : text
}

/** What a form comes to as it stands, or why that cannot be said. */
async function totalOf({ visit, action, doc, fields }: Act, values: Values): Promise<Part> {
  const open = fields.map((one) => ({ ...one, required: false }))
  const reading = { locale: visit.show.locale, country: visit.country, doc: doc ?? noRecord }
  try {
    const body = bodyOf(open, values, reading)
    return await action.total?.({ doc: doc ?? noRecord, body, values }, visit)
  } catch (error) {
    if (!(error instanceof Refusal) || error.status >= 500) throw error
    const [issue] = Array.isArray(error.data) ? (error.data as { message: string }[]) : []
    return issue?.message ?? error.message
  }
}

/** Puts a value at a path; the parts of a path that are numbers stand in an array. */
function put(body: FormBody, [name = '', ...below]: string[], value: unknown): void {
  if (below.length === 0) body[name] = value
  else {
    body[name] ??= /^\d+$/.test(below[0] as string) ? [] : {}
    put(body[name] as FormBody, below, value)
  }
}

/** The fields of each row that a form has. */
async function rowFields({ rows }: AnyAction, visit: Visit, values: Values): Promise<Field[]> {
  if (!rows) return []
  const fields = await rows.fields(visit, values)
  return Array.from({ length: rowCount(rows, values) }, (_, i) =>
    fields.map((one) => ({ ...one, name: `${rows.name}.${i}.${one.name}`, required: false })),
  ).flat()
}

const filled = ({ name, filledBy }: NonNullable<AnyAction['rows']>, values: Values): number[] =>
  Array.from({ length: mostRows }, (_, i) => i).filter((i) =>
    [filledBy].flat().some((one) => (values[`${name}.${i}.${one}`] ?? '') !== ''),
  )

const rowCount = (rows: NonNullable<AnyAction['rows']>, values: Values): number =>
  Math.min(mostRows, Math.max(rows.least, filled(rows, values).length + 1))

/** Leaves empty rows out, so that what is refused of a row is said beside it. */
function compactRows({ rows }: AnyAction, values: Values): Values {
  if (!rows) return values
  const kept = Object.entries(values).filter(([name]) => !name.startsWith(`${rows.name}.`))
  const moved = filled(rows, values).flatMap((from, to) =>
    Object.entries(values)
      .filter(([name]) => name.startsWith(`${rows.name}.${from}.`))
      .map(([name, value]) => [name.replace(`.${from}.`, `.${to}.`), value]),
  )
  return Object.fromEntries([...kept, ...moved])
}

/** What is done, and to what: a verb alone would not say it. */
const headingOf = ({ action, resource, doc }: Act): string =>
  doc === null || action.title.includes(' ') ? action.title : `${action.title} ${resource.one}`

function around(act: Act, main: Html, failed: boolean): string {
  const { visit, resource, doc } = act
  const title = failed ? en.wrong(headingOf(act)) : headingOf(act)
  const list = [`${visit.base}/${resource.path}`, resource.title] as const
  const above = doc
    ? [list, [hrefOf(visit, resource, doc), calledOf(resource, doc)] as const]
    : [list]
  return page(visit, { title, main, above })
}

const backTo = ({ visit, resource, doc }: Act): string =>
  doc ? hrefOf(visit, resource, doc) : `${visit.base}/${resource.path}`

/** Fields in their order, with those of a group that follow each other as one. */
const groupsOf = (fields: readonly Field[]) => splitBy(fields, 'group')
const foldsOf = (fields: readonly Field[]) => splitBy(fields, 'fold')

function splitBy(fields: readonly Field[], by: 'group' | 'fold') {
  const parts: [name: string | undefined, fields: Field[]][] = []
  for (const one of fields) {
    const last = parts.at(-1)
    if (last && last[0] === one[by]) last[1].push(one)
    else parts.push([one[by], [one]])
  }
  return parts
}

function formPage(
  act: Act,
  values: Values,
  errors: Errors = {},
  above: Part | null = null,
  status = 200,
): PageAnswer {
  const { action, fields, visit } = act
  const { rows } = action
  const ofRows = rows ? fields.filter(({ name }) => name.startsWith(`${rows.name}.`)) : []
  const single = fields.filter((one) => !ofRows.includes(one))
  const show = (of: Field): Html =>
    field(of, values[of.name] ?? '', errors[of.name] ?? null, ofRows.includes(of))
  const failed = above !== null || Object.keys(errors).length > 0
  const isPosted = visit.request.method === 'POST'
  const perRow = rows ? ofRows.length / rowCount(rows, values) : 1
  const groups = Array.from({ length: ofRows.length / perRow || 0 }, (_, i) =>
    ofRows.slice(i * perRow, (i + 1) * perRow),
  )
  const submit = action.foresee
    ? html`<button name="step" value="review">${en.review}</button>`
    : html`<button name="step" value="do">${action.confirm ?? action.title}</button>`
  const main = html`<div class="narrow"><div class="head"><h1>${headingOf(act)}</h1></div>${failed && notice('bad', above ?? en.mend)}
${unreadyNotice(action.needs?.(visit, act.doc ?? noRecord))}${action.intro?.(visit, act.doc ?? noRecord)}${form(
  visit.session.csrf,
  visit.path,
  html`${keyInput()}<div class="sheet fields">${foldsOf(single).map(([fold, of]) => {
    const shown = groupsOf(of).map(([name, of]) =>
      name === undefined
        ? of.map(show)
        : html`<fieldset><legend>${name}</legend>${of.map(show)}</fieldset>`,
    )
    const isOpen = of.some(({ name }) => values[name] || errors[name])
    return fold === undefined
      ? shown
      : html`<details${isOpen && html` open`}><summary>${fold}</summary>${shown}</details>`
  })}${
    rows &&
    html`<fieldset><legend>${rows.title}</legend>${rows.about && html`<p class="hint">${rows.about}</p>`}${groups.map((group) => html`<div class="pair">${group.map(show)}</div>`)}
<p><button class="second" name="step" value="more" formnovalidate>${en.moreRows}</button></p></fieldset>`
  }</div>${action.total && totalSheet(act.total)}
<div class="buttons">${submit}<a class="button second" href="${backTo(act)}">${en.cancel}</a></div>`,
  html`${withFiles(fields)} data-draft="${isPosted ? 'typed' : 'fresh'}"${isPosted && html` data-posted`}`,
)}</div>`
  return { html: around(act, main, failed), status: failed ? Math.max(status, 400) : 200 }
}

/** In place of a form that cannot work: why, before anything is filled in. */
const blockedPage = (act: Act, needs: Needs): PageAnswer => ({
  html: around(
    act,
    html`<div class="narrow"><div class="head"><h1>${headingOf(act)}</h1></div>${unreadyNotice(needs)}
<div class="buttons"><a class="button second" href="${backTo(act)}">${en.back}</a></div></div>`,
    false,
  ),
})

const totalSheet = (total: Part): Html =>
  html`<div class="sheet"><div id="form-total" data-total aria-live="polite">${total ?? en.noTotal}</div>
<p><button class="second" name="step" value="total" formnovalidate>${en.workOut}</button></p></div>`

/**
 * Each amount that was typed, in the words of the business's locale: a sign that was misread shows.
 */
function amountsInWords({ fields, doc, visit }: Act, values: Values): Part[] {
  const { locale } = visit.show
  return fields.flatMap(({ name, label, kind }) => {
    const currency = currencyOf(name, values, doc ?? noRecord)
    const read =
      kind === 'money' && currency ? readMoney(values[name] ?? '', locale, currency) : null
    return read && read.amount !== null && currency
      ? [html`${label}: ${moneyInWords(read.amount, currency, locale)}.`]
      : []
  })
}

async function reviewPage(
  act: Act,
  values: Values,
  above: Part | null = null,
  status = 200,
): Promise<PageAnswer> {
  const { action, fields, visit, doc } = act
  const { draft, input } = await draftOf(act, values)
  if (!action.fillsIn) visit.operations.check(visit.ctx, action.operation, input)
  const {
    lines,
    warnings = [],
    values: more = {},
    blocked = false,
  } = (await action.foresee?.(draft, visit)) ?? { lines: [] }
  const kept = { ...values, ...more }
  const amounts = amountsInWords(act, values)
  const names = fields.map(({ name }) => name).filter((name) => (kept[name] ?? '') !== '')
  const main = html`<div class="narrow"><div class="head"><h1>${headingOf(act)}</h1></div>${above !== null && notice('bad', above)}
${warnings.map((text) => notice('warn', text))}
<div class="sheet"><h2>${en.confirm.happens}</h2><ul class="happens">${[...lines, ...amounts].map((line) => html`<li>${line}</li>`)}${
    visit.mode === 'test' && html`<li>${en.confirm.test}</li>`
  }</ul></div>
${form(
  visit.session.csrf,
  visit.path,
  html`${keyInput()}${names.map((name) => html`<input type="hidden" name="${name}" value="${kept[name]}">`)}<div class="buttons">${!blocked && html`<button name="step" value="do"${action.danger && html` class="danger"`}>${action.confirm ?? action.title}</button>`}${
    asks(act) && html`<button class="second" name="step" value="edit">${en.change}</button>`
  }<a class="button second" href="${backTo({ ...act, doc })}">${en.dont}</a></div>`,
  html`${withFiles(fields)}${visit.request.method === 'POST' && html` data-posted`}`,
)}</div>`
  return {
    html: around(act, main, above !== null),
    status: above === null ? 200 : Math.max(status, 400),
  }
}
