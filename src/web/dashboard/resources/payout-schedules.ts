import type { AnswerOf, BodyOf } from '../../../core/operations.ts'
import { Refusal } from '../../../lib/errors.ts'
import { html } from '../../../lib/html.ts'
import { aheadOf } from '../../../paying-out/payout-schedules/payout-schedules.ts'
import type { Visit } from '../place.ts'
import { payingOut } from '../readiness.ts'
import { destinationOf, linkTo, shortDestination } from '../related.ts'
import type { Action, Foreseen, Resource, Section, Values } from '../resource.ts'
import { cells } from '../tables.ts'
import { badge, type Field } from '../view/parts.ts'
import { en, wordOf } from '../view/strings.ts'

type PayoutSchedule = AnswerOf<'getPayoutSchedule'>
type Rule = Pick<PayoutSchedule, 'interval' | 'weekday' | 'day' | 'time'>
type ScheduleForm = Omit<BodyOf<'createPayoutSchedule'>, 'currency'>

const intervals = [
  ['daily', 'Daily'],
  ['weekly', 'Weekly'],
  ['monthly', 'Monthly'],
] as const
const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

const intervalOf = ({ interval }: Values): string =>
  (intervals.find(([one]) => one === interval) ?? intervals[0])[0]

/** Describes when a schedule runs, in a few words. */
export function ruleOf({ interval, weekday, day, time }: Rule): string {
  if (interval === 'weekly') return `Every ${wordOf(weekday ?? '')} at ${time}`
  return interval === 'monthly' ? `Every month on day ${day} at ${time}` : `Every day at ${time}`
}

/** Why a run pays nothing, and what to do. */
export const whyNothing: Record<string, string> = {
  below_minimum: 'The wallet has too little above what it keeps.',
  amount_too_small: 'The fee would leave nothing.',
  beneficiary_cooling_off:
    'The destination changed. It continues after the beneficiary’s cooling-off period.',
  beneficiary_changed: 'The destination changed. Check the beneficiary, then resume.',
  beneficiary_not_confirmed:
    'The destination changed. Confirm the beneficiary as your own account with a second factor, then resume.',
  beneficiary_not_found: 'Its beneficiary was deleted. Change the destination, then resume.',
  restored_from_backup:
    'The server was restored from a backup, so this run may already have been paid.',
}

/** The reasons that a person has to resolve. */
export const stopping = [
  'beneficiary_changed',
  'beneficiary_not_confirmed',
  'beneficiary_not_found',
]

const whyOf = (code: string): string => whyNothing[code] ?? wordOf(code)

async function fieldsOf(visit: Visit, doc: { id?: string }, values: Values): Promise<Field[]> {
  const [wallet, beneficiary] = await Promise.all([
    doc.id === undefined ? walletField(visit) : null,
    beneficiaryField(visit),
  ])
  return [
    { name: 'interval', label: 'How often', kind: 'choice', options: intervals },
    ...(wallet === null ? [] : [wallet]),
    beneficiary,
    ...dayFields(intervalOf(values)),
    {
      name: 'time',
      label: 'At',
      kind: 'time',
      required: true,
      hint: `Time zone: ${visit.show.timeZone}.`,
    },
    ...amountFields,
    {
      name: 'description',
      label: 'Description',
      kind: 'text',
      maxLength: 500,
      clears: true,
      hint: 'Shown on each payout.',
    },
  ]
}

async function walletField({ api, show }: Visit): Promise<Field> {
  const wallets = await api.listWallets()
  return {
    name: 'currency',
    label: 'From your wallet',
    kind: 'select',
    required: true,
    options: wallets.map(({ currency, available }) => [
      currency,
      `${wordOf(currency)}: ${show.money(available, currency)} available`,
    ]),
  }
}

async function beneficiaryField({ api }: Visit): Promise<Field> {
  const { docs } = await api.listBeneficiaries({ query: { own: true, limit: 100 } })
  const confirmed = docs.filter(({ confirmed_at }) => confirmed_at !== null)
  return {
    name: 'beneficiary',
    label: 'To',
    kind: 'select',
    required: true,
    hint: 'Your own account, saved as a beneficiary and confirmed with a second factor.',
    options: [
      ['', confirmed.length > 0 ? 'Choose one' : 'None yet'],
      ...confirmed.map(({ id, label, destination }): [string, string] => [
        id,
        `${label}: ${shortDestination(destination)}`,
      ]),
    ],
  }
}

function dayFields(interval: string): Field[] {
  if (interval === 'weekly')
    return [
      {
        name: 'weekday',
        label: 'On',
        kind: 'select',
        required: true,
        options: weekdays.map((one): [string, string] => [one, wordOf(one)]),
      },
    ]
  if (interval === 'monthly')
    return [
      {
        name: 'day',
        label: 'On day',
        kind: 'number',
        required: true,
        maxLength: 2,
        hint: '1 to 31. A shorter month pays on its last day.',
      },
    ]
  return []
}

