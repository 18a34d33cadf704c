/**
 * The command that sends money back which nobody claims.
 */
import type { Command } from 'commander'
import { operator } from '../../books/ledger/ledger.ts'
import {
  findReturn,
  queryReturn,
  type Return,
  startReturn,
} from '../../collecting/returns/returns.ts'
import type { App } from '../../core/app.ts'
import { outside, scopeOf } from '../../core/outside.ts'
import { toJson } from '../../lib/json.ts'
import { modeOf } from '../../lib/mode.ts'
import { formatMoney } from '../../lib/money.ts'
import { findReconcilable, hasRecord } from '../../platform/reconciliation/reconciliation.ts'
import { heldObstruction, outgoingOf } from '../../rails/records/outgoing.ts'
import type { CommandContext } from './context.ts'
import { UserError } from './terminal.ts'
import { readName } from './texts.ts'

type Options = { by: string; mode: string; json?: boolean }

/** Adds `bursar rails return`. */
export function addReturnCommand(rails: Command, { withApp, print }: CommandContext): void {
  rails
    .command('return')
    .description('return an unclaimed payment at a provider to its payer')
    .argument('<name>', 'the account’s name')
    .argument('<payment>', 'the provider’s id of the payment')
    .requiredOption('--by <name>', 'your name, for the record')
    .option('--mode <mode>', 'live or test', 'live')
    .option('--json', 'print JSON')
    .action((name: string, payment: string, { by, mode, json }: Options) =>
      withApp(async (app) => {
        if (mode !== 'live' && mode !== 'test') throw new UserError('--mode must be live or test.')
        const who = readName('--by', by, 200)
        const returned = await returnPayment(app, {
          livemode: mode === 'live',
          name,
          payment,
          by: who,
        })
        if (json) print(toJson(returned))
        else for (const line of linesOf(returned)) print(line)
        if (returned.status === 'failed') process.exitCode = 1
      }),
    )
}

type Asked = { livemode: boolean; name: string; payment: string; by: string }

/**
 * Starts it, and asks for it at once. What is not over then, the servers that run see to. @throws
 * {UserError}
 */
async function returnPayment(app: App, { livemode, name, payment, by }: Asked): Promise<Return> {
  const account = findReconcilable(app, livemode, name)
  if (account === null || !app.rails[modeOf(livemode)].accounts[name]?.refunds)
    throw new UserError(
      `RAILS_FILE has no ${modeOf(livemode)} account '${name}' that gives payments back.`,
    )
  const outgoing = await outgoingOf(app.db)
  if (outgoing.heldAt !== null)
    throw new UserError(`Not sent: ${heldObstruction(outgoing).sentence}.`)
  const found = await account.statement.payment(payment).catch((error: Error) => {
    throw new UserError(`${error.message}. Nothing was sent.`)
  })
  if (found?.movement.state !== 'done')
    throw new UserError(`${name} has no payment '${payment}' that was paid.`)
  const { providerId, reference, amount, fee } = found.movement
  // What is back belongs to nobody any more, and is not asked about.
  if (!found.givenBack && (await hasRecord(app, account, found.movement)))
    throw new UserError(
      `A record here waits for '${providerId}': \`bursar rails reconcile ${name}\` asks about it. Nothing was sent.`,
    )
  const ctx = outside(app, await scopeOf(app, operator, livemode))
  const started = await startReturn(ctx, {
    rail: name,
    providerId,
    reference,
    currency: found.currency,
    amount,
    fee,
    by,
    givenBack: found.givenBack,
  })
  if (typeof started === 'string')
    throw new UserError(`${refusals[started](providerId)} Nothing was sent.`)
  await queryReturn(ctx, started.id, true).catch((error: unknown) =>
    app.log.warn({ err: error, return: started.id }, 'a return could not be sent yet'),
  )
  return (await findReturn(ctx, started.id)) as Return
}

const refusals = {
  given_back: (payment: string) => `The payment '${payment}' was given back there already.`,
  booked: (payment: string) => `The payment '${payment}' is booked already: it is a business’s.`,
  initiated: (payment: string) => `The payment '${payment}' is on its way back already.`,
  completed: (payment: string) => `The payment '${payment}' is back with who paid it.`,
}

function linesOf({
  status,
  amount,
  currency,
  payment,
  rail,
  sent_at,
  failure_reason,
  provider_reference,
}: Return) {
  const money = formatMoney(amount, currency)
  switch (status) {
    case 'completed':
      return [
        `${money} of payment ${payment} are back with who paid: refund ${provider_reference} of ${rail}.`,
      ]
    case 'failed':
      return [
        `${rail} does not give payment ${payment} back (${failure_reason}). ${money} stay in the operator's books as unclaimed, and the incident stays open.`,
      ]
    default:
      return [
        sent_at === null
          ? `${money} of payment ${payment} are not sent back yet: ${rail} takes nothing now. The servers that run try again until it does.`
          : `${money} of payment ${payment} are on their way back, or may be. The servers that run ask ${rail} until that has ended.`,
        '`bursar rails incidents` shows how it stands; the incident is closed when the money is back.',
      ]
  }
}
