import type { AnswerOf } from '../../../core/operations.ts'
import { html } from '../../../lib/html.ts'
import { decimalOf } from '../../../lib/money.ts'
import type { Visit } from '../place.ts'
import type { Action, AnyRecord, Section } from '../resource.ts'
import type { Field } from '../view/parts.ts'
import { wordOf } from '../view/strings.ts'

type Limits = AnswerOf<'getOperatorLimits'>['currencies'][number]
type LimitName = Exclude<keyof Ceilings, 'currency'>
/** The most that may be paid out of a wallet. */
export type Ceilings = { currency: string } & Partial<
  Pick<
    Limits,
    | 'max_payout'
    | 'max_daily'
    | 'max_daily_count'
    | 'max_destination_daily'
    | 'max_destination_daily_count'
  >
>
type LimitsForm = Partial<Record<Limits['currency'], Omit<Ceilings, 'currency'>>>

type Kind = { name: LimitName; label: string; hint: string }
const kinds: Kind[] = [
  {
    name: 'max_payout',
    label: 'One payout at most',
    hint: 'Left empty: none is refused for its amount.',
  },
  { name: 'max_daily', label: 'In a day of UTC at most', hint: 'Left empty: as much as there is.' },
  {
    name: 'max_daily_count',
    label: 'Payouts in a day of UTC at most',
    hint: 'A number. Left empty: as many as are asked for.',
  },
  {
    name: 'max_destination_daily',
    label: 'To one destination in a day of UTC at most',
    hint: 'An account, or an address. Left empty: as much as is asked for.',
  },
  {
    name: 'max_destination_daily_count',
    label: 'Payouts to one destination in a day of UTC at most',
    hint: 'A number. Left empty: as many as are asked for.',
  },
]
const isCount = (name: string): boolean => name.endsWith('_count')

/** What the operator lets out of a wallet, in words; null: whatever there is. */
export function ceilingWords(limits: Ceilings, { money, number }: Visit['show']): string | null {
  const {
    currency,
    max_payout,
    max_daily,
    max_daily_count,
    max_destination_daily,
    max_destination_daily_count,
  } = limits
  const said = [
    max_payout != null && `no payout of more than ${money(max_payout, currency)}`,
    max_daily != null && `no more than ${money(max_daily, currency)} in a day of UTC`,
    max_daily_count != null && `no more than ${number(max_daily_count)} payouts in a day of UTC`,
    max_destination_daily != null &&
      `no more than ${money(max_destination_daily, currency)} to one destination in a day of UTC`,
    max_destination_daily_count != null &&
      `no more than ${number(max_destination_daily_count)} payouts to one destination in a day of UTC`,
  ].filter((part): part is string => part !== false)
  const last = said.pop()
  return last === undefined ? null : said.length === 0 ? last : `${said.join(', ')}, and ${last}`
}

const limitsOf = async ({ api }: Visit, { id }: AnyRecord): Promise<Limits[]> =>
  (await api.getOperatorLimits({ params: { id } })).currencies

const fieldsOf = (currency: string): Field[] =>
  kinds.map(({ name, ...kind }) => ({
    ...kind,
    name: `${currency}.${name}`,
    clears: true,
    group: wordOf(currency),
    kind: isCount(name) ? 'number' : 'money',
  }))

const section: Section = {
  title: 'What it may pay out',
  async content(doc, visit) {
    const { show } = visit
    const shown = await limitsOf(visit, doc)
    return html`<div class="scroll" tabindex="0" role="group" aria-label="What it may pay out"><table><thead><tr><th scope="col">Wallet</th><th scope="col">At most</th><th scope="col">Today, live</th></tr></thead><tbody>${shown.map(
      (wallet) =>
        html`<tr><td>${wordOf(wallet.currency)}</td><td>${ceilingWords(wallet, show) ?? 'No limit'}</td><td>${wallet.sent_today === null ? 'Not counted' : `${show.money(wallet.sent_today, wallet.currency)} (${show.number(wallet.payouts_today ?? 0)})`}</td></tr>`,
    )}</tbody></table></div>`
  },
}

type Business = AnswerOf<'getOperatorBusiness'>

const entriesOf = (form: LimitsForm) =>
  Object.entries(form) as [Limits['currency'], Omit<Ceilings, 'currency'>][]

/** What the operator lets a business pay out at most. */
const action: Action<'changeOperatorLimits', Business, LimitsForm> = {
  name: 'limits',
  title: 'Change its limits',
  operation: 'changeOperatorLimits',
  fields: async (visit, doc) =>
    (await limitsOf(visit, doc)).flatMap(({ currency }) => fieldsOf(currency)),
  start: async (doc, visit) =>
    Object.fromEntries(
      (await limitsOf(visit, doc)).flatMap((one) =>
        kinds.map(({ name }) => {
          const limit = one[name]
          return [
            `${one.currency}.${name}`,
            limit === null ? '' : isCount(name) ? String(limit) : decimalOf(BigInt(limit)),
          ]
        }),
      ),
    ),
  input: ({ doc, body }) => ({
    params: { id: doc.id },
    body: { currencies: entriesOf(body).map(([currency, of]) => ({ currency, ...of })) },
  }),
  foresee: ({ doc, body }, { show }) => ({
    lines: [
      ...entriesOf(body).map(
        ([currency, of]) =>
          html`From its wallet in ${wordOf(currency)}, <bdi>${doc.name}</bdi> can pay out ${ceilingWords({ currency, ...of }, show) ?? 'whatever it holds'}.`,
      ),
      'It holds at once, in live mode and, counted apart, in test mode; also for what its people approve. Payouts that are on their way go on.',
      'What is above it is refused, and says so.',
    ],
  }),
  done: 'Limits updated.',
}

export const limits = { section, action }
