/**
 * Whether a form can work on this server as it is set up. The answers come from the functions that
 * refuse the operation later, so a form and the API never disagree.
 */
import { findIdentityRail } from '../../collecting/customers/customers.ts'
import { availableMethods, type PaymentMethod } from '../../collecting/payments/payments.ts'
import type { Ctx } from '../../core/outside.ts'
import { Refusal } from '../../lib/errors.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { walletCurrencies } from '../../lib/money.ts'
import { assertConvertible } from '../../paying-out/conversions/conversions.ts'
import { assertCanMail } from '../../platform/mail/mail.ts'
import { accountFor, addressTerms, payoutTerms } from '../../rails/accounts/choice.ts'
import type { Visit } from './place.ts'
import { notice } from './view/parts.ts'
import { en } from './view/strings.ts'

/** One way that a form can go, such as a currency. `why`: why it cannot; null if it can. */
export type Way = { way: string; why: string | null }

/** What a form needs of the server. `docs`: the page that says how to set it up. */
export type Needs = { ways: readonly Way[]; docs: string }

/** Refusals that are about how the server is set up, and not about what was typed. */
const codes = ['rail_not_configured', 'smtp_not_configured', 'rate_unavailable']

/** Returns why a check refuses, if that is for want of a part of the server; else null. */
export function whyNotReady(check: () => unknown): string | null {
  try {
    check()
    return null
  } catch (error) {
    if (error instanceof Refusal && codes.includes(error.code)) return error.message
    throw error
  }
}

const way = (name: string, check: () => unknown): Way => ({ way: name, why: whyNotReady(check) })

const rails = '/docs/live#what-needs-a-rail'

/** By currency: whether payers can pay in it. */
export const collecting = ({ ctx }: { ctx: Ctx }): Needs => ({
  ways: walletCurrencies.map((one) => way(one, () => availableMethods(ctx, one))),
  docs: rails,
})

/** Whether payers can pay in one currency. */
export const collectingIn = ({ ctx }: { ctx: Ctx }, currency: string): Needs => ({
  // An invoice in euros is paid in dollars.
  ways: collecting({ ctx }).ways.filter(
    (one) => one.way === (currency === 'eur' ? 'usd' : currency),
  ),
  docs: rails,
})

/** Returns the methods by which payers can pay in any currency. */
export const methodsThere = ({ ctx }: { ctx: Ctx }): ReadonlySet<PaymentMethod> =>
  new Set(
    walletCurrencies.flatMap((one) =>
      whyNotReady(() => availableMethods(ctx, one)) === null ? availableMethods(ctx, one) : [],
    ),
  )

/** By currency: whether a bank opens accounts. */
export const openingAccounts = ({ ctx }: { ctx: Ctx }): Needs => ({
  ways: walletCurrencies.map((one) => way(one, () => accountFor(ctx, 'account', one))),
  docs: rails,
})

/** Whether there are addresses for stablecoins. */
export const openingWallets = ({ ctx }: { ctx: Ctx }): Needs => ({
  ways: [way('crypto', () => addressTerms(ctx))],
  docs: '/docs/stablecoins',
})

/** By kind of destination: whether a rail pays out there. */
export function payingOut({ ctx }: { ctx: Ctx }): Needs {
  const chains = ctx.networks.flatMap(({ id, tokens }) =>
    Object.keys(tokens).map((currency) => ({ currency, chain: id })),
  )
  const onChains = chains.map((to) => whyNotReady(() => payoutTerms(ctx, to)))
  const noChain = whyNotReady(() => payoutTerms(ctx, { currency: 'usdc' }))
  return {
    ways: [
      way('ng', () => payoutTerms(ctx, { currency: 'ngn' })),
      way('us', () => payoutTerms(ctx, { currency: 'usd' })),
      { way: 'crypto', why: onChains.includes(null) ? null : noChain },
    ],
    docs: rails,
  }
}

/** By type: whether anyone verifies a document. */
export const verifying = ({ ctx }: { ctx: Ctx }, types: readonly string[]): Needs => ({
  ways: types.map((type) => way(type, () => findIdentityRail(ctx, type))),
  docs: '/docs/live#who-a-customer-is',
})

/** Whether mail leaves this server. */
export const mailing = ({ ctx }: { ctx: Ctx }): Needs => ({
  ways: [way('mail', () => assertCanMail(ctx))],
  docs: '/docs/configuration',
})

/** By the wallet that money leaves: whether there is a rate to the other. */
export const converting = ({ ctx }: { ctx: Ctx }): Needs => ({
  ways: walletCurrencies.map((from) =>
    way(from, () => assertConvertible(ctx, from, from === 'ngn' ? 'usd' : 'ngn')),
  ),
  docs: '/docs/pricing',
})

/** Whether the form cannot work at all. */
export const isBlocked = ({ ways }: Needs): boolean => ways.every(({ why }) => why !== null)

/** Returns the choices that work: a way that is not named is not asked about. */
export const workingOf = <Option extends readonly [string, string]>(
  options: readonly Option[],
  { ways }: Needs,
): readonly Option[] =>
  options.filter(([value]) => !ways.some(({ way, why }) => way === value && why !== null))

/** Says what of a form cannot work, before anything is filled in. */
export function unreadyNotice(needs: Needs | undefined): Html | null {
  const reasons = [...new Set((needs?.ways ?? []).flatMap(({ why }) => why ?? []))]
  if (needs === undefined || reasons.length === 0) return null
  const blocked = isBlocked(needs)
  const says: Part = blocked && html`<strong>${en.unready.title}</strong><br>`
  return notice(
    blocked ? 'warn' : 'info',
    html`${says}${reasons.map((reason) => html`${reason}<br>`)}${en.unready.todo} <a href="${needs.docs}">${en.unready.docs}</a>`,
  )
}

/** The needs of an action at a visit; undefined for actions that need nothing. */
export type NeedsOf<Shown> = (seen: Visit, doc: Shown) => Needs
