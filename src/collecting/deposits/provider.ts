/**
 * Deposits on accounts at providers. Whether a webhook, a sweep or a timer notices the money, the
 * provider is queried, and its answer is booked once.
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
  findAccountByNumber,
  findCustomerAccounts,
  markSentBack,
  queryPaidTask,
  readAccount,
  schedulePaidQuery,
} from '../virtual-accounts/virtual-accounts.ts'
import { assessDeposit, bookAssessed } from './deposits.ts'

type NamedDeposit = About & { rail: string }
type Paid = Extract<DepositState, { state: 'paid' }>

/** Queries a provider about a deposit. Returns `unknown` when the rail is missing or fails. */
async function queryDeposit(
  { rails, log }: Pick<App, 'rails' | 'log'>,
  livemode: boolean,
  { rail, reference, providerId }: NamedDeposit,
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

/** Books a deposit that a provider reports as paid, once. */
async function book(ctx: Ctx, account: AccountRow, answer: Paid): Promise<ApplyResult> {
  const wrong = findMismatch(account, answer)
  if (wrong !== null) {
    ctx.log.error(
      { account: account.id, rail: account.rail, reference: answer.reference, wrong },
      'a deposit does not match its account and is not booked',
    )
    return 'quarantined'
  }
  const { providerId: notice, amount, source, fee, availableAt } = answer
  const receipt = {
    kind: account.kind === 'static' ? 'deposit' : 'charge',
    fee,
    availableAt,
  } as const
  const notification = { rail: account.rail, notice, amount, source, receipt }
  const seen = await assessDeposit(ctx, account, notification)
  try {
    await ctx.write((work) => bookAssessed(work, account, notification, seen))
    return 'applied'
  } catch (error) {
    // Another record has booked the same movement.
    if (
      error instanceof BookedBefore ||
      (error instanceof Refusal && error.code === 'notice_reused')
    )
      return 'quarantined'
    throw error
  }
}

/** Returns why a deposit cannot belong to an account; null when it can. */
function findMismatch(
  account: AccountRow,
  { kind, amount, currency, accountNumber }: Paid,
): string | null {
  if (kind !== account.kind) return 'another kind of account'
  if (currency !== account.currency) return 'another currency'
  // The bank of a one-time account rejects any other amount.
  if (account.kind === 'dynamic' && amount !== account.amount) return 'another amount'
  if (
    account.kind === 'static' &&
    accountNumber !== null &&
    accountNumber !== account.account_number
  )
    return 'another account'
  return null
}

async function apply(ctx: Ctx, id: Id, about: NamedDeposit): Promise<ApplyResult> {
  const account = await readAccount(ctx, id)
  if (account === null) return 'nothing_to_do'
  const answer = await queryDeposit(ctx, ctx.scope.livemode, about)
  switch (answer.state) {
    case 'paid':
      return book(ctx, account, answer)
    case 'impossible':
      return 'quarantined'
    case 'unknown':
      return 'again'
    default:
      return 'nothing_to_do'
  }
}

/** Finds the account of a deposit without a reference of ours. */
async function findAccount(
  app: App,
  { livemode, ...about }: NamedDeposit & { livemode: boolean },
): Promise<RecordOwner | 'again' | null> {
  const answer = await queryDeposit(app, livemode, about)
  if (answer.state === 'unknown') return 'again'
  // A one-time account has a reference of ours.
  if (answer.state !== 'paid' || answer.kind !== 'static') return null
  if (answer.accountNumber !== null) {
    const found = await findAccountByNumber(app, livemode, about.rail, answer.accountNumber)
    if (found) return found
  }
  const found = await findCustomerAccounts(app, livemode, about.rail, answer.customers)
  return found.length === 1 ? (found[0] as RecordOwner) : null
}

/** Applies notifications about customers' permanent accounts. */
export const depositApplier: InboundApplier = { apply, find: findAccount }

/** Applies notifications about one-time accounts, by their reference. */
export const oneTimeApplier: InboundApplier = { apply }

/** Marks a transfer that the provider itself has sent back: only the payer's page changes. */
export const sentBackApplier: InboundApplier = {
  async apply(ctx, id) {
    return (await ctx.write((work) => markSentBack(work, id))) ? 'applied' : 'nothing_to_do'
  },
  async find(app, { livemode, ...about }) {
    const answer = await queryDeposit(app, livemode, about)
    if (answer.state === 'unknown') return 'again'
    return 'reference' in answer
      ? findOwner(app, {
          ...about,
          livemode,
          kind: 'checkout',
          reference: answer.reference,
          providerId: null,
        })
      : null
  },
}

/** Queries whether a one-time account has received its payment. */
async function queryOneTimeAccount(ctx: Ctx, { account_id, step }: JobPayload): Promise<void> {
  const account = await readAccount(ctx, account_id as Id)
  if (account === null) return
  const reference = (await railOfAccount(ctx, account.rail).referenceOf?.(account.id)) ?? null
  const about = { kind: 'checkout', reference, providerId: null, rail: account.rail } as const
  const answer = await queryDeposit(ctx, ctx.scope.livemode, about)
  if (answer.state === 'unknown')
    throw new Error(`${account.rail} did not answer whether ${reference} was paid`)
  if (answer.state === 'paid') await book(ctx, account, answer)
  else await ctx.write((work) => schedulePaidQuery(work, account, Number(step) + 1))
}

export const providerTasks: Record<string, Task> = { [queryPaidTask]: queryOneTimeAccount }
