import type { AnswerOf } from '../../../core/operations.ts'
import { html } from '../../../lib/html.ts'
import type { Visit } from '../place.ts'
import { type Action, creation, type Draft, type Resource } from '../resource.ts'
import { cells } from '../tables.ts'
import { badge, type Field } from '../view/parts.ts'
import { limits } from './limits.ts'

type Business = AnswerOf<'getOperatorBusiness'>
type PlanForm = { plan?: string; holds_from?: string }

const reason: Field = {
  name: 'reason',
  label: 'Why',
  kind: 'area',
  maxLength: 500,
  hint: 'The business is shown it: on every page, and in what its keys are answered.',
}

const installation = 'The prices of the installation'

/** The plans to choose from. */
async function planField(visit: Visit): Promise<Field> {
  const { docs } = await visit.api.listPlans({ query: { limit: 100 } })
  const plans = docs.map(({ id, name }) => [id, name] as const)
  return { name: 'plan', label: 'Plan', kind: 'select', options: [['', installation], ...plans] }
}

/** From when on something holds: a day of UTC, or as soon as may be. */
export const holdsFrom: Field = {
  name: 'holds_from',
  label: 'Holds from',
  kind: 'date',
  hint: 'The beginning of the day in UTC. Left empty: in a minute.',
}
export const momentOf = (day: string | undefined) =>
  day === undefined ? {} : { holds_from: `${day}T00:00:00Z` }
export const momentSaid = (day: string | undefined): string =>
  day === undefined ? 'In a minute' : `From ${day}, 00:00 UTC, on`

/** Sets the status of a business. `reason` is typed into the form of some of the actions. */
const change = <Status extends Business['status']>(status: Status) => ({
  operation: 'changeOperatorBusiness' as const,
  input: ({ doc, body: { reason: why } }: Draft<Business, { reason?: string }>) => ({
    params: { id: doc.id },
    body: { status, ...(why === undefined ? {} : { reason: why }) },
  }),
})
type Change = Action<'changeOperatorBusiness', Business, { reason?: string }>

const suspend: Change = {
  ...change('suspended'),
  name: 'suspend',
  title: 'Suspend',
  danger: true,
  when: ({ status }) => status === 'active',
  fields: () => [reason],
  foresee: ({ doc }) => ({
    lines: [
      html`<bdi>${doc.name}</bdi> can start nothing new: no payments, payouts, refunds or invoices, in test mode as well.`,
      'What is under way ends, and money that comes is booked. Its people and keys can still read everything.',
    ],
  }),
  done: 'Business suspended.',
}

const resume: Change = {
  ...change('active'),
  name: 'resume',
  title: 'Let it go on',
  when: ({ status }) => status !== 'active',
  foresee: ({ doc }) => ({
    lines: [html`<bdi>${doc.name}</bdi> can collect and pay out again, at once.`],
  }),
  done: 'Business resumed.',
}

const changePlan: Action<'changeOperatorBusinessPlan', Business, PlanForm> = {
  name: 'plan',
  title: 'Change its plan',
  operation: 'changeOperatorBusinessPlan',
  fields: async (visit) => [await planField(visit), holdsFrom],
  start: ({ plan }) => ({ plan: plan ?? '' }),
  input: ({ doc, body }) => ({
    params: { id: doc.id },
    body: { plan: body.plan ?? null, ...momentOf(body.holds_from) },
  }),
  foresee: async ({ body }, visit) => {
    const plan = body.plan && (await visit.api.getPlan({ params: { id: body.plan } }))
    return {
      lines: [
        html`${momentSaid(body.holds_from)} it has ${plan ? html`the prices of <bdi>${plan.name}</bdi>` : 'the prices of the installation'}.`,
        'Payouts and payments that were made before keep their prices, and quotes theirs.',
      ],
    }
  },
  done: 'Plan changed from that date.',
}

const close: Change = {
  ...change('closed'),
  name: 'close',
  title: 'Close',
  danger: true,
  when: ({ status }) => status !== 'closed',
  fields: () => [reason],
  foresee: ({ doc }) => ({
    lines: [
      html`<bdi>${doc.name}</bdi> can begin nothing new any more. Its people and keys can still read everything.`,
      'Its live wallets must be empty, and nothing may be under way there. Otherwise this is refused, and you see what is left.',
    ],
  }),
  done: 'Business closed.',
}

export const businesses: Resource<Business> = {
  path: 'businesses',
  title: 'Businesses',
  one: 'business',
  more: 'businesses',
  group: 'settings',
  list: 'listOperatorBusinesses',
  get: 'getOperatorBusiness',
  key: 'id',
  searches: 'Part of the name, or an id',
  tabs: 'status',
  untold: true,
  about: 'A business has wallets, keys and people of its own, in test and in live mode.',
  columns: [
    { title: 'Business', cell: cells.text('name') },
    { title: 'Status', cell: cells.status },
    { title: 'Made', cell: cells.created },
    { title: 'Plan', cell: (doc) => html`<bdi>${planNow(doc)}</bdi>`, less: true },
  ],
  heading: ({ name }) => html`<bdi>${name}</bdi>`,
  called: ({ name }) => name,
  status: ({ status }) => status,
  rows: (doc) => [
    ['Why', doc.reason && html`<bdi>${doc.reason}</bdi>`],
    ['Prices', html`<bdi>${planNow(doc)}</bdi>`],
  ],
  sections: [
    {
      title: 'Plans',
      content: ({ plans }, { show, ctx }) =>
        plans.length > 0 &&
        html`<div class="table"><table class="list"><thead><tr><th scope="col">Plan</th><th scope="col">From</th><th scope="col">By</th></tr></thead><tbody>${plans.map(
          ({ name, holds_from, made_by }, i) =>
            html`<tr><td><bdi>${name ?? installation}</bdi> ${plans.findIndex((one) => new Date(one.holds_from) <= ctx.scope.now) === i && badge('active', 'good', 'holds')}</td><td><time datetime="${holds_from}">${show.time(holds_from)}</time></td><td><bdi>${made_by ?? 'A command'}</bdi></td></tr>`,
        )}</tbody></table></div>`,
    },
    limits.section,
  ],
  actions: [suspend, resume, changePlan, limits.action, close],
  create: creation({
    name: 'new',
    title: 'New business',
    confirm: 'Make the business',
    operation: 'createOperatorBusiness',
    fields: async (visit) => [
      {
        name: 'name',
        label: 'Name',
        kind: 'text',
        required: true,
        maxLength: 200,
        hint: 'The name payers see.',
      },
      await planField(visit),
    ],
    input: ({ body }) => ({
      body: { name: body.name, ...(body.plan === undefined ? {} : { plan: body.plan }) },
    }),
    reveals: ({ test_key, live_key }) => [
      ['Test key', test_key],
      ['Live key', live_key],
    ],
    done: 'Business created. Invite its first owner with `bursar team invite`.',
  }),
}

function planNow({ plan, plans }: Business): string {
  return plans.find((one) => plan !== null && one.plan === plan)?.name ?? installation
}
