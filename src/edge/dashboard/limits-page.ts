/**
 * The page of the limits: above what payouts wait for a second person, per payout and per day of each wallet.
 */
import type { PageAnswer } from '../../core/route.ts'
import { Refusal } from '../../lib/errors.ts'
import { html, type Part } from '../../lib/html.ts'
import { decimalOf, readMoney } from '../../lib/money.ts'
import { keyForm, keyInput } from './acts.ts'
import type { BusinessPage, Doc, Visit } from './place.ts'
import type { Values } from './resource.ts'
import { page } from './view/layout.ts'
import { messagePage } from './view/message.ts'
import { type Field, fact, facts, field, form, notice } from './view/parts.ts'
import { en, wordOf } from './view/strings.ts'

const path = '/limits'
const title = 'Limits'
const hours = 'approval_hours'
const kinds = ['approve_above', 'approve_above_daily'] as const

const fieldsOf = (currency: string): Field[] => [
  {
    name: `${currency}.approve_above`,
    label: `A payout above this waits, ${wordOf(currency)}`,
    kind: 'money',
    hint: 'Left empty: no payout waits for its amount alone. 0: every payout waits.',
  },
  {
    name: `${currency}.approve_above_daily`,
    label: `Payouts above this in a day wait, ${wordOf(currency)}`,
    kind: 'money',
    hint: 'The payout that would bring the day above it waits. Left empty: a day has no limit.',
  },
]
const hoursField: Field = {
  name: hours,
  label: 'Hours that a payout waits',
  kind: 'number',
  required: true,
  hint: '1 to 720. Then it is canceled, and its money is available again.',
}

const byKey: Field = {
  ...{ name: 'payouts_by_key', label: 'API keys may pay', kind: 'select', required: true },
  options: [
    ['any', 'Anybody'],
    ['beneficiaries', 'Your beneficiaries alone'],
  ],
  hint: 'Programs that pay out by a key. People who have signed in pay anybody.',
}
const coolingOff: Field = {
  name: 'beneficiary_cooling_off_hours',
  label: 'Hours that a beneficiary cools off',
  kind: 'number',
  required: true,
  hint: '0 to 720. Before that, no payout can name one that is new, or whose account was changed.',
}

/** As they are typed into the form. */
function valuesOf({ currencies, approval_hours, payouts_by_key, beneficiary_cooling_off_hours: cools }: Doc): Values {
  const amounts = (currencies as Doc[]).flatMap((one) =>
    kinds.map((kind) => [`${one.currency}.${kind}`, one[kind] === null ? '' : decimalOf(BigInt(one[kind]))]),
  )
  return {
    ...Object.fromEntries(amounts),
    [hours]: String(approval_hours),
    payouts_by_key,
    [coolingOff.name]: String(cools),
  }
}

async function show(visit: Visit, typed: Values | null, errors: Values = {}, status = 200): Promise<PageAnswer> {
  const limits: Doc = await visit.operate('getLimits')
  const may = visit.allowed('updateLimits')
  const values = typed ?? valuesOf(limits)
  const failed = Object.keys(errors).length > 0
  const money = (amount: number | null, currency: string): string =>
    amount === null ? 'No limit' : visit.show.money(amount, currency)
  const one = (of: Field) => field(of, values[of.name] ?? '', errors[of.name] ?? null, true)
  const sheets = (limits.currencies as Doc[]).map(
    ({ currency, approve_above, approve_above_daily, sent_today, day_ends_at, ...rest }) =>
      html`<section class="sheet fields"><h2>${wordOf(currency)}</h2>${
        may
          ? fieldsOf(currency).map(one)
          : facts([
              fact('One payout without approval, at most', money(approve_above, currency)),
              fact('A day without approval, at most', money(approve_above_daily, currency)),
            ])
      }${day_ends_at !== null && html`<p class="dim">${visit.show.money(sent_today, currency)} was sent today without approval. A new day begins at ${visit.show.time(day_ends_at)}.</p>`}${ofOperator(visit, { currency, ...rest })}</section>`,
  )
  const content = may
    ? form(
        visit.session.csrf,
        visit.path,
        html`${keyInput()}${sheets}<div class="sheet fields">${one(hoursField)}</div><section class="sheet fields"><h2>Beneficiaries</h2>${one(byKey)}${one(coolingOff)}</section><div class="buttons"><button name="step" value="do">Save</button></div>`,
      )
    : html`${sheets}<p class="dim">A payout waits for at most ${limits.approval_hours} hours. A beneficiary cools off for ${limits.beneficiary_cooling_off_hours} hours. Keys pay ${limits.payouts_by_key === 'any' ? 'anybody' : 'beneficiaries alone'}.</p>`
  const main = html`<div class="narrow"><div class="head"><div><h1>${title}</h1><p class="hint">Payouts above a limit wait, by hand and by key, until somebody <a href="${visit.base}/approvals">approves</a> them who did not make them.</p></div></div>
${visit.request.query.done === 'saved' && notice('good', 'The limits hold from now on. Payouts that are on their way stay so.')}
${failed && notice('bad', errors[''] ?? en.mend)}
${content}</div>`
  return { html: page(visit, { title: failed ? en.wrong(title) : title, main }), status }
}

