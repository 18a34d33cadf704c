/**
 * The banks that payouts can name.
 */
import type { ListedBank } from '../../rails/ports/routes.ts'
import type { Bank, BankType } from './bank.ts'
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
 * Some banks of the US, by name. Any well-formed routing number can be paid to; these are the ones
 * that are shown with a name. The numbers are those the banks publish, one of several each.
 * `110000000` belongs to test modes.
 */
export const usBanks: readonly Bank[] = [
  american('026009593', 'Bank of America'),
  american('111000025', 'Bank of America, Texas'),
  american('021000089', 'Citibank'),
  american('021000021', 'JPMorgan Chase'),
  american('110000000', 'Sandbox Bank'),
  american('121000248', 'Wells Fargo'),
]

/** The kind of a bank that only its provider's list has, as its name says. */
const kinds: readonly (readonly [RegExp, BankType])[] = [
  [/micro ?finance|\bmfb\b/i, 'microfinance'],
  [/mortgage|savings (and|&) loans/i, 'mortgage'],
  [/\bpsb\b|payment service/i, 'payment_service_bank'],
  [/merchant/i, 'merchant'],
  [/financ/i, 'finance_company'],
  [/\bbank\b/i, 'commercial'],
]
const kindOf = (name: string): BankType =>
  kinds.find(([pattern]) => pattern.test(name))?.[1] ?? 'fintech'

type Listed = { all: readonly Bank[]; byCode: ReadonlyMap<string, Bank> }

const indexed = (all: readonly Bank[]): Listed => ({
  all,
  byCode: new Map(all.map((bank) => [bank.code, bank])),
})
const builtIn = { ng: indexed(nigerianBanks), us: indexed(usBanks) }
const merged = new WeakMap<readonly ListedBank[], Listed>()

/**
 * The built-in list with what a provider lists laid over it: it adds banks, renames them, and hides
 * those that take no money now.
 */
function withListed(listed: readonly ListedBank[]): Listed {
  if (listed.length === 0) return builtIn.ng
  let found = merged.get(listed)
  if (!found) {
    const banks = new Map(builtIn.ng.byCode)
    for (const { code, name, nipCode, usable } of listed) {
      const known = banks.get(code)
      if (!usable) banks.delete(code)
      else if (known) banks.set(code, { ...known, name, nip_code: nipCode ?? known.nip_code })
      else
        banks.set(code, {
          code,
          name,
          type: kindOf(name),
          currency: 'ngn',
          nip_code: nipCode,
          nuban_institution: null,
        })
    }
    found = indexed([...banks.values()].sort((a, b) => a.name.localeCompare(b.name, 'en')))
    merged.set(listed, found)
  }
  return found
}

const listFor = (country: 'ng' | 'us', listed: readonly ListedBank[]): Listed =>
  country === 'us' ? builtIn.us : withListed(listed)

/**
 * The banks of a country, by name: those that are built in, with what a provider lists laid over
 * them.
 */
export const banksOf = (
  country: 'ng' | 'us',
  listed: readonly ListedBank[] = [],
): readonly Bank[] => listFor(country, listed).all

/** A bank by its code (in the US, its routing number), or null. */
export const bankByCode = (
  country: 'ng' | 'us',
  code: string,
  listed: readonly ListedBank[] = [],
): Bank | null => listFor(country, listed).byCode.get(code) ?? null
