/**
 * The banks that payouts can name.
 */
import type { Bank } from './bank.ts'
import { nigerianBanks } from './banks.ng.ts'

export type { Bank } from './bank.ts'

const american = (code: string, name: string): Bank => ({
  code,
  name,
  type: 'commercial',
  currency: 'usd',
  nip_code: null,
  nuban_institution: null,
})

/**
 * Some banks of the US, by name. Any well-formed routing number can be paid to; these are the ones that are shown with
 * a name. The numbers are those the banks publish, one of several each. `110000000` belongs to test modes.
 */
export const usBanks: readonly Bank[] = [
  american('026009593', 'Bank of America'),
  american('111000025', 'Bank of America, Texas'),
  american('021000089', 'Citibank'),
  american('021000021', 'JPMorgan Chase'),
  american('110000000', 'Sandbox Bank'),
  american('121000248', 'Wells Fargo'),
]

const lists: Record<'ng' | 'us', readonly Bank[]> = { ng: nigerianBanks, us: usBanks }

/** The banks of a country, by name. */
export function banksOf(country: 'ng' | 'us'): readonly Bank[] {
  return lists[country]
}

/** A bank by its code (in the US, its routing number), or null. */
export function bankByCode(country: 'ng' | 'us', code: string): Bank | null {
  return lists[country].find((bank) => bank.code === code) ?? null
}
