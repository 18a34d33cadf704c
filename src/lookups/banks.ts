/**
 * The banks that payouts can name.
 */
import { nigerianBanks } from './banks.ng.ts'

export type BankType =
  | 'commercial'
  | 'merchant'
  | 'payment_service_bank'
  | 'mortgage'
  | 'microfinance'
  | 'finance_company'
  | 'fintech'

export type Bank = {
  /** What a destination names: the bank code in Nigeria, the routing number in the US. */
  code: string
  name: string
  type: BankType
  currency: 'ngn' | 'usd'
  nip_code: string | null
  nuban_institution: string | null
}

const american = (code: string, name: string): Bank => ({
  code,
  name,
  type: 'commercial',
  currency: 'usd',
  nip_code: null,
  nuban_institution: null,
})

const lists: Record<'ng' | 'us', readonly Bank[]> = {
  ng: nigerianBanks.map(([code, name, type, nip_code, nuban_institution]) => ({
    code,
    name,
    type,
    currency: 'ngn',
    nip_code,
    nuban_institution,
  })),
  // Any valid routing number can be paid to; these are the ones with a name.
  us: [
    american('026009593', 'Bank of America'),
    american('111000025', 'Bank of America, Texas'),
    american('021000089', 'Citibank'),
    american('021000021', 'JPMorgan Chase'),
    american('110000000', 'Sandbox Bank'),
    american('121000248', 'Wells Fargo'),
  ],
}

const byCode = {
  ng: new Map(lists.ng.map((bank) => [bank.code, bank])),
  us: new Map(lists.us.map((bank) => [bank.code, bank])),
}

/** The banks of a country, by name. */
export function banksOf(country: 'ng' | 'us'): readonly Bank[] {
  return lists[country]
}

/** A bank by its code, or null. */
export function bankByCode(country: 'ng' | 'us', code: string): Bank | null {
  return byCode[country].get(code) ?? null
}
