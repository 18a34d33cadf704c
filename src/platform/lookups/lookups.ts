/**
 * What can be looked up before money moves: the banks of a country, and who holds an account.
 */

import type { Ctx } from '../../core/outside.ts'
import { DeadlineError } from '../../lib/deadline.ts'
import type { Static } from '../../lib/schema.ts'
import {
  listedBanks,
  railsFor,
  type WithRails,
  type WithTerms,
} from '../../rails/accounts/choice.ts'
import type { LookupRail, NameLookup } from '../../rails/ports/rail.ts'
import { type Bank, bankByCode, banksOf } from './banks.ts'
import { refuse } from './refusals.ts'
import type { ResolvedAccount } from './schema.ts'

export { lookupRefusals } from './refusals.ts'
export { bankCountries } from './schema.ts'

type Country = 'ng' | 'us'

/** @throws {Refusal} `not_found` for a country that is not served */
function readCountry(text: string): Country {
  const country = text.toLowerCase()
  if (country !== 'ng' && country !== 'us')
    refuse('not_found', `There is no bank list of '${country}'; there are ng and us.`)
  return country
}

/** The banks of a country, by name. @throws {Refusal} `not_found` */
export function listBanks(view: WithTerms, country: string): readonly Bank[] {
  return banksOf(readCountry(country), listedBanks(view, 'ngn'))
}

/**
 * A bank by its code (in the US, its routing number), or null: of those that money of the mode can
 * go to.
 */
export function findBank(view: WithTerms, country: Country, code: string): Bank | null {
  return bankByCode(country, code, listedBanks(view, 'ngn'))
}

/**
 * A Nigerian bank by its name, whatever the case, or null: rails name who paid by the name of their
 * bank.
 */
export function findBankByName(name: string): Bank | null {
  const wanted = name.trim().toLowerCase()
  return banksOf('ng').find((bank) => bank.name.toLowerCase() === wanted) ?? null
}

/**
 * Asks who holds a Nigerian account: one rail after the other, until one knows. A bank that does
 * not answer in time, or that cannot be asked, is unavailable.
 * @throws {Refusal} `rail_not_configured`
 */
export async function askHolder(
  ctx: WithRails & Pick<Ctx, 'log'>,
  bankCode: string,
  accountNumber: string,
): Promise<NameLookup> {
  for (const rail of railsFor(ctx, 'lookup', 'ngn')) {
    const answer = await askOne(ctx, rail, bankCode, accountNumber)
    if (answer.found !== 'unavailable') return answer
  }
  return { found: 'unavailable' }
}

async function askOne(
  { log }: Pick<Ctx, 'log'>,
  rail: LookupRail,
  bankCode: string,
  accountNumber: string,
): Promise<NameLookup> {
  try {
    return await rail.lookup(bankCode, accountNumber)
  } catch (error) {
    // Nothing hangs on a name, so nothing fails for want of it.
    if (!(error instanceof DeadlineError))
      log.error({ err: error, rail: rail.name, bank: bankCode }, 'a name lookup failed')
    return { found: 'unavailable' }
  }
}

/**
 * Asks the bank who holds an account.
 * @throws {Refusal} `not_found` for the country, `unsupported_country` where banks have no name
 * lookup, `unknown_bank`,
 *   `account_not_found`, `bank_lookup_unavailable`, `rail_not_configured`
 */
export async function resolveAccount(
  ctx: Ctx,
  country: string,
  { bank_code, account_number }: { bank_code: string; account_number: string },
): Promise<Static<typeof ResolvedAccount>> {
  if (readCountry(country) === 'us')
    refuse('unsupported_country', 'Banks in the US do not tell who holds an account.')
  const bank = findBank(ctx, 'ng', bank_code)
  if (!bank)
    refuse(
      'unknown_bank',
      `No bank has the code '${bank_code}'. GET /misc/ng/banks lists the codes.`,
    )
  if (account_number.length !== 10)
    refuse('account_not_found', 'A Nigerian account number has ten digits.')
  const answer = await askHolder(ctx, bank_code, account_number)
  if (answer.found === 'unavailable')
    refuse(
      'bank_lookup_unavailable',
      `${bank.name} does not answer at the moment. Try again later.`,
    )
  if (!answer.found) refuse('account_not_found', `${bank.name} knows no account ${account_number}.`)
  return { account_number, account_name: answer.accountName, bank_code, bank_name: bank.name }
}