const amountFields: Field[] = [
  {
    name: 'keep',
    label: 'Keep in the wallet',
    kind: 'money',
    hint: 'Everything above this is paid out.',
  },
  {
    name: 'minimum',
    label: 'Minimum payout',
    kind: 'money',
    hint: 'Nothing is paid out if the amount would be less.',
  },
  { name: 'maximum', label: 'Maximum payout', kind: 'money', clears: true },
]

/** Fills in the amounts that were left empty. */
const withAmounts = <Form extends ScheduleForm>({ keep = 0, minimum = 1, ...form }: Form) => ({
  ...form,
  keep,
  minimum,
})

const shownRuns = 3

type Terms = ScheduleForm & { keep: number; minimum: number }

/** Shows when it runs and what a run would pay now. @param id of an existing schedule */
async function foresee(
  body: Terms,
  currency: string,
  visit: Visit,
  id?: string,
): Promise<Foreseen> {
  const { show, api, ctx } = visit
  const [wallets, payee] = await Promise.all([
    api.listWallets(),
    api.getBeneficiary({ params: { id: body.beneficiary } }),
  ])
  const available = wallets.find((one) => one.currency === currency)?.available ?? 0
  const above = available - body.keep
  const amount =
    body.maximum === null || body.maximum === undefined ? above : Math.min(above, body.maximum)
  const rule = {
    interval: body.interval,
    weekday: body.weekday ?? null,
    day: body.day ?? null,
    time: body.time ?? '',
  }
  const ahead = await aheadOf(ctx, rule, shownRuns, id)
  const times = ahead.map((at) => show.time(at.toISOString())).join('; ')
  const money = (value: number): string => show.money(value, currency)
  return {
    lines: [
      html`What your ${wordOf(currency)} wallet has available above <strong>${money(body.keep)}</strong> is paid out each time, as a normal payout with its fee.`,
      amount >= body.minimum
        ? html`If it ran now, <strong>${money(amount)}</strong> would be paid out, and ${money(available - amount)} would stay.`
        : `If it ran now, nothing would be paid out: the wallet has ${money(available)} available.`,
      `Next runs: ${times}.`,
      html`Destination:<br>${destinationOf(payee.destination)}`,
      'Payouts above one of your limits wait for a second person, like any payout. You cannot approve the payouts of this one.',
    ],
  }
}

const about: Readonly<Record<string, string>> = {
  beneficiary_not_found: 'beneficiary',
  beneficiary_not_own: 'beneficiary',
  beneficiary_not_confirmed: 'beneficiary',
}

const create: Action<'createPayoutSchedule', { id?: string }> = {
  name: 'new',
  title: 'New standing payout',
  confirm: 'Begin it',
  operation: 'createPayoutSchedule',
  needs: payingOut,
  fields: fieldsOf,
  start: () => ({ interval: 'daily', time: '06:00' }),
  input: ({ body }) => ({ body: withAmounts(body) }),
  foresee: ({ body }, visit) => foresee(withAmounts(body), body.currency, visit),
  about,
  done: 'Standing payout created. See its next run below.',
}

const typed = (amount: number | null): string => (amount === null ? '' : (amount / 100).toFixed(2))

const change: Action<'updatePayoutSchedule', PayoutSchedule, ScheduleForm> = {
  name: 'change',
  title: 'Change',
  confirm: 'Change it',
  operation: 'updatePayoutSchedule',
  needs: payingOut,
  fields: fieldsOf,
  start: ({ interval, weekday, day, time, beneficiary, keep, minimum, maximum, description }) => ({
    interval,
    time,
    beneficiary,
    weekday: weekday ?? '',
    day: String(day ?? ''),
    keep: typed(keep),
    minimum: typed(minimum),
    maximum: typed(maximum),
    description: description ?? '',
  }),
  input: ({ doc, body }) => ({ params: { id: doc.id }, body: withAmounts(body) }),
  foresee: async ({ doc, body }, visit) => {
    const { lines } = await foresee(withAmounts(body), doc.currency, visit, doc.id)
    return {
      lines: doc.status === 'paused' ? [...lines, 'It stays paused until you resume it.'] : lines,
    }
  },
  about,
  done: 'Standing payout updated.',
}

const pause: Action<'updatePayoutSchedule', PayoutSchedule> = {
  name: 'pause',
  title: 'Pause',
  confirm: 'Pause it',
  operation: 'updatePayoutSchedule',
  when: ({ status }) => status === 'active',
  input: ({ doc }) => ({ params: { id: doc.id }, body: { status: 'paused' } }),
  foresee: ({ doc }, { show }) => ({
    lines: [
      `It pays nothing until you resume it. The run of ${show.time(doc.next_run_at ?? '')} is skipped.`,
      'Payouts that it already created continue. Skipped runs are not caught up when you resume.',
    ],
  }),
  done: 'Standing payout paused.',
}