/** What nobody here can approve: the operator lets no more out. */
function ofOperator({ show }: Visit, { currency, max_payout, max_daily }: Doc): Part {
  const said = [
    max_payout !== null && `no payout of more than ${show.money(max_payout, currency)}`,
    max_daily !== null && `no more than ${show.money(max_daily, currency)} in a day of UTC`,
  ].filter(Boolean)
  return said.length > 0 && html`<p class="dim">The operator of this server lets ${said.join(', and ')} out.</p>`
}

/** What was typed, as the API takes it. @throws {Refusal} `validation_failed`, with what is wrong by field */
function bodyOf(values: Values, currencies: string[]): Doc {
  const issues: { path: string; message: string }[] = []
  const amountOf = (name: string): number | null => {
    const text = (values[name] ?? '').trim()
    if (text === '') return null
    const amount = readMoney(text)
    if (amount === null) issues.push({ path: name, message: en.notMoney })
    return Number(amount)
  }
  const changes = currencies.map((currency) => ({
    currency,
    ...Object.fromEntries(kinds.map((kind) => [kind, amountOf(`${currency}.${kind}`)])),
  }))
  const numberOf = (name: string): number => {
    const text = (values[name] ?? '').trim()
    if (!/^\d{1,6}$/.test(text)) issues.push({ path: name, message: en.notNumber })
    return Number(text)
  }
  const beneficiaries = {
    ...(values[coolingOff.name] === undefined ? {} : { [coolingOff.name]: numberOf(coolingOff.name) }),
    ...(values[byKey.name] === undefined ? {} : { [byKey.name]: values[byKey.name] }),
  }
  const typedHours = numberOf(hours)
  if (issues.length > 0) throw new Refusal('validation_failed', 422, en.mend, { data: issues })
  return { currencies: changes, [hours]: typedHours, ...beneficiaries }
}

/** What is wrong, by the names of the fields; what is about none of them by none. */
function errorsOf({ data, message }: Refusal, currencies: string[]): Values {
  const issues = Array.isArray(data) ? (data as { path: string; message: string }[]) : []
  const nameOf = (at: string): string => at.replace(/^currencies[.[](\d)\]?/, (_all, i) => currencies[Number(i)] ?? '')
  return issues.length === 0
    ? { '': message }
    : Object.fromEntries(issues.map((issue) => [nameOf(issue.path), issue.message]))
}

/** The pages of the limits. */
export const limitPages: BusinessPage[] = [
  { method: 'GET', path, handler: (visit) => show(visit, null) },
  {
    method: 'POST',
    path,
    async handler(visit) {
      if (!visit.allowed('updateLimits')) return messagePage('not_allowed', visit.session, visit)
      const { key = '', ...values } = visit.request.form
      if (!keyForm.test(key)) return messagePage('out_of_date', visit.session, visit)
      const currencies = ((await visit.operate('getLimits')) as Doc).currencies.map((one: Doc) => one.currency)
      try {
        await visit.operate('updateLimits', { body: bodyOf(values, currencies) }, key)
        return { redirect: `${visit.path}?done=saved` }
      } catch (error) {
        if (!(error instanceof Refusal) || error.status >= 500 || error.code === 'scope_missing') throw error
        return show(visit, values, errorsOf(error, currencies), Math.max(400, error.status))
      }
    },
  },
]
