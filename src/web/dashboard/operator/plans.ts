import type { AnswerOf, BodyOf } from '../../../core/operations.ts'
import { refuseInput } from '../../../lib/errors.ts'
import { type Html, html } from '../../../lib/html.ts'
import type { Action, NoRecord, Resource, Section } from '../resource.ts'
import type { Show } from '../show.ts'
import { cells } from '../tables.ts'
import { badge, type Field } from '../view/parts.ts'
import { wordOf } from '../view/strings.ts'
import { holdsFrom, momentOf, momentSaid } from './businesses.ts'

type Plan = AnswerOf<'getPlan'>
type Version = Plan['versions'][number]
type Prices = Version['prices']
type PricesIn = NonNullable<BodyOf<'createPlan'>['prices']>
type Rule = Prices['platform'][string]
type VersionForm = { prices?: string; holds_from?: string }

const prices: Field = {
  name: 'prices',
  label: 'Prices',
  kind: 'area',
  rows: 24,
  maxLength: 100_000,
  hint: 'As JSON, in the form of docs/pricing.md: amounts in minor units, shares in basis points. Parts that are left out stay as they were.',
}

/** @throws {Refusal} `validation_failed` for what is no JSON */
function pricesOf({ prices: text }: { prices?: string }): PricesIn {
  if (text === undefined) return {}
  try {
    return JSON.parse(text)
  } catch (error) {
    const message = `Prices must be JSON: ${(error as Error).message}`
    return refuseInput([{ path: 'prices', message, location: 'body' }])
  }
}

const holding = ({ versions }: Plan, now: Date): Version =>
  (versions.find(({ holds_from }) => new Date(holds_from) <= now) ?? versions.at(-1)) as Version
const next = ({ versions }: Plan, now: Date): Version | undefined =>
  versions.findLast(({ holds_from }) => new Date(holds_from) > now)

const ruleWords = ({ flat, bps, min, max }: Rule, currency: string, { money }: Show): string =>
  [
    flat > 0 && money(flat, currency),
    bps > 0 && `${bps / 100} %`,
    min > 0 && `at least ${money(min, currency)}`,
    max !== null && `at most ${money(max, currency)}`,
  ]
    .filter(Boolean)
    .join(', ') || 'Nothing'

/** What is charged by method and wallet: `bank_transfer.ngn`. */
function feesTable(rules: Readonly<Record<string, number | Rule>>, show: Show): Html | false {
  const rows = Object.entries(rules).map(([key, rule]) => {
    const [method = '', currency = ''] = key.split('.')
    const text =
      typeof rule === 'number' ? show.money(rule, currency) : ruleWords(rule, currency, show)
    return html`<tr><td>${wordOf(method)}</td><td>${currency.toUpperCase()}</td><td>${text}</td></tr>`
  })
  return (
    rows.length > 0 &&
    html`<div class="table"><table class="list"><thead><tr><th scope="col">By</th><th scope="col">Wallet</th><th scope="col">Fee</th></tr></thead><tbody>${rows}</tbody></table></div>`
  )
}

function ratesTable(rates: Prices['rates']): Html {
  return html`<div class="table"><table class="list"><thead><tr><th scope="col">One</th><th scope="col">buys</th></tr></thead><tbody>${Object.entries(
    rates,
  ).map(([pair, rate]) => {
    const [from = '', to = ''] = pair.split('_')
    return html`<tr><td>${from.toUpperCase()}</td><td>${rate} ${to.toUpperCase()}</td></tr>`
  })}</tbody></table></div>`
}

/** What holds now of a part of the prices. */
const feesOf = (
  title: string,
  part: 'platform' | 'provider' | 'payment' | 'deposit',
): Section<Plan> => ({
  title,
  content: (doc, { show, ctx }) => feesTable(holding(doc, ctx.scope.now).prices[part], show),
})

/** The parts that are not as they are in the latest version. */
const changedParts = ({ versions }: Plan, parts: PricesIn): string[] =>
  Object.entries(parts).flatMap(([name, part]) =>
    JSON.stringify(part) === JSON.stringify(versions[0]?.prices[name as keyof Prices])
      ? []
      : [name],
  )

