import type { AnswerOf } from '../../../core/operations.ts'
import { html } from '../../../lib/html.ts'
import type { Visit } from '../place.ts'
import { payingOut } from '../readiness.ts'
import { destinationOf, relatedTo, shortDestination } from '../related.ts'
import type { Action, Foreseen, NoRecord, Resource } from '../resource.ts'
import { cells } from '../tables.ts'
import { badge, type Field } from '../view/parts.ts'
import {
  aboutDestination,
  type DestinationIn,
  destinationFields,
  holderOf,
  kindOf,
  kindOfKnown,
  paidTo,
  workingKinds,
} from './destinations.ts'
import { payouts } from './payouts.ts'

type Beneficiary = AnswerOf<'getBeneficiary'>

const label: Field = {
  name: 'label',
  label: 'Name',
  kind: 'text',
  required: true,
  maxLength: 140,
}
const where = (seen: Visit): Field => ({
  name: 'to',
  label: 'Destination',
  kind: 'choice',
  options: workingKinds(seen),
})

type BeneficiaryForm = { to?: string; destination?: DestinationIn }

const paidBy = ({ to, destination = {} }: BeneficiaryForm) => paidTo(kindOf({ to }), destination)

async function coolsOff({ api, show, ctx }: Visit): Promise<string> {
  const { beneficiary_cooling_off_hours: hours } = await api.getLimits()
  if (hours === 0) return 'You can pay it at once.'
  return `It has a cooling-off period of ${hours} hours. You can pay it from ${show.time(new Date(ctx.scope.now.getTime() + hours * 3_600_000).toISOString())}.`
}

/** Shows where it is paid, with the holder that the bank names. */
async function foreseeWhere(form: BeneficiaryForm, visit: Visit): Promise<Foreseen> {
  const { destination } = paidBy(form)
  const holder = await holderOf(visit, destination)
  const to = holder
    ? { ...destination, ...holder, resolved_account_name: holder.account_name }
    : destination
  return { lines: [html`Destination:<br>${destinationOf(to)}`, await coolsOff(visit)] }
}

const create: Action<
  'createBeneficiary',
  NoRecord,
  BeneficiaryForm & { label: string; own?: boolean }
> = {
  name: 'new',
  title: 'New beneficiary',
  confirm: 'Save beneficiary',
  operation: 'createBeneficiary',
  needs: payingOut,
  start: (_doc, seen) => ({ to: workingKinds(seen)[0]?.[0] ?? 'ng' }),
  fields: async (seen, _doc, values) => [
    where(seen),
    label,
    ...(await destinationFields(seen, kindOf(values))),
    { name: 'own', label: 'This is our own account', kind: 'check' },
  ],
  input: ({ body: { label: text, own = false, ...form } }) => ({
    body: { label: text, ...(own ? { own } : {}), ...paidBy(form) },
  }),
  foresee: async (draft, visit) => {
    const { lines } = await foreseeWhere(draft.body, visit)
    const own =
      'Before standing payouts can go there, someone has to confirm with a second factor that the account is your own.'
    return { lines: draft.body.own ? [...lines, own] : lines }
  },
  about: aboutDestination,
  done: 'Beneficiary saved.',
}

const rename: Action<'updateBeneficiary', Beneficiary> = {
  name: 'rename',
  title: 'Rename',
  confirm: 'Save',
  operation: 'updateBeneficiary',
  fields: () => [label],
  start: (doc) => ({ label: doc.label }),
  done: 'Beneficiary renamed.',
}

