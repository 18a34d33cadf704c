/**
 * Destinations: from the integrator's fields to the rail's. Method and country determine the shape;
 * fields of other shapes are refused by name, like unknown fields.
 */

import type { View } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import type { PayoutMethod } from '../../core/pricing.ts'
import { refuseInput, type ValidationIssue } from '../../lib/errors.ts'
import type { CryptoCurrency, Currency } from '../../lib/money.ts'
import type { Warning } from '../../lib/schema.ts'
import { isServed } from '../../rails/accounts/choice.ts'
import type { Destination, HolderAddress, NameLookup } from '../../rails/ports/rail.ts'
import { isAbaRouting } from '../../rails/reference/bank-numbers.ts'
import { isChecksumAddress } from '../../rails/reference/eip55.ts'
import { findNetwork, isTokenContract } from '../../rails/reference/networks.ts'
import { wordsOfName } from '../../rails/reference/person-names.ts'
import { askHolder, findBank } from '../lookups/lookups.ts'
import { refuse } from './refusals.ts'
import type { DestinationInput } from './schema.ts'

export { destinationRefusals, payingCodes, readingCodes } from './refusals.ts'

export {
  DestinationIn,
  type DestinationInput,
  DestinationOut,
  payoutMethods,
  QuoteDestinationIn,
} from './schema.ts'

/** A destination as stored. */
export type StoredDestination = {
  currency: Exclude<Currency, 'eur'>
  chain?: string
  address?: string
  contract_address?: string
  country?: 'ng' | 'us'
  bank_code?: string
  bank_name?: string
  routing_number?: string
  account_number?: string
  account_name?: string
  account_type?: 'checking' | 'savings'
  holder_address?: HolderAddress
  resolved_account_name?: string
}

type Field = keyof DestinationInput
type Shape = { needed: Field[]; neededToPay: Field[]; optional: Field[] }

const shapes: Record<'crypto' | 'ng' | 'us', Shape> = {
  crypto: { needed: ['currency', 'chain'], neededToPay: ['address'], optional: [] },
  ng: {
    needed: [],
    neededToPay: ['bank_code', 'account_number'],
    optional: ['country', 'account_name', 'currency'],
  },
  us: {
    needed: ['country'],
    neededToPay: ['routing_number', 'account_number', 'account_name', 'account_type'],
    optional: ['currency', 'holder_address'],
  },
}

/**
 * Validates a destination for its method, and returns it in its stored form.
 * @param complete whether every field needed to pay must exist (a payout), or not (a quote)
 * @throws {Refusal} `validation_failed` for missing or foreign fields; `currency_mismatch`,
 * `unsupported_chain`, `invalid_address`, `unknown_bank`, `invalid_destination`
 */
export function readDestination(
  view: View,
  method: PayoutMethod,
  input: DestinationInput,
  complete: boolean,
): StoredDestination {
  const kind = method === 'crypto' ? 'crypto' : (input.country ?? 'ng')
  checkShape(kind, input, complete)
  if (kind === 'crypto') return readCrypto(view, input)
  const currency = kind === 'ng' ? 'ngn' : 'usd'
  if (input.currency !== undefined && input.currency !== currency)
    refuse(
      'currency_mismatch',
      `A bank account in '${kind}' receives ${currency}, not ${input.currency}.`,
    )
  return kind === 'ng' ? readNigerianBank(view, input) : readAmericanBank(view, input)
}

function checkShape(kind: keyof typeof shapes, input: DestinationInput, complete: boolean): void {
  const { needed, neededToPay, optional } = shapes[kind]
  const issues: ValidationIssue[] = []
  for (const field of complete ? [...needed, ...neededToPay] : needed)
    if (input[field] === undefined)
      issues.push({
        path: `destination.${field}`,
        message: `destination.${field} is required`,
        location: 'body',
      })
  const known = new Set<string>([...needed, ...neededToPay, ...optional])
  const name = kind === 'crypto' ? 'a crypto destination' : `a bank destination in '${kind}'`
  for (const field of Object.keys(input))
    if (!known.has(field))
      issues.push({
        path: `destination.${field}`,
        message: `destination.${field} does not belong to ${name}`,
        location: 'body',
      })
  if (issues.length > 0) refuseInput(issues)
}

function readCrypto(
  { scope, networks }: View,
  { currency, chain, address }: DestinationInput,
): StoredDestination {
  if (currency !== 'usdc' && currency !== 'usdt')
    refuse('currency_mismatch', `A crypto destination receives usdc or usdt, not ${currency}.`)
  const found = findNetwork(networks, currency, chain as string, scope.livemode)
  if (!found)
    refuse(
      'unsupported_chain',
      `${currency} is not paid out on '${chain}'. GET /crypto/tokens lists its networks.`,
    )
  if (address !== undefined && !isChecksumAddress(address))
    refuse(
      'invalid_address',
      `${address} fails its EIP-55 checksum: copy the address with its capitals, and check it.`,
    )
  // Money sent to either is lost: the zero address has no owner, and a token's contract returns
  // nothing.
  if (
    address !== undefined &&
    (/^0x0{40}$/.test(address) || isTokenContract(networks, found.network.id, address))
  )
    refuse('invalid_destination', `${address} is not an address that can receive money.`)
  return {
    currency,
    chain: found.network.id,
    ...(address === undefined ? {} : { address }),
    contract_address: found.token.contract_address,
  }
}