const addVersion: Action<'addPlanVersion', Plan, VersionForm> = {
  name: 'version',
  title: 'New version',
  confirm: 'Make the version',
  operation: 'addPlanVersion',
  fields: () => [prices, holdsFrom],
  start: (doc) => ({ prices: JSON.stringify(doc.versions[0]?.prices, null, 2) }),
  input: (draft) => ({
    params: { id: draft.doc.id },
    body: { prices: pricesOf(draft.body), ...momentOf(draft.body.holds_from) },
  }),
  foresee: (draft) => {
    const parts = changedParts(draft.doc, pricesOf(draft.body))
    return {
      lines: [
        html`${momentSaid(draft.body.holds_from)} these prices hold for all businesses that have <bdi>${draft.doc.name}</bdi>: ${parts.length > 0 ? `what changes is ${parts.map(wordOf).join(', ')}` : 'nothing changes'}.`,
        'Payouts and payments that were made before keep their prices, and quotes theirs. It cannot be taken back, but another version with the same date takes its place.',
      ],
    }
  },
  done: 'Version created.',
}

const create: Action<'createPlan', NoRecord, { name: string; prices?: string }> = {
  name: 'new',
  title: 'New plan',
  confirm: 'Make the plan',
  operation: 'createPlan',
  fields: () => [
    { name: 'name', label: 'Name', kind: 'text', required: true, maxLength: 100 },
    {
      ...prices,
      hint: `${prices.hint?.replace('stay as they were', 'are as the installation has them')}`,
    },
  ],
  input: (draft) => ({ body: { name: draft.body.name, prices: pricesOf(draft.body) } }),
  about: { plan_name_taken: 'name' },
  done: 'Plan created. Assign it on the page of a business.',
}

export const plans: Resource<Plan> = {
  path: 'plans',
  title: 'Plans',
  one: 'plan',
  more: 'plans',
  group: 'settings',
  list: 'listPlans',
  get: 'getPlan',
  key: 'id',
  untold: true,
  about:
    'A plan is a table of prices with a name, for any number of businesses. Who has none has the prices of the installation.',
  columns: [
    { title: 'Plan', cell: cells.text('name') },
    {
      title: 'Holds since',
      cell: (doc, { show, ctx }) => show.time(holding(doc, ctx.scope.now).holds_from),
    },
    {
      title: 'Next version',
      cell: (doc, { show, ctx }) => {
        const version = next(doc, ctx.scope.now)
        return version ? show.time(version.holds_from) : 'None'
      },
    },
    { title: 'Made', cell: cells.created, less: true },
  ],
  heading: ({ name }) => html`<bdi>${name}</bdi>`,
  called: ({ name }) => name,
  rows: (doc, { show, ctx }) => {
    const version = next(doc, ctx.scope.now)
    return [
      ['Holds since', show.time(holding(doc, ctx.scope.now).holds_from)],
      ['Next version', version ? show.time(version.holds_from) : 'None'],
    ]
  },
  sections: [
    feesOf('Payouts cost', 'platform'),
    feesOf('Their rails cost', 'provider'),
    feesOf('Payments cost', 'payment'),
    feesOf('Deposits cost', 'deposit'),
    {
      title: 'Exchange rates',
      content: (doc, { ctx }) => ratesTable(holding(doc, ctx.scope.now).prices.rates),
    },
    {
      title: 'Versions',
      content: (doc, { show, ctx }) => {
        const held = holding(doc, ctx.scope.now)
        return html`<div class="table"><table class="list"><thead><tr><th scope="col">From</th><th scope="col">By</th><th scope="col">Made</th></tr></thead><tbody>${doc.versions.map(
          (version) =>
            html`<tr><td>${show.time(version.holds_from)} ${version === held && badge('active', 'good', 'holds')}${new Date(version.holds_from) > ctx.scope.now && badge('pending', 'info', 'ahead')}</td><td><bdi>${version.made_by ?? 'A command'}</bdi></td><td>${show.time(version.created_at)}</td></tr>`,
        )}</tbody></table></div>`
      },
    },
  ],
  actions: [addVersion],
  create,
}
