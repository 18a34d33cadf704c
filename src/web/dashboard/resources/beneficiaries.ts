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
  label: 'What you call it',
  kind: 'text',
  required: true,
  maxLength: 140,
}
const where = (seen: Visit): Field => ({
  name: 'to',
  label: 'Where it is paid',
  kind: 'choice',
  options: workingKinds(seen),
})

type BeneficiaryForm = { to?: string; destination?: DestinationIn }

const paidBy = ({ to, destination = {} }: BeneficiaryForm) => paidTo(kindOf({ to }), destination)

async function coolsOff({ api, show, ctx }: Visit): Promise<string> {
  const { beneficiary_cooling_off_hours: hours } = await api.getLimits()
  if (hours === 0) return 'It can be paid at once.'
  return `It cools off for ${hours} hours: payouts can name it from ${show.time(new Date(ctx.scope.now.getTime() + hours * 3_600_000).toISOString())}.`
}

/** Shows where it is paid, with the holder that the bank names. */
async function foreseeWhere(form: BeneficiaryForm, visit: Visit): Promise<Foreseen> {
  const { destination } = paidBy(form)
  const holder = await holderOf(visit, destination)
  const to = holder
    ? { ...destination, ...holder, resolved_account_name: holder.account_name }
    : destination
  return { lines: [html`It is paid at:<br>${destinationOf(to)}`, await coolsOff(visit)] }
}

const create: Action<
  'createBeneficiary',
  NoRecord,
  BeneficiaryForm & { label: string; own?: boolean }
> = {
  name: 'new',
  title: 'New beneficiary',
  confirm: 'Save the beneficiary',
  operation: 'createBeneficiary',
  needs: payingOut,
  start: (_doc, seen) => ({ to: workingKinds(seen)[0]?.[0] ?? 'ng' }),
  fields: async (seen, _doc, values) => [
    where(seen),
    label,
    ...(await destinationFields(seen, kindOf(values))),
    { name: 'own', label: 'It is an account of our own', kind: 'check' },
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
  done: 'The beneficiary is saved.',
}

const rename: Action<'updateBeneficiary', Beneficiary> = {
  name: 'rename',
  title: 'Rename',
  confirm: 'Save',
  operation: 'updateBeneficiary',
  fields: () => [label],
  start: (doc) => ({ label: doc.label }),
  done: 'The beneficiary has its new name.',
}

const move: Action<'updateBeneficiary', Beneficiary, BeneficiaryForm> = {
  name: 'change',
  title: 'Change where it is paid',
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
        'Payouts that are on their way still go to the old account.',
        ...(draft.doc.confirmed_at
          ? ['You will need to confirm again that this is your own account.']
          : []),
      ],
    }
  },
  about: aboutDestination,
  done: 'The beneficiary is paid there from now on, once it has cooled off.',
}

const confirm: Action<'confirmBeneficiary', Beneficiary> = {
  name: 'confirm',
  title: 'Confirm as our own',
  confirm: 'Confirm that it is ours',
  leads: true,
  operation: 'confirmBeneficiary',
  when: ({ own, confirmed_at }) => own && confirmed_at === null,
  fields: async () => [{ name: 'seen', label: '', kind: 'hidden' }],
  start: ({ updated_at }) => ({ seen: updated_at }),
  foresee: ({ doc }) => ({
    values: { seen: doc.updated_at },
    lines: [
      html`You say that this is an account of the business’s own:<br>${destinationOf(doc.destination)}`,
      'Standing payouts can go there then. Your name is kept with it.',
      'You need to have signed in with a second factor in the last 30 minutes.',
    ],
  }),
  done: 'The account is confirmed as your own.',
}

const remove: Action<'deleteBeneficiary', Beneficiary> = {
  name: 'delete',
  title: 'Delete',
  confirm: 'Delete the beneficiary',
  operation: 'deleteBeneficiary',
  danger: true,
  foresee: () => ({
    lines: [
      'No payout can name it any more.',
      'Payouts that were made for it stay as they are, and go on.',
    ],
  }),
  done: 'The beneficiary is deleted.',
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
    'A beneficiary is somebody you pay, saved: an account with the holder’s name as the bank knows it, or an address.',
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
    ['Holder, as the bank says', doc.verified_name && html`<bdi>${doc.verified_name}</bdi>`],
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