function readNigerianBank(
  view: View,
  { bank_code, account_number, account_name }: DestinationInput,
): StoredDestination {
  const bank = bank_code === undefined ? null : findBank(view, 'ng', bank_code)
  if (bank_code !== undefined && !bank)
    refuse(
      'unknown_bank',
      `No bank has the code '${bank_code}'. GET /misc/ng/banks lists the codes.`,
    )
  if (account_number !== undefined && account_number.length !== 10)
    refuse('invalid_destination', 'A Nigerian account number has ten digits.')
  return {
    currency: 'ngn',
    country: 'ng',
    ...(bank ? { bank_code: bank.code, bank_name: bank.name } : {}),
    ...(account_number === undefined ? {} : { account_number }),
    ...(account_name === undefined ? {} : { account_name }),
  }
}

function readAmericanBank(view: View, input: DestinationInput): StoredDestination {
  const { routing_number, account_number, account_name, account_type, holder_address } = input
  if (routing_number !== undefined && !isAbaRouting(routing_number))
    refuse(
      'invalid_destination',
      `${routing_number} is not an ABA routing number: its check digit is wrong.`,
    )
  const bank = routing_number === undefined ? null : findBank(view, 'us', routing_number)
  return {
    currency: 'usd',
    country: 'us',
    ...(routing_number === undefined ? {} : { routing_number }),
    ...(bank ? { bank_name: bank.name } : {}),
    ...(account_number === undefined ? {} : { account_number }),
    ...(account_name === undefined ? {} : { account_name }),
    ...(account_type === undefined ? {} : { account_type }),
    ...(holder_address === undefined ? {} : { holder_address }),
  }
}

/**
 * Queries the bank for the account's holder. A different name is a warning, not a refusal, because
 * names have many spellings.
 * @throws {Refusal} `account_not_found` when the bank does not know the account
 */
export async function resolveHolder(
  ctx: Ctx,
  destination: StoredDestination,
): Promise<{ destination: StoredDestination; warnings: Warning[] }> {
  const { country, bank_code, account_number, account_name } = destination
  if (country !== 'ng' || bank_code === undefined || account_number === undefined)
    return { destination, warnings: [] }
  // A server with a rail to pay but none for lookups can still pay.
  const answer: NameLookup = isServed(ctx, 'lookup', 'ngn')
    ? await askHolder(ctx, bank_code, account_number)
    : { found: 'unavailable' }
  if (answer.found === 'unavailable')
    return {
      destination,
      warnings: [
        { code: 'name_lookup_unavailable', message: 'The bank did not say who holds the account.' },
      ],
    }
  if (!answer.found)
    refuse('account_not_found', `${destination.bank_name} knows no account ${account_number}.`)
  const warnings: Warning[] = []
  if (account_name !== undefined && sortedWords(account_name) !== sortedWords(answer.accountName))
    warnings.push({
      code: 'account_name_mismatch',
      message: `The bank knows the holder as '${answer.accountName}', you sent '${account_name}'.`,
    })
  return { destination: { ...destination, resolved_account_name: answer.accountName }, warnings }
}

/** Names are compared by their words, in any order. */
const sortedWords = (name: string): string => wordsOfName(name).sort().join(' ')

/** Converts a destination for the rail. Only for complete destinations. */
export function toRailDestination(stored: StoredDestination): Destination {
  if (stored.chain !== undefined)
    return {
      type: 'crypto',
      currency: stored.currency as CryptoCurrency,
      chain: stored.chain,
      address: stored.address as string,
      contract_address: stored.contract_address as string,
    }
  if (stored.country === 'us')
    return {
      type: 'us_bank',
      routing_number: stored.routing_number as string,
      account_number: stored.account_number as string,
      account_name: stored.account_name as string,
      account_type: stored.account_type as 'checking' | 'savings',
      holder_address: stored.holder_address ?? null,
    }
  return {
    type: 'ng_bank',
    bank_code: stored.bank_code as string,
    account_number: stored.account_number as string,
    account_name: stored.resolved_account_name ?? stored.account_name ?? null,
  }
}

/** Describes a destination briefly, for the operator's staff. */
export function describeDestination(to: StoredDestination): string {
  const { chain, bank_code, routing_number, address, account_number } = to
  return `${chain ?? bank_code ?? routing_number} ${address ?? account_number}`
}
