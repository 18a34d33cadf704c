/**
 * Where money is to go, in forms: to a bank account in Nigeria or in the US, or to an address on a
 * blockchain.
 */
import type { AnswerOf, BodyOf } from '../../../core/operations.ts'
import type { Visit } from '../place.ts'
import { payingOut, workingOf } from '../readiness.ts'
import type { Destination } from '../related.ts'
import type { Field } from '../view/parts.ts'
import { bankOptions } from './banks.ts'

export type Kind = 'ng' | 'us' | 'crypto'
export const kinds: readonly (readonly [Kind, string])[] = [
  ['ng', 'Bank account in Nigeria'],
  ['us', 'Bank account in the US'],
  ['crypto', 'Blockchain address'],
]
/** The kinds that a rail pays out to. */
export const workingKinds = (seen: Visit): readonly (readonly [Kind, string])[] =>
  workingOf(kinds, payingOut(seen))
export const kindOf = ({ to }: { to?: string | undefined }): Kind =>
  (kinds.find(([kind]) => kind === to) ?? ['ng' as const])[0]

/** Returns the kind of a saved destination. */
export const kindOfKnown = ({ chain, country }: Destination): Kind =>
  chain ? 'crypto' : country === 'us' ? 'us' : 'ng'

/** A destination as the operations take it. */
export type DestinationIn = BodyOf<'createBeneficiary'>['destination']
export type PaidTo = Pick<BodyOf<'createBeneficiary'>, 'method' | 'destination'>

/** Returns the method and the destination of a form, as the API takes them. */
export const paidTo = (kind: Kind, destination: DestinationIn): PaidTo => ({
  method: kind === 'crypto' ? 'crypto' : 'bank_transfer',
  destination: kind === 'crypto' ? destination : { country: kind, ...destination },
})

/** Refusals that are about a field of a destination. */
export const aboutDestination: Readonly<Record<string, string>> = {
  account_not_found: 'destination.account_number',
  invalid_destination: 'destination.account_number',
  unknown_bank: 'destination.bank_code',
  unsupported_chain: 'destination.chain',
  invalid_address: 'destination.address',
}

/** Looks up who holds an account in Nigeria. Returns null for other destinations. */
export async function holderOf(
  { api }: Visit,
  { country, bank_code = '', account_number = '' }: DestinationIn,
): Promise<AnswerOf<'resolveAccount'> | null> {
  if (country !== 'ng') return null
  return api.resolveAccount({ params: { country }, query: { bank_code, account_number } })
}

export async function destinationFields(seen: Visit, kind: Kind): Promise<Field[]> {
  const number: Field = {
    name: 'destination.account_number',
    label: 'Account number',
    kind: 'text',
    required: true,
    maxLength: 17,
  }
  if (kind === 'ng')
    return [
      {
        name: 'destination.bank_code',
        label: 'Bank',
        kind: 'select',
        required: true,
        options: await bankOptions(seen, 'ng'),
      },
      { ...number, hint: 'Ten digits. You see the holder’s name before you confirm.' },
    ]
  if (kind === 'us')
    return [
      {
        name: 'destination.routing_number',
        label: 'Routing number',
        kind: 'text',
        required: true,
        maxLength: 9,
      },
      number,
      {
        name: 'destination.account_name',
        label: 'Account holder',
        kind: 'text',
        required: true,
        maxLength: 140,
      },
      {
        name: 'destination.account_type',
        label: 'Account type',
        kind: 'select',
        required: true,
        options: [
          ['checking', 'Checking'],
          ['savings', 'Savings'],
        ],
      },
    ]
  const tokens = await seen.api.listCryptoTokens()
  const networks = new Map<string, string>(
    tokens.flatMap(({ networks }) => networks.map((one): [string, string] => [one.id, one.name])),
  )
  return [
    {
      name: 'destination.currency',
      label: 'Stablecoin',
      kind: 'select',
      required: true,
      options: tokens.map(({ currency, name }) => [currency, name]),
    },
    {
      name: 'destination.chain',
      label: 'Network',
      kind: 'select',
      required: true,
      options: [...networks],
    },
    { name: 'destination.address', label: 'Address', kind: 'text', required: true, maxLength: 42 },
  ]
}
