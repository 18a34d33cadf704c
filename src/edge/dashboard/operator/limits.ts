import { html } from '../../../lib/html.ts'
import { decimalOf } from '../../../lib/money.ts'
import type { Doc, Visit } from '../place.ts'
import type { Action, Section } from '../resource.ts'
import type { Field } from '../view/parts.ts'
import { wordOf } from '../view/strings.ts'

const kinds = ['max_payout', 'max_daily'] as const

const limitsOf = async ({ operate }: Visit, { id }: Doc): Promise<Doc[]> =>
  (await operate('getOperatorLimits', { params: { id } })).currencies

const fieldsOf = (currency: string): Field[] => [
  {
    ...{ name: `${currency}.max_payout`, label: 'One payout at most', kind: 'money', clears: true },
    ...{ group: wordOf(currency), hint: 'Left empty: none is refused for its amount.' },
  },
  {
    ...{ name: `${currency}.max_daily`, label: 'In a day of UTC at most', kind: 'money', clears: true },
    ...{ group: wordOf(currency), hint: 'Left empty: as much as there is.' },
  },
]

const section: Section = {
  title: 'What it may pay out',
  async content(doc, visit) {
    const { show } = visit
    const shown = await limitsOf(visit, doc)
    const money = (amount: number | null, currency: string): string =>
      amount === null ? 'No limit' : show.money(amount, currency)
    return html`<div class="scroll" tabindex="0" role="group" aria-label="What it may pay out"><table><thead><tr><th scope="col">Wallet</th><th scope="col">One payout</th><th scope="col">A day of UTC</th><th scope="col">Today, live</th></tr></thead><tbody>${shown.map(
      ({ currency, max_payout, max_daily, sent_today }) =>
        html`<tr><td>${wordOf(currency)}</td><td>${money(max_payout, currency)}</td><td>${money(max_daily, currency)}</td><td>${sent_today === null ? 'Not counted' : show.money(sent_today, currency)}</td></tr>`,
    )}</tbody></table></div>`
  },
}

/** What the operator lets a business pay out at most. */
const action: Action = {
  name: 'limits',
  title: 'Change its limits',
  operation: 'changeOperatorLimits',
  fields: async (visit, doc) => (await limitsOf(visit, doc)).flatMap(({ currency }) => fieldsOf(currency)),
  start: async (doc, visit) =>
    Object.fromEntries(
      (await limitsOf(visit, doc)).flatMap((one) =>
        kinds.map((kind) => [`${one.currency}.${kind}`, one[kind] === null ? '' : decimalOf(BigInt(one[kind]))]),
      ),
    ),
  input: ({ doc, body }) => ({
    params: { id: doc.id },
    body: { currencies: Object.entries(body).map(([currency, of]) => ({ currency, ...of })) },
  }),
  foresee: ({ doc, body }, { show }) => ({
    lines: [
      ...Object.entries(body as Record<string, Doc>).map(([currency, { max_payout, max_daily }]) => {
        const money = (amount: number | null): string | null => (amount === null ? null : show.money(amount, currency))
        const [one, day] = [money(max_payout), money(max_daily)]
        const said = [one && `no payout of more than ${one}`, day && `no more than ${day} in a day of UTC`]
        return html`From its wallet in ${wordOf(currency)}, <bdi>${doc.name}</bdi> can pay out ${said.filter(Boolean).join(', and ') || 'whatever it holds'}.`
      }),
      'It holds at once, in live mode and, counted apart, in test mode; also for what its people approve. Payouts that are on their way go on.',
      'What is above it is refused, and says so.',
    ],
  }),
  done: 'The limits hold from now on.',
}

export const limits = { section, action }