const move: Action<'updateBeneficiary', Beneficiary, BeneficiaryForm> = {
  name: 'change',
  title: 'Change destination',
  confirm: 'Change it',
  operation: 'updateBeneficiary',
  needs: payingOut,
  fields: async (seen, _doc, values) => [
    where(seen),
    ...(await destinationFields(seen, kindOf(values))),
  ],
  start: ({ destination }) => ({
    to: kindOfKnown(destination),
    ...Object.fromEntries(
      Object.entries(destination).map(([name, text]) => [`destination.${name}`, String(text)]),
    ),
  }),
  input: ({ doc, body }) => ({ params: { id: doc.id }, body: paidBy(body) }),
  foresee: async (draft, visit) => {
    const { lines } = await foreseeWhere(draft.body, visit)
    return {
      lines: [
        ...lines,
        'Payouts that are already in progress still go to the old account.',
        ...(draft.doc.confirmed_at
          ? ['You will need to confirm again that this is your own account.']
          : []),
      ],
    }
  },
  about: aboutDestination,
  done: 'Destination changed. It can be used after the cooling-off period.',
}

const confirm: Action<'confirmBeneficiary', Beneficiary> = {
  name: 'confirm',
  title: 'Confirm as our own',
  confirm: 'Confirm account',
  leads: true,
  operation: 'confirmBeneficiary',
  when: ({ own, confirmed_at }) => own && confirmed_at === null,
  fields: async () => [{ name: 'seen', label: '', kind: 'hidden' }],
  start: ({ updated_at }) => ({ seen: updated_at }),
  foresee: ({ doc }) => ({
    values: { seen: doc.updated_at },
    lines: [
      html`You confirm that this account belongs to the business:<br>${destinationOf(doc.destination)}`,
      'Standing payouts can then use it. Your name is recorded.',
      'You need to have signed in with a second factor in the last 30 minutes.',
    ],
  }),
  done: 'Confirmed as your own account.',
}

const remove: Action<'deleteBeneficiary', Beneficiary> = {
  name: 'delete',
  title: 'Delete',
  confirm: 'Delete beneficiary',
  operation: 'deleteBeneficiary',
  danger: true,
  foresee: () => ({
    lines: ['New payouts cannot use it.', 'Existing payouts to it continue.'],
  }),
  done: 'Beneficiary deleted.',
  leadsTo: () => '/beneficiaries',
}

export const beneficiaries: Resource<Beneficiary> = {
  path: 'beneficiaries',
  title: 'Beneficiaries',
  one: 'beneficiary',
  more: 'beneficiaries',
  group: 'out',
  list: 'listBeneficiaries',
  get: 'getBeneficiary',
  key: 'id',
  exports: 'exportBeneficiaries',
  searches: 'Name, account number or address',
  tabs: 'status',
  about:
    'A beneficiary is a saved recipient: a bank account with the holder’s name as the bank has it, or an address.',
  columns: [
    { title: 'Name', cell: cells.text('label') },
    { title: 'Status', cell: cells.status },
    {
      title: 'Paid at',
      cell: ({ destination }) => html`<bdi>${shortDestination(destination)}</bdi>`,
    },
    { title: 'Created', cell: cells.created },
    {
      title: 'Our own',
      cell: ({ own, confirmed_at }) => own && ownBadge(confirmed_at),
      less: true,
    },
  ],
  heading: (doc) => html`<bdi>${doc.label}</bdi>`,
  called: (doc) => doc.label,
  status: ({ status }) => status,
  rows: (doc, { show }) => [
    ['Paid at', destinationOf(doc.destination)],
    ['Holder, from the bank', doc.verified_name && html`<bdi>${doc.verified_name}</bdi>`],
    ['Can be paid from', show.time(doc.usable_from)],
    doc.own && ['Our own account', ownBadge(doc.confirmed_at)],
    ['Confirmed', doc.confirmed_at && show.time(doc.confirmed_at)],
    ...doc.warnings.map(({ message }): [string, string] => ['Warning', message]),
  ],
  sections: [
    relatedTo('Payouts', payouts, {
      input: ({ id }) => ({ query: { beneficiary: id } }),
      all: ({ id }) => `/payouts?beneficiary=${id}`,
    }),
  ],
  actions: [confirm, rename, move, remove],
  create,
}

const ownBadge = (confirmedAt: string | null) =>
  confirmedAt
    ? badge('confirmed', 'good', 'Confirmed')
    : badge('waiting', 'warn', 'To be confirmed')
