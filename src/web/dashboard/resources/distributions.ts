/**
 * How what is paid for products is shared.
 */
import type { AnswerOf, BodyOf } from '../../../core/operations.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { type Actor, namesOf } from '../approvals.ts'
import type { Visit } from '../place.ts'
import { payingOut } from '../readiness.ts'
import { destinationOf } from '../related.ts'
import {
  type Action,
  type AnyAction,
  actionsOn,
  type NoRecord,
  type Resource,
  type Values,
} from '../resource.ts'
import { cells } from '../tables.ts'
import { badge, type Field } from '../view/parts.ts'
import { wordOf } from '../view/strings.ts'
import { bankOptions } from './banks.ts'
import { activeOr, saleCurrency, typedAmount } from './products.ts'

type Distribution = AnswerOf<'getDistribution'>
type Share = Distribution['shares'][number]
type ShareIn = BodyOf<'createDistribution'>['shares'][number]
type ShareForm = Omit<ShareIn, 'name'> & { name?: string }
type DistributionForm = { name: string; shares?: ShareForm[] }
const action = actionsOn<Distribution>()

const partOf = (
  { percentage_bps, flat_amount }: Share,
  currency: string,
  { show }: Visit,
): string =>
  percentage_bps === null
    ? `${show.money(flat_amount ?? 0, currency)} for each`
    : `${show.number(percentage_bps / 100)} %`

/** When, and by whom, it was last said where a share is paid. */
const changeOf = (
  { destination_changed_at: at, destination_changed_by: by }: Share,
  { show }: Visit,
  nameOf: (actor: Actor | null) => Part,
): Part =>
  at &&
  html` <span class="hint">Changed: <time datetime="${at}">${show.time(at)}</time> · By: ${by === null ? 'A command' : nameOf(by)}</span>`

const coolsOff = ({ destination, destination_usable_from }: Share, { ctx }: Visit): boolean =>
  destination !== null &&
  destination_usable_from !== null &&
  new Date(destination_usable_from) > ctx.scope.now

async function sharesOf(doc: Distribution, seen: Visit): Promise<Html> {
  const nameOf = await namesOf(seen)
  return html`<div class="scroll" tabindex="0"><table><thead><tr><th scope="col">For</th><th scope="col">Share</th><th scope="col" class="right">Holds</th><th scope="col" class="right">Paid out</th><th scope="col">Goes to</th></tr></thead><tbody>${doc.shares.map(
    (share) =>
      html`<tr><td><bdi>${share.name}</bdi>${share.removed && html` ${badge('removed')}`}</td><td>${partOf(share, doc.currency, seen)}</td><td class="right">${seen.show.money(share.accrued, doc.settlement_currency)}</td><td class="right">${seen.show.money(share.settled, doc.settlement_currency)}</td><td>${share.destination ? destinationOf(share.destination) : 'Not known yet'}<br>${changeOf(share, seen, nameOf)}</td></tr>`,
  )}</tbody></table></div>`
}

const distributionName: Field = {
  name: 'name',
  label: 'Name',
  kind: 'text',
  required: true,
  maxLength: 200,
  hint: 'Only your team sees it.',
}

const shareRows: NonNullable<AnyAction['rows']> = {
  name: 'shares',
  title: 'Shares of each sale: you keep the rest',
  filledBy: 'name',
  least: 2,
  fields: async (seen: Visit) => [
    { name: 'id', label: '', kind: 'hidden' },
    { name: 'name', label: 'For', kind: 'text', maxLength: 100 },
    { name: 'percentage_bps', label: 'Percent', kind: 'percent' },
    { name: 'flat_amount', label: 'Or a fixed amount each', kind: 'money' },
    {
      name: 'destination.bank_code',
      label: 'Bank in Nigeria',
      kind: 'select',
      options: await bankOptions(seen, 'ng', 'Not known yet'),
    },
    { name: 'destination.account_number', label: 'Account number', kind: 'text', maxLength: 10 },
  ],
}

const partsOfDestination = [
  'country',
  'bank_code',
  'account_number',
  'account_name',
  'routing_number',
  'account_type',
  'currency',
  'chain',
  'address',
]

/** The shares that are left: a destination that the form cannot show stays. */
const currentShares = (shares: Share[]): Share[] => shares.filter(({ removed }) => !removed)

const startOfShares = (shares: Share[]): Values =>
  Object.fromEntries(
    currentShares(shares).flatMap(({ id, name, percentage_bps, flat_amount, destination }, i) => {
      const shown = destination?.country === 'ng' ? destination : null
      return Object.entries({
        id,
        name,
        percentage_bps: typedAmount(percentage_bps),
        flat_amount: typedAmount(flat_amount),
        'destination.bank_code': shown?.bank_code ?? '',
        'destination.account_number': shown?.account_number ?? '',
      }).map(([field, value]) => [`shares.${i}.${field}`, value])
    }),
  )

/**
 * Returns the shares of a form, as the API takes them.
 * @param known the shares so far, whose destinations stay if the form cannot show them
 */
