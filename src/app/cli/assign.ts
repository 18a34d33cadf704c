/**
 * The command for money at a provider that nobody claims.
 */
import type { Command } from 'commander'
import { assignDeposit } from '../../collecting/deposits/deposits.ts'
import { outside, scopeOf } from '../../core/outside.ts'
import { toJson } from '../../lib/json.ts'
import { formatMoney } from '../../lib/money.ts'
import { closePayment } from '../../platform/incidents/incidents.ts'
import { findReconcilable, hasRecord } from '../../platform/reconciliation/reconciliation.ts'
import { businessOf } from './business-option.ts'
import type { CommandContext } from './context.ts'
import { UserError } from './terminal.ts'
import { readName } from './texts.ts'

type Options = { business: string; by: string; mode: string; json?: boolean }

/** Adds `bursar rails assign`. */
export function addAssignCommand(rails: Command, { withApp, print }: CommandContext): void {
  rails
    .command('assign')
    .description('book an unclaimed payment at a provider to the wallet of a business')
    .argument('<name>', 'the account’s name')
    .argument('<payment>', 'the provider’s id of the payment')
    .requiredOption('--business <id>', 'the business')
    .requiredOption('--by <name>', 'your name, for the record')
    .option('--mode <mode>', 'live or test', 'live')
    .option('--json', 'print JSON')
    .action((name: string, payment: string, { business, by, mode, json }: Options) =>
      withApp(async (app) => {
        if (mode !== 'live' && mode !== 'test') throw new UserError('--mode must be live or test.')
        const who = readName('--by', by, 200)
        const livemode = mode === 'live'
        const account = findReconcilable(app, livemode, name)
        if (account === null)
          throw new UserError(`RAILS_FILE has no ${mode} account '${name}' with lists.`)
        const { id, name: whose } = await businessOf(app, business)
        const found = await account.statement.payment(payment).catch((error: Error) => {
          throw new UserError(`${error.message}. Nothing was booked.`)
        })
        if (found?.movement.state !== 'done')
          throw new UserError(`${name} has no payment '${payment}' that was paid.`)
        const { providerId, amount, fee, reference } = found.movement
        if (found.givenBack)
          throw new UserError(`The payment '${providerId}' was given back there already.`)
        if (await hasRecord(app, account, found.movement))
          throw new UserError(
            `A record here waits for '${providerId}': \`bursar rails reconcile ${name}\` asks about it.`,
          )
        const ctx = outside(app, await scopeOf(app, id, livemode))
        const booked = await assignDeposit(ctx, {
          rail: name,
          providerId,
          amount,
          fee,
          currency: found.currency,
        })
        if (booked === null) throw new UserError(`The payment '${providerId}' is booked already.`)
        const about = { livemode, rail: name, payment: providerId, reference }
        await closePayment(app.db, { ...about, by: who, at: app.clock.now() })
        if (json) return print(toJson(booked))
        print(
          `${formatMoney(amount, found.currency)} are in the ${mode} wallet of ${whose} (${id}): transaction ${booked.id}.`,
        )
      }),
    )
}
