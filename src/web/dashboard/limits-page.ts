/**
 * The page of the limits: above what payouts wait for a second person, above what they are refused,
 * and how often that was.
 */
import type { AnswerOf, BodyOf } from '../../core/operations.ts'
import type { PageAnswer } from '../../core/route.ts'
import { Refusal } from '../../lib/errors.ts'
import { html, type Part } from '../../lib/html.ts'
import { asCurrency, decimalOf } from '../../lib/money.ts'
import { moneyFault, readMoney } from '../../lib/typed-money.ts'
import { keyForm, signInAgain } from './acts.ts'
import { namesOf } from './approvals.ts'
import { ceilingWords } from './operator/limits.ts'
import type { BusinessPage, Visit } from './place.ts'
import type { Values } from './resource.ts'
import { page } from './view/layout.ts'
import { messagePage } from './view/message.ts'
import { type Field, fact, facts, field, form, keyInput, notice } from './view/parts.ts'
import { en, wordOf } from './view/strings.ts'

const path = '/limits'
const title = 'Limits'
const hours = 'approval_hours'

type Limits = AnswerOf<'getLimits'>
type Wallet = Limits['currencies'][number]
type Pending = NonNullable<Limits['pending_change']>
type LimitName = Exclude<keyof Pending['currencies'][number], 'currency'>
/** The limits of a wallet, now or after a change. */
type Ceilings = Pick<Wallet, LimitName | 'currency'>
/** The limits that are one for all wallets, and have a field of their own. */
type Shared = Pick<Limits, 'approval_hours' | 'payouts_by_key' | 'beneficiary_cooling_off_hours'>

type Kind = { name: LimitName; label: string; says: string; hint: string }
/**
 * What a business limits of a wallet, by what becomes of a payout above it. A number of payouts
 * ends with `_count`.
 */
const groups: { title: string; about: string; kinds: Kind[] }[] = [
  {
    title: 'Approval',
    about:
      'Payouts above these amounts wait until a second person approves them. Days follow your time zone.',
    kinds: [
      {
        name: 'approve_above',
        label: 'Approve one payout above',
        says: 'One payout without approval, at most',
        hint: 'Empty: no limit. 0: every payout waits.',
      },
      {
        name: 'approve_above_daily',
        label: 'Approve a day’s payouts above',
        says: 'A day without approval, at most',
        hint: 'The payout that exceeds the day’s total waits.',
      },
    ],
  },
  {
    title: 'Most that is paid out',
    about:
      'Payouts above these limits are refused, and nobody can approve them. Days are in UTC. Empty: no limit.',
    kinds: [
      {
        name: 'refuse_above',
        label: 'Largest payout',
        says: 'One payout, at most',
        hint: '0: all payouts are refused.',
      },
      {
        name: 'refuse_above_daily',
        label: 'Total a day',
        says: 'In a day, at most',
        hint: 'All payouts count, approved or not.',
      },
      {
        name: 'refuse_above_daily_count',
        label: 'Number of payouts a day',
        says: 'Payouts in a day, at most',
        hint: 'Failed and canceled payouts do not count.',
      },
    ],
  },
  {
    title: 'Most that is paid to one destination',
    about:
      'A destination is one account or address. Payouts above these limits are refused. Days are in UTC.',
    kinds: [
      {
        name: 'destination_daily',
        label: 'Total a day to one destination',
        says: 'To one destination in a day, at most',
        hint: 'All payouts to it count.',
      },
      {
        name: 'destination_daily_count',
        label: 'Number of payouts a day to one destination',
        says: 'Payouts to one destination in a day, at most',
        hint: 'Failed and canceled payouts do not count.',
      },
    ],
  },
]
const kinds = groups.flatMap((group) => group.kinds)
const isCount = (name: string): boolean => name.endsWith('_count')

const fieldOf = (currency: string, { name, label, hint }: Kind): Field => ({
  name: `${currency}.${name}`,
  label: `${label}, ${wordOf(currency)}`,
  hint,
  kind: isCount(name) ? 'number' : 'money',
})
const hoursField: Field = {
  name: hours,
  label: 'Hours that a payout waits',
  kind: 'number',
  required: true,
  hint: '1 to 720. Then it is canceled, and its money is available again.',
}

