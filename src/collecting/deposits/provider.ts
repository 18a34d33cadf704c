/**
 * Money that came to an account at a provider: whoever notices it, a webhook, a sweep or a timer,
 * the provider is asked about it, and what it says is booked once.
 */
import { BookedBefore } from '../../books/receipts/receipts.ts'
import type { App } from '../../core/app.ts'
import type { JobPayload, Task } from '../../core/module.ts'
import type { Ctx } from '../../core/outside.ts'
import { Refusal } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import {
  type ApplyResult,
  findOwner,
  type InboundApplier,
  type RecordOwner,
} from '../../platform/inbound/inbound.ts'
import { railOfAccount } from '../../rails/accounts/choice.ts'
import type { DepositState } from '../../rails/ports/bank-accounts.ts'
import type { About } from '../../rails/ports/inbound.ts'
import {
  type AccountRow,
  accountOfNumber,
  accountsOfCustomers,
  askPaidTask,
  askWhetherPaid,
  markSentBack,
  readAccount,
} from '../virtual-accounts/virtual-accounts.ts'
import { bookLooked, lookAt } from './deposits.ts'

type Named = About & { rail: string }
type Paid = Extract<DepositState, { state: 'paid' }>

/**
 * What a provider says of money. A rail that is not there, or does not answer, has said nothing.
 */
async function askDeposit(
  { rails, log }: Pick<App, 'rails' | 'log'>,
  livemode: boolean,
  { rail, reference, providerId }: Named,
): Promise<DepositState> {
  const ports = rails[livemode ? 'live' : 'test'].accounts[rail]?.ports
  const port = ports?.account ?? ports?.bank_transfer
  try {
    return (await port?.deposit?.({ reference, providerId })) ?? { state: 'unknown' }
  } catch (error) {
    log.error({ err: error, rail, reference }, 'a rail could not be asked about a deposit')
    return { state: 'unknown' }
  }
}

/** Books money that came to an account, once, as its provider says. */
async function book(ctx: Ctx, account: AccountRow, said: Paid): Promise<ApplyResult> {
  const wrong = differenceIn(account, said)
  if (wrong !== null) {
    ctx.log.error(
      { account: account.id, rail: account.rail, reference: said.reference, wrong },
      'nothing is booked',
    )
    return 'quarantined'
  }
  const { providerId: notice, amount, source, fee, availableAt } = said
  const receipt = {
    kind: account.kind === 'static' ? 'deposit' : 'charge',
    fee,
    availableAt,
  } as const
  const notification = { rail: account.rail, notice, amount, source, receipt }
  const seen = await lookAt(ctx, account, notification)
  try {
    await ctx.write((work) => bookLooked(work, account, notification, seen))
    return 'applied'
  } catch (error) {
    // The movement was booked as another.
    if (
      error instanceof BookedBefore ||
      (error instanceof Refusal && error.code === 'notice_reused')
    )
      return 'quarantined'
    throw error
  }
}

/** Why what came cannot be an account's; null: nothing speaks against it. */
function differenceIn(
  account: AccountRow,
  { kind, amount, currency, accountNumber }: Paid,
): string | null {
  if (kind !== account.kind) return 'another kind of account'
  if (currency !== account.currency) return 'another currency'
  // Its bank takes no other amount in.
  if (account.kind === 'dynamic' && amount !== account.amount) return 'another amount'
  if (
    account.kind === 'static' &&
    accountNumber !== null &&
    accountNumber !== account.account_number
  )
    return 'another account'
  return null
}

async function apply(ctx: Ctx, id: Id, about: Named): Promise<ApplyResult> {
  const account = await readAccount(ctx, id)
  if (account === null) return 'nothing_to_do'
  const said = await askDeposit(ctx, ctx.scope.livemode, about)
  switch (said.state) {
    case 'paid':
      return book(ctx, account, said)
    case 'impossible':
      return 'quarantined'
    case 'unknown':
      return 'again'
    default:
      return 'nothing_to_do'
  }
}

/** Whose account money came to that bears no reference of ours. */
async function findAccount(
  app: App,
  { livemode, ...about }: Named & { livemode: boolean },
): Promise<RecordOwner | 'again' | null> {
  const said = await askDeposit(app, livemode, about)
  if (said.state === 'unknown') return 'again'
  // What was asked for has a reference of ours.
  if (said.state !== 'paid' || said.kind !== 'static') return null
  if (said.accountNumber !== null) {
    const found = await accountOfNumber(app, livemode, about.rail, said.accountNumber)
    if (found) return found
  }
  const found = await accountsOfCustomers(app, livemode, about.rail, said.customers)
  return found.length === 1 ? (found[0] as RecordOwner) : null
}

/** Money that came to a customer's own account. */
export const depositApplier: InboundApplier = { apply, find: findAccount }

/** Money that came to a one-time account, which its reference names. */
export const oneTimeApplier: InboundApplier = { apply }

/** A transfer that a provider has sent back itself: its payer is told, and nothing else changes. */
export const sentBackApplier: InboundApplier = {
  async apply(ctx, id) {
    return (await ctx.write((work) => markSentBack(work, id))) ? 'applied' : 'nothing_to_do'
  },
  async find(app, { livemode, ...about }) {
    const said = await askDeposit(app, livemode, about)
    if (said.state === 'unknown') return 'again'
    return 'reference' in said
      ? findOwner(app, {
          ...about,
          livemode,
          kind: 'checkout',
          reference: said.reference,
          providerId: null,
        })
      : null
  },
}

/** Asks whether a one-time account was paid to. */
async function askPaid(ctx: Ctx, { account_id, step }: JobPayload): Promise<void> {
  const account = await readAccount(ctx, account_id as Id)
  if (account === null) return
  const reference = (await railOfAccount(ctx, account.rail).referenceOf?.(account.id)) ?? null
  const about = { kind: 'checkout', reference, providerId: null, rail: account.rail } as const
  const said = await askDeposit(ctx, ctx.scope.livemode, about)
  if (said.state === 'unknown')
    throw new Error(`${account.rail} does not say whether ${reference} was paid`)
  if (said.state === 'paid') await book(ctx, account, said)
  else await ctx.write((work) => askWhetherPaid(work, account, Number(step) + 1))
}

/** The jobs of accounts at providers. */
export const providerTasks: Record<string, Task> = { [askPaidTask]: askPaid }
