/**
 * What is there for trying out alone: money for a wallet, and time. Live mode has no such page.
 */
import type { AnswerOf, BodyOf } from '../../core/operations.ts'
import type { PageAnswer } from '../../core/route.ts'
import { Refusal } from '../../lib/errors.ts'
import { html, type Part } from '../../lib/html.ts'
import { asCurrency } from '../../lib/money.ts'
import { moneyFault, readMoney } from '../../lib/typed-money.ts'
import { keyForm } from './acts.ts'
import type { BusinessPage, Visit } from './place.ts'
import type { Values } from './resource.ts'
import { walletCurrency } from './resources/choosing.ts'
import { page } from './view/layout.ts'
import { messagePage } from './view/message.ts'
import { type Field, field, form, keyInput, notice } from './view/parts.ts'
import { en } from './view/strings.ts'

const path = '/test-tools'
const title = 'Test tools'

const moneyFields: readonly Field[] = [
  { ...walletCurrency, label: 'Wallet' },
  { name: 'amount', label: 'Amount', kind: 'money', required: true },
]
const clockField: Field = {
  name: 'advance',
  label: 'How far',
  kind: 'select',
  required: true,
  options: [
    ['1h', 'One hour'],
    ['24h', 'One day'],
    ['7d', 'One week'],
    ['30d', '30 days'],
  ],
}

/** What was typed into which form, and what is wrong with it. */
type Tried = { values: Values; errors: Values; status: number; done?: Part }
const untried: Tried = { values: {}, errors: {}, status: 200 }

async function show(visit: Visit, { values, errors, status, done }: Tried): Promise<PageAnswer> {
  const { api, allowed, base, session, show: shown } = visit
  const clock = allowed('getTestClock') ? await api.getTestClock() : null
  const said = done ?? (visit.request.query.done === 'funded' && 'The money is in the wallet.')
  const one = (of: Field) => field(of, values[of.name] ?? '', errors[of.name] ?? null)
  const money =
    allowed('simulateFunding') &&
    html`<section class="sheet fields"><h2>Add test money</h2><p class="dim">It arrives at once, without a fee.</p>
${form(session.csrf, `${base}${path}/money`, html`${keyInput()}${moneyFields.map(one)}<div class="buttons"><button>Add money</button></div>`)}</section>`
  const moves =
    clock &&
    html`<section class="sheet fields"><h2>Move the test clock</h2><p class="dim">It shows ${shown.time(clock.now)}. What is due by the time that it is moved to happens now: payments expire, standing payouts run, reminders are mailed. It never moves back.</p>
${
  allowed('advanceTestClock') &&
  form(
    session.csrf,
    `${base}${path}/clock`,
    html`${keyInput()}${one(clockField)}<div class="buttons"><button class="second">Move clock</button></div>`,
  )
}</section>`
  const main = html`<div class="narrow"><div class="head"><h1>${title}</h1></div>
${said && notice('good', said)}${errors[''] && notice('bad', errors[''])}${money}${moves}</div>`
  return { html: page(visit, { title: status === 200 ? title : en.wrong(title), main }), status }
}

/** Does what a form asks for, once; what is refused is said beside its field. */
const actionPage = (
  name: string,
  operation: 'simulateFunding' | 'advanceTestClock',
  run: (visit: Visit, form: Values, key: string) => Promise<PageAnswer>,
): BusinessPage => ({
  method: 'POST',
  path: `${path}/${name}`,
  async handler(visit) {
    if (visit.mode === 'live') return messagePage('not_found', visit.session, visit)
    if (!visit.allowed(operation)) return messagePage('not_allowed', visit.session, visit)
    const { key = '', ...values } = visit.request.form
    if (!keyForm.test(key)) return messagePage('out_of_date', visit.session, visit)
    try {
      return await run(visit, values, key)
    } catch (error) {
      if (!(error instanceof Refusal) || error.status >= 500) throw error
      const issues = (Array.isArray(error.data) ? error.data : []) as {
        path: string
        message: string
      }[]
      const errors = Object.fromEntries(issues.map((issue) => [issue.path, issue.message]))
      if (error.code === 'amount_too_large') errors.amount = error.message
      if (Object.keys(errors).length === 0) errors[''] = error.message
      return show(visit, { values, errors, status: Math.max(400, error.status) })
    }
  },
})

function fundingIn(
  { currency, amount = '' }: Values,
  { show: { locale } }: Visit,
): BodyOf<'simulateFunding'> {
  const read = readMoney(amount, locale, asCurrency(currency))
  if (read.amount !== null)
    return {
      currency: currency as BodyOf<'simulateFunding'>['currency'],
      amount: Number(read.amount),
    }
  const message = moneyFault(amount, read, locale)
  throw new Refusal('validation_failed', 422, en.mend, { data: [{ path: 'amount', message }] })
}

const movedTo = (
  { now, fired }: AnswerOf<'advanceTestClock'>,
  { show: shown, base }: Visit,
): Part => {
  const count = fired.length
  const due =
    count === 0
      ? 'Nothing was due.'
      : `${shown.number(count)} ${count === 1 ? 'thing was' : 'things were'} due.`
  return html`The test clock shows ${shown.time(now)}. ${due} <a href="${base}/live-events">See what happened</a>`
}

/** The page, and what its forms do. */
export const testToolPages: BusinessPage[] = [
  {
    method: 'GET',
    path,
    handler: async (visit) =>
      visit.mode === 'live' ? messagePage('not_found', visit.session, visit) : show(visit, untried),
  },
  actionPage('money', 'simulateFunding', async (visit, values, key) => {
    await visit.api.simulateFunding({ body: fundingIn(values, visit) }, key)
    return { redirect: `${visit.base}${path}?done=funded` }
  }),
  actionPage('clock', 'advanceTestClock', async (visit, { advance = '' }, key) => {
    const moved = await visit.api.advanceTestClock({ body: { advance } }, key)
    return show(visit, { ...untried, done: movedTo(moved, visit) })
  }),
]