const byKey: Field = {
  name: 'payouts_by_key',
  label: 'API keys may pay',
  kind: 'select',
  required: true,
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

const done = {
  saved: 'Limits updated. Payouts that are on their way stay so.',
  waits: 'What is stricter holds from now on. What is looser waits: see below.',
  confirm: 'You confirmed the change: the limits hold from now on.',
  cancel: 'You canceled the change: the limits stay as they are.',
} as const

const typedOf = (name: string, limit: number | null): string =>
  limit === null ? '' : isCount(name) ? String(limit) : decimalOf(BigInt(limit))

/** As they are typed into the form. */
function valuesOf({
  currencies,
  approval_hours,
  payouts_by_key,
  beneficiary_cooling_off_hours: cools,
}: Limits): Values {
  const amounts = currencies.flatMap((one) =>
    kinds.map(({ name }) => [`${one.currency}.${name}`, typedOf(name, one[name])]),
  )
  return {
    ...Object.fromEntries(amounts),
    [hours]: String(approval_hours),
    payouts_by_key,
    [coolingOff.name]: String(cools),
  }
}

/** @param wrong what was refused; null: nothing */
async function show(
  visit: Visit,
  typed: Values | null,
  wrong: Refusal | null = null,
): Promise<PageAnswer> {
  const limits = await visit.api.getLimits()
  const { rules } = await visit.api.getLimitRules()
  const may = visit.allowed('updateLimits')
  const values = typed ?? valuesOf(limits)
  const currencies = limits.currencies.map(({ currency }) => currency)
  const errors = wrong ? errorsOf(wrong, currencies) : {}
  const one = (of: Field) => field(of, values[of.name] ?? '', errors[of.name] ?? null, true)
  const sheets = limits.currencies.map(
    (wallet) =>
      html`<section class="sheet fields"><h2>${wordOf(wallet.currency)}</h2>${groups.map(
        (group) =>
          html`<h3>${group.title}</h3><p class="hint">${group.about}</p>${
            may
              ? html`<div class="pair">${group.kinds.map((kind) => one(fieldOf(wallet.currency, kind)))}</div>`
              : facts(group.kinds.map(({ name, says }) => fact(says, limitOf(visit, wallet, name))))
          }`,
      )}${today(visit, wallet)}${ofOperator(visit, wallet)}</section>`,
  )
  const content = may
    ? form(
        visit.session.csrf,
        visit.path,
        html`${keyInput()}${sheets}<div class="sheet fields">${one(hoursField)}</div><section class="sheet fields"><h2>Beneficiaries</h2>${one(byKey)}${one(coolingOff)}</section><div class="buttons"><button name="step" value="do">Save</button></div>`,
      )
    : html`${sheets}<p class="dim">A payout waits for at most ${limits.approval_hours} hours. A beneficiary cools off for ${limits.beneficiary_cooling_off_hours} hours. Keys pay ${limits.payouts_by_key === 'any' ? 'anybody' : 'beneficiaries alone'}.</p>`
  const said = done[visit.request.query.done as keyof typeof done]
  const main = html`<div class="narrow"><div class="head"><div><h1>${title}</h1><p class="hint">Payouts above a limit, by hand and by key, wait for <a href="${visit.base}/approvals">approval</a> by a second person, or are refused.</p></div></div>
${said !== undefined && notice('good', said)}
${wrong && notice('bad', Object.keys(errors).length > 0 ? en.mend : html`${wrong.message}${signInAgain({ visit }, wrong)}`)}
${await pendingSheet(visit, limits)}${content}${firedRules(visit, rules)}</div>`
  return {
    html: page(visit, { title: wrong ? en.wrong(title) : title, main }),
    status: wrong?.status ?? 200,
  }
}

const pendingPath = `${path}/pending`

const takesPending = { confirm: 'confirmPendingLimits', cancel: 'cancelPendingLimits' } as const

/**
 * A change that loosens limits, while it waits: what differs, who asked, when it takes effect, and
 * the buttons.
 */
async function pendingSheet(visit: Visit, limits: Limits): Promise<Part> {
  const { pending_change: pending } = limits
  if (pending === null) return false
  const nameOf = await namesOf(visit)
  const isOwn = pending.made_by?.id === visit.session.person.id
  const byWallet = limits.currencies.flatMap((wallet) => {
    const later = {
      ...wallet,
      ...pending.currencies.find(({ currency }) => currency === wallet.currency),
    }
    return kinds
      .filter(({ name }) => wallet[name] !== later[name])
      .map(({ name, says }) => [
        `${wordOf(wallet.currency)}: ${says}`,
        limitOf(visit, wallet, name),
        limitOf(visit, later, name),
      ])
  })
  const shared = [hoursField, byKey, coolingOff].flatMap((of) =>
    limits[of.name as keyof Shared] === pending[of.name as keyof Shared]
      ? []
      : [[of.label, wordFor(of, limits), wordFor(of, pending)]],
  )
  const rows = [...byWallet, ...shared].map(
    ([what, from, to]) =>
      html`<tr><td>${what}</td><td class="right">${from}</td><td class="right">${to}</td></tr>`,
  )
  const button = (step: keyof typeof takesPending, label: string, kind: string): Part =>
    visit.allowed(takesPending[step]) &&
    form(
      visit.session.csrf,
      `${visit.base}${pendingPath}`,
      html`${keyInput()}<input type="hidden" name="change" value="${pending.id}"><button class="${kind}" name="step" value="${step}">${label}</button>`,
    )
  return html`<section class="sheet"><h2>A change waits</h2><div class="scroll" tabindex="0" role="group" aria-label="What changes"><table><thead><tr><th scope="col">Limit</th><th scope="col" class="right">Now</th><th scope="col" class="right">Then</th></tr></thead><tbody>${rows}</tbody></table></div>${facts(
    [
      fact('Requested by', nameOf(pending.made_by)),
      fact('Takes effect', visit.show.time(pending.takes_effect_at)),
    ],
  )}<p>${
    isOwn
      ? 'You asked for this, so only someone else can confirm it early. Otherwise it takes effect at that time.'
      : 'It takes effect at that time, or as soon as a second person confirms it.'
  }${visit.ctx.config.SMTP_URL !== null && ' Every owner was mailed.'}</p><div class="buttons">${!isOwn && button('confirm', 'Confirm change', '')}${button('cancel', 'Cancel change', 'second')}</div></section>`
}

const wordFor = ({ name, options }: Field, doc: Shared): string =>
  options?.find(([value]) => value === doc[name as keyof Shared])?.[1] ??
  String(doc[name as keyof Shared])

const limitOf = ({ show }: Visit, wallet: Ceilings, name: LimitName): string => {
  const limit = wallet[name]
  return limit === null
    ? 'No limit'
    : isCount(name)
      ? show.number(limit)
      : show.money(limit, wallet.currency)
}

/** What today has sent, where that is counted. */
function today({ show }: Visit, wallet: Wallet): Part {
  const { currency, sent_today, day_ends_at, paid_out_today, payouts_today, utc_day_ends_at } =
    wallet
  return html`${day_ends_at !== null && html`<p class="dim">${show.money(sent_today ?? 0, currency)} was sent today without approval. A new day begins at ${show.time(day_ends_at)}.</p>`}${
    utc_day_ends_at !== null &&
    html`<p class="dim">In this day of UTC, ${show.money(paid_out_today ?? 0, currency)} was paid out, in ${payouts_today === 1 ? '1 payout' : `${show.number(payouts_today ?? 0)} payouts`}. It ends at ${show.time(utc_day_ends_at)}.</p>`
  }`
}

/** What nobody here can approve: the operator lets no more out. */
function ofOperator({ show }: Visit, wallet: Wallet): Part {
  const said = ceilingWords(wallet, show)
  return said && html`<p class="dim">The server operator allows ${said}.</p>`
}

type Rule = AnswerOf<'getLimitRules'>['rules'][number]

/** How often rules fired that did in thirty days. */
function firedRules({ show }: Visit, rules: Rule[]): Part {
  const fired = rules.filter(({ last_fired_at }) => last_fired_at !== null)
  return html`<section class="sheet"><h2>How often they fired</h2>${
    fired.length === 0
      ? html`<p class="dim">In the last 30 days, no limit refused a payout or made one wait.</p>`
      : html`<div class="scroll" tabindex="0" role="group" aria-label="How often limits fired"><table><thead><tr><th scope="col">What happened</th><th scope="col" class="right">Today</th><th scope="col" class="right">7 days</th><th scope="col" class="right">30 days</th><th scope="col">Last</th></tr></thead><tbody>${fired.map(
          ({ meaning, today, last_7_days, last_30_days, last_fired_at }) =>
            html`<tr><td>${meaning}</td><td class="right">${show.number(today)}</td><td class="right">${show.number(last_7_days)}</td><td class="right">${show.number(last_30_days)}</td><td>${show.time(last_fired_at ?? '')}</td></tr>`,
        )}</tbody></table></div><p class="hint">Days are of UTC.</p>`
  }</section>`
}

/**
 * What was typed, as the API takes it. @throws {Refusal} `validation_failed`, with what is wrong by
 * field
 */
function bodyOf(
  values: Values,
  currencies: Wallet['currency'][],
  locale: string,
): BodyOf<'updateLimits'> {
  const issues: { path: string; message: string }[] = []
  const amountOf = (name: string): number | null => {
    const text = (values[name] ?? '').trim()
    if (text === '') return null
    const read = readMoney(text, locale, asCurrency(name.split('.')[0]))
    if (read.amount === null) issues.push({ path: name, message: moneyFault(text, read, locale) })
    return Number(read.amount)
  }
  const countOf = (name: string): number | null =>
    (values[name] ?? '').trim() === '' ? null : numberOf(name)
  const numberOf = (name: string): number => {
    const text = (values[name] ?? '').trim()
    if (!/^\d{1,9}$/.test(text)) issues.push({ path: name, message: en.notNumber })
    return Number(text)
  }
  const changes = currencies.map((currency) => ({
    currency,
    ...Object.fromEntries(
      kinds.flatMap(({ name }) => {
        const at = `${currency}.${name}`
        return values[at] === undefined ? [] : [[name, isCount(name) ? countOf(at) : amountOf(at)]]
      }),
    ),
  }))
  const beneficiaries = {
    ...(values[coolingOff.name] === undefined
      ? {}
      : { [coolingOff.name]: numberOf(coolingOff.name) }),
    ...(values.payouts_by_key === undefined
      ? {}
      : { payouts_by_key: values.payouts_by_key as Shared['payouts_by_key'] }),
  }
  const typedHours = numberOf(hours)
  if (issues.length > 0) throw new Refusal('validation_failed', 422, en.mend, { data: issues })
  return { currencies: changes, [hours]: typedHours, ...beneficiaries }
}

/** What is wrong, by the names of the fields. */
function errorsOf({ data }: Refusal, currencies: string[]): Values {
  const issues = Array.isArray(data) ? (data as { path: string; message: string }[]) : []
  const nameOf = (at: string): string =>
    at.replace(/^currencies[.[](\d)\]?/, (_all, i) => currencies[Number(i)] ?? '')
  return Object.fromEntries(issues.map((issue) => [nameOf(issue.path), issue.message]))
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
      const currencies = (await visit.api.getLimits()).currencies.map(({ currency }) => currency)
      try {
        const { pending_change: pending } = await visit.api.updateLimits(
          { body: bodyOf(values, currencies, visit.show.locale) },
          key,
        )
        return { redirect: `${visit.path}?done=${pending === null ? 'saved' : 'waits'}` }
      } catch (error) {
        if (!(error instanceof Refusal) || error.status >= 500 || error.code === 'scope_missing')
          throw error
        return show(visit, values, error)
      }
    },
  },
  {
    method: 'POST',
    path: pendingPath,
    async handler(visit) {
      const { key = '', change = '', step = '' } = visit.request.form
      if (step !== 'confirm' && step !== 'cancel')
        return messagePage('not_found', visit.session, visit)
      if (!visit.allowed(takesPending[step]))
        return messagePage('not_allowed', visit.session, visit)
      if (!keyForm.test(key)) return messagePage('out_of_date', visit.session, visit)
      const at = `${visit.base}${path}`
      try {
        await visit.api[takesPending[step]]({ params: { id: change } }, key)
        return { redirect: `${at}?done=${step}` }
      } catch (error) {
        if (!(error instanceof Refusal) || error.status >= 500 || error.code === 'scope_missing')
          throw error
        return show({ ...visit, path: at }, null, error)
      }
    },
  },
]
