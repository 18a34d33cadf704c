import * as s from '../../lib/schema.ts'
import {
  DestinationIn,
  DestinationOut,
  payoutMethods,
} from '../../platform/destinations/destinations.ts'

export const beneficiaryStatuses = s.Named('BeneficiaryStatus', ['cooling_off', 'active'])

const label = s.Line(1, 140, {
  description: 'A name for your own use.',
  examples: ['Okafor Supplies'],
})
const method = s.OneOf(payoutMethods, { description: 'By what means it is paid.' })
const own =
  'Whether it is an account of your own, as standing payouts need. A person of your team then has to confirm it, signed in with a second factor.'

export const BeneficiaryIn = s.Body({
  label,
  method,
  destination: DestinationIn,
  own: s.Type.Optional(s.Type.Boolean({ description: `${own} Default \`false\`.` })),
  metadata: s.Type.Optional(s.MetadataIn),
})

export const BeneficiaryUpdate = s.Body({
  label: s.Type.Optional(label),
  method: s.Type.Optional(method),
  destination: s.Type.Optional(DestinationIn),
  metadata: s.Type.Optional(s.MetadataIn),
})

export const ConfirmationIn = s.Body({
  seen: s.Type.String({
    maxLength: 40,
    description: 'The `updated_at` of the beneficiary that the person has seen.',
  }),
})

export const BeneficiaryRecord = s.RecordOf('Beneficiary', 'Where you pay to, saved.', {
  label,
  method,
  destination: DestinationOut,
  verified_name: s.Nullable(
    s.Type.String({
      description:
        'The holder as the bank knows it; null where no bank says, or it did not answer.',
    }),
  ),
  own: s.Type.Boolean({ description: own }),
  confirmed_at: s.Nullable(s.Timestamp('When a person confirmed that it is your own.')),
  confirmed_by: s.Nullable(s.IdText('Who did.')),
  status: s.OneOf(beneficiaryStatuses, {
    description:
      '`cooling_off`: it is new, or its destination was changed, and payouts cannot name it yet.',
  }),
  usable_from: s.Timestamp('When payouts can name it.'),
  warnings: s.Warnings,
})

export const BeneficiaryQuery = s.Body({
  ...s.pageQuery,
  status: s.Type.Optional(s.OneOf(beneficiaryStatuses, { description: 'Only this status.' })),
  method: s.Type.Optional(s.OneOf(payoutMethods, { description: 'Only this means.' })),
  own: s.Type.Optional(
    s.Type.Boolean({ description: 'Only accounts of your own, or only others.' }),
  ),
  search: s.searchQuery(
    'Only those with this text in their `label` or in the name of the holder, or with it as their account number, address or `id`.',
    'okafor',
  ),
})

export const BeneficiaryParams = s.Body({ id: s.Type.String({ description: 'The beneficiary.' }) })

/** Columns of the list's export. */
export const exported = {
  id: 'text',
  created_at: 'time',
  label: 'text',
  status: 'text',
  usable_from: 'time',
  method: 'text',
  verified_name: 'text',
  'destination.country': 'text',
  'destination.bank_code': 'text',
  'destination.bank_name': 'text',
  'destination.routing_number': 'text',
  'destination.account_number': 'text',
  'destination.account_name': 'text',
  'destination.currency': 'text',
  'destination.chain': 'text',
  'destination.address': 'text',
  own: 'text',
  confirmed_at: 'time',
} as const