function sharesIn({ shares = [] }: DistributionForm, known: Share[] = []): ShareIn[] {
  const kept = (id: string | undefined): NonNullable<ShareIn['destination']> | null => {
    const destination = known.find((one) => one.id === id)?.destination
    return destination && destination.country !== 'ng'
      ? Object.fromEntries(
          Object.entries(destination).filter(([name]) => partsOfDestination.includes(name)),
        )
      : null
  }
  return shares.flatMap(({ name, destination, ...share }) =>
    name
      ? [
          {
            ...share,
            name,
            destination: destination ? { country: 'ng' as const, ...destination } : kept(share.id),
          },
        ]
      : [],
  )
}

/** What settling does with what a share holds. */
function foreseenOf(
  share: Share,
  doc: Distribution,
  seen: Visit,
  nameOf: (actor: Actor | null) => Part,
): Html {
  const { name, accrued, destination, destination_usable_from } = share
  const { show } = seen
  const held = html`<strong>${show.money(accrued, doc.settlement_currency)}</strong>`
  if (!destination)
    return html`<bdi>${name}</bdi> ${held} stays on hold: it has no destination yet.`
  const where = html`${destinationOf(destination)}<br>${changeOf(share, seen, nameOf)}`
  if (coolsOff(share, seen))
    return html`<bdi>${name}</bdi> ${held} stays on hold: its new destination can be used from ${show.time(destination_usable_from ?? '')}.<br>${where}`
  return html`${held} goes to <bdi>${name}</bdi>, less the fee of its payout:<br>${where}`
}

const accruedOf = ({ shares }: Distribution): Share[] => shares.filter(({ accrued }) => accrued > 0)
const sum = (amounts: number[]): number => amounts.reduce((a, b) => a + b, 0)

const edit: Action<'updateDistribution', Distribution, DistributionForm> = {
  name: 'edit',
  title: 'Change',
  confirm: 'Save',
  operation: 'updateDistribution',
  fields: () => [distributionName],
  rows: shareRows,
  start: ({ name, shares }) => ({ name, ...startOfShares(shares) }),
  input: ({ doc, body }) => ({
    params: { id: doc.id },
    body: { ...body, shares: sharesIn(body, doc.shares) },
  }),
  done: 'Distribution updated. It applies to payments from now on.',
}

const create: Action<
  'createDistribution',
  NoRecord,
  DistributionForm & { currency: Distribution['currency'] }
> = {
  name: 'new',
  title: 'New distribution',
  confirm: 'Create',
  operation: 'createDistribution',
  fields: () => [
    distributionName,
    { ...saleCurrency, hint: 'The currency of the products it is used for.' },
  ],
  rows: shareRows,
  input: ({ body }) => ({ body: { ...body, shares: sharesIn(body) } }),
  done: 'Distribution created. You can now choose it for products.',
}

export const distributions: Resource<Distribution> = {
  path: 'distributions',
  title: 'Distributions',
  one: 'distribution',
  more: 'distributions',
  group: 'sell',
  list: 'listDistributions',
  get: 'getDistribution',
  key: 'id',
  exports: 'exportDistributions',
  searches: 'Name or id',
  tabs: 'active',
  about:
    'A distribution splits the price of a product among partners. You pay out their shares here.',
  columns: [
    { title: 'Name', cell: cells.text('name') },
    { title: 'Status', cell: (doc) => badge(activeOr('inactive')(doc)) },
    {
      title: 'On hold for partners',
      cell: (doc, { show }) =>
        show.money(sum(accruedOf(doc).map(({ accrued }) => accrued)), doc.settlement_currency),
    },
    { title: 'Created', cell: cells.created },
    {
      title: 'Shares',
      cell: ({ shares }, { show }) => show.number(shares.length),
      less: true,
      right: true,
    },
  ],
  heading: ({ name }) => html`<bdi>${name}</bdi>`,
  called: ({ name }) => name,
  status: activeOr('inactive'),
  rows: (doc) => [
    ['Currency of its products', wordOf(doc.currency)],
    ['Shares are held in', wordOf(doc.settlement_currency)],
  ],
  sections: [{ title: 'Shares', content: sharesOf }],
  actions: [
    edit,
    action({
      name: 'settle',
      title: 'Pay out shares',
      operation: 'settleDistribution',
      needs: payingOut,
      danger: true,
      when: (doc) => accruedOf(doc).length > 0,
      foresee: async ({ doc }, seen) => {
        const nameOf = await namesOf(seen)
        return { lines: accruedOf(doc).map((share) => foreseenOf(share, doc, seen, nameOf)) }
      },
      done: 'Paying out the shares. Shares that cannot be paid out stay on hold.',
      leadsTo: (_answer, { id }) => `/distributions/${id}`,
    }),
    action({
      name: 'deactivate',
      title: 'Turn off',
      operation: 'deactivateDistribution',
      when: ({ active }) => active,
      foresee: () => ({
        lines: [
          'New payments are not split. Shares that are already on hold stay with the partners.',
        ],
      }),
      done: 'Distribution turned off.',
      undo: 'activate',
    }),
    action({
      name: 'activate',
      title: 'Turn on',
      operation: 'activateDistribution',
      when: ({ active }) => !active,
      foresee: () => ({ lines: ['New payments for its products are split.'] }),
      done: 'Distribution turned on.',
      undo: 'deactivate',
    }),
  ],
  create,
}