const resume: Action<'updatePayoutSchedule', PayoutSchedule> = {
  name: 'resume',
  title: 'Resume',
  confirm: 'Resume it',
  operation: 'updatePayoutSchedule',
  needs: payingOut,
  when: ({ status }) => status === 'paused',
  input: ({ doc }) => ({ params: { id: doc.id }, body: { status: 'active' } }),
  foresee: async ({ doc }, visit) => {
    const [next] = await aheadOf(visit.ctx, doc, 1, doc.id)
    const { docs } = await visit.api.listBeneficiaries({
      query: { own: true, limit: 100 },
    })
    const payee = docs.find(({ id }) => id === doc.beneficiary)
    return {
      lines: [
        next ? `Next run: ${visit.show.time(next.toISOString())}.` : null,
        payee && html`Destination:<br>${destinationOf(payee.destination)}`,
        'Runs that were skipped while it was paused are not caught up.',
      ].filter(Boolean),
    }
  },
  done: 'Standing payout resumed.',
}

const remove: Action<'deletePayoutSchedule', PayoutSchedule> = {
  name: 'delete',
  title: 'Delete',
  confirm: 'Delete standing payout',
  operation: 'deletePayoutSchedule',
  danger: true,
  foresee: () => ({
    lines: ['It does not run again.', 'Payouts that it already created continue.'],
  }),
  done: 'Standing payout deleted.',
  leadsTo: () => '/payout-schedules',
}

const goesTo: Section<PayoutSchedule> = {
  title: 'Goes to',
  async content({ beneficiary: id }, seen) {
    try {
      const { label, destination } = await seen.api.getBeneficiary({ params: { id } })
      return html`<p>${linkTo(seen, 'beneficiaries', id, html`<bdi>${label}</bdi>`)}</p><p>${destinationOf(destination)}</p>`
    } catch (error) {
      if (error instanceof Refusal && error.status === 404)
        return html`<p>${whyNothing.beneficiary_not_found}</p>`
      throw error
    }
  },
}

const ahead: Section<PayoutSchedule> = {
  title: 'Runs ahead',
  content: ({ upcoming, next_amount, next_skip, currency }, { show }) =>
    upcoming.length > 0 &&
    html`<ul>${(upcoming as string[]).map((at) => html`<li><time datetime="${at}">${show.time(at)}</time></li>`)}</ul>
<p class="dim">${
      next_amount === null
        ? `As the wallet is now, a run would pay nothing. ${next_skip && whyOf(next_skip)}`
        : `As the wallet is now, a run would pay ${show.money(next_amount, currency)}.`
    }</p>`,
}

const past: Section<PayoutSchedule> = {
  title: 'Runs so far',
  async content({ id, currency }, seen) {
    const { docs } = await seen.api.listPayoutScheduleRuns({
      params: { id },
      query: { limit: 10 },
    })
    if (docs.length === 0) return false
    return html`<div class="scroll" tabindex="0"><table><thead><tr><th scope="col">When</th><th scope="col">Amount paid</th></tr></thead><tbody>${docs.map(
      ({ created_at, amount, reference, code }) =>
        html`<tr><td><time datetime="${created_at}">${seen.show.time(created_at)}</time></td><td>${
          reference === null
            ? whyOf(code ?? '')
            : linkTo(seen, 'payouts', reference, seen.show.money(amount ?? 0, currency))
        }</td></tr>`,
    )}</tbody></table></div>`
  },
}

export const payoutSchedules: Resource<PayoutSchedule> = {
  path: 'payout-schedules',
  title: 'Standing payouts',
  one: 'standing payout',
  more: 'standing payouts',
  group: 'out',
  list: 'listPayoutSchedules',
  get: 'getPayoutSchedule',
  key: 'id',
  tabs: 'status',
  about:
    'A standing payout sends the balance above a set amount to your own account, every day, week or month.',
  columns: [
    { title: 'When', cell: ruleOf },
    { title: 'Status', cell: cells.status },
    {
      title: 'Next run',
      cell: ({ next_run_at: at }, { show }) =>
        at ? html`<time datetime="${at}">${show.time(at)}</time>` : en.none,
    },
    { title: 'Would pay', cell: cells.money('next_amount'), right: true },
    { title: 'Keeps', cell: cells.money('keep'), less: true, right: true },
  ],
  heading: ruleOf,
  called: ruleOf,
  status: ({ status }) => status,
  rows: (doc, seen) => {
    const money = (value: number): string => seen.show.money(value, doc.currency)
    return [
      doc.paused_because && [
        'Why it is paused',
        html`${badge('paused', 'warn', wordOf(doc.paused_because))}<br>${whyOf(doc.paused_because)}`,
      ],
      ['From wallet', wordOf(doc.currency)],
      ['Keeps', money(doc.keep)],
      doc.minimum > 1 && ['Minimum payout', money(doc.minimum)],
      ['Maximum payout', doc.maximum !== null && money(doc.maximum)],
      ['Description', doc.description && html`<bdi>${doc.description}</bdi>`],
    ]
  },
  sections: [goesTo, ahead, past],
  actions: [pause, resume, change, remove],
  create,
}
