/**
 * Commands that hold outgoing money, show what waits, and let it go.
 */
import type { Command } from 'commander'
import type { App } from '../../core/app.ts'
import { toJson } from '../../lib/json.ts'
import { type Currency, formatMoney } from '../../lib/money.ts'
import type { LostTransactions } from '../../rails/evm/evm.ts'
import { outgoingOf } from '../../rails/records/outgoing.ts'
import {
  cancel,
  fail,
  heldWarnings,
  hold,
  markRestored,
  release,
  type Standing,
  settle,
  standings,
} from '../outgoing.ts'
import type { CommandContext } from './context.ts'
import { printable, UserError } from './terminal.ts'
import { readName } from './texts.ts'

/** Adds `bursar outgoing …`. */
export function addOutgoingCommands(program: Command, { withApp, print }: CommandContext): void {
  const outgoing = program
    .command('outgoing')
    .description('hold outgoing money, as after a restore, and let it go')
  outgoing
    .command('status')
    .description('show whether outgoing money is held, what waits, and what the rails say of it')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) =>
      withApp(async (app) => {
        const now = await outgoingOf(app.db)
        const [orders, treasuries] = [await standings(app, now), await treasuriesOf(app)]
        if (json)
          return print(
            toJson({
              held_at: now.heldAt,
              restored_at: now.restoredAt,
              data_of: now.dataOf,
              orders,
              treasuries,
            }),
          )
        for (const line of await linesOf(app, orders, treasuries)) print(printable(line))
      }),
    )
  outgoing
    .command('hold')
    .description('send no payout and no refund from now on; they wait')
    .option('--restored', 'the database was restored from a backup: before its server starts')
    .option(
      '--data-of <time>',
      'with --restored: until when its data reach, such as 2026-11-22T03:00:00Z',
    )
    .action(({ restored = false, dataOf }: { restored?: boolean; dataOf?: string }) =>
      withApp(async (app) => {
        const until = dataOf === undefined ? null : new Date(dataOf)
        if (until !== null && (!restored || Number.isNaN(until.getTime())))
          throw new UserError(
            `--data-of '${dataOf}': must be a time such as 2026-11-22T03:00:00Z, with --restored.`,
          )
        await (restored ? markRestored(app.db, app.clock, until) : hold(app))
        print('Outgoing money is held. `bursar outgoing release --by NAME` lets it go.')
      }),
    )
  outgoing
    .command('paid')
    .description(
      'end a payout or refund as paid, which a person has found among what a rail has sent; it is not sent again',
    )
    .argument('<id>', 'its id, as `outgoing status` shows it')
    .requiredOption(
      '--reference <text>',
      'what the rail knows the payment by: its id there, or the hash on the chain',
    )
    .requiredOption('--by <name>', 'who has found it: it is kept')
    .action((id: string, { by, reference }: { by: string; reference: string }) =>
      withApp(async (app) => {
        if ((await outgoingOf(app.db)).heldAt === null)
          throw new UserError('Outgoing money is not held: its rail is asked how an order ended.')
        const named = reference.trim()
        if (named.length < 1 || named.length > 200)
          throw new UserError('--reference must have 1 to 200 characters.')
        if (!(await settle(app, id, { by: readName('--by', by, 200), reference: named })))
          throw new UserError(
            `${id} is no payout or refund that waits: \`bursar outgoing status\` shows them.`,
          )
        print(printable(`${id} is completed, by ${named}.`))
      }),
    )
  outgoing
    .command('cancel')
    .description(
      'cancel a payout that waits and that no rail has, as one that its merchant had canceled since the backup',
    )
    .argument('<id>', 'its id, as `outgoing status` shows it')
    .requiredOption('--by <name>', 'who has looked: it is kept')
    .option('--looked-up', lookedUpText)
    .action((id: string, { by, lookedUp: isLookedUp = false }: EndOptions) =>
      withApp(async (app) => {
        const objection = await cancel(app, id, { by: readName('--by', by, 200), isLookedUp })
        if (objection !== null) throw new UserError(`${id} is not canceled. ${objection}`)
        print(`${id} is canceled; its amount is in the wallet again.`)
      }),
    )
  outgoing
    .command('fail')
    .description(
      'fail a payout, refund or return that its rail does not know, or says has failed; its money is released',
    )
    .argument('<id>', 'its id, as `outgoing status` shows it')
    .requiredOption('--by <name>', 'who has looked: it is kept')
    .requiredOption('--reason <text>', 'why: it is kept in the audit log')
    .option('--looked-up', lookedUpText)
    .action(
      (id: string, { by, reason, lookedUp: isLookedUp = false }: EndOptions & { reason: string }) =>
        withApp(async (app) => {
          const request = {
            by: readName('--by', by, 200),
            reason: readName('--reason', reason, 500),
            isLookedUp,
          }
          const objection = await fail(app, id, request)
          if (objection !== null) throw new UserError(`${id} is not failed. ${objection}`)
          print(`${id} has failed; its money is released.`)
        }),
    )
  outgoing
    .command('release')
    .description('let outgoing money go; what a rail has already is never sent again')
    .requiredOption('--by <name>', 'who has looked: it is kept')
    .option('--anyway', 'though something could not be found out, and may then be paid twice')
    .action(({ by, anyway = false }: { by: string; anyway?: boolean }) =>
      withApp(async (app) => {
        const name = readName('--by', by, 200)
        if (!anyway) await assertClear(app)
        const orders = await release(app, name)
        if (orders === null) return print('Outgoing money was not held.')
        print(
          printable(
            `Outgoing money goes again, by ${name}. ${orders} payouts and refunds are looked after now.`,
          ),
        )
      }),
    )
}

type EndOptions = { by: string; lookedUp?: boolean }

const lookedUpText =
  'you have looked up every submission at the provider, and none is there: it is kept'

/** What a person must look into first. @throws {UserError} that names it */
async function assertClear(app: App): Promise<void> {
  const now = await outgoingOf(app.db)
  if (now.heldAt === null || now.restoredAt === null) return
  const unknown = (await standings(app, now)).filter(
    (order) => order.rails_say === 'unknown' || order.rails_say === 'undecided',
  )
  const sent = (await treasuriesOf(app)).filter((one) => one.sent !== 0n)
  const reasons = [
    ...(unknown.length > 0
      ? [`of ${unknown.length} payouts and refunds a rail does not say whether it has them`]
      : []),
    ...sent.map(treasuryLine),
  ]
  if (reasons.length > 0)
    throw new UserError(
      `Not let go: ${reasons.join('; ')}. \`bursar outgoing status\` shows it. Look into it, as docs/backup.md says; then add --anyway.`,
    )
}

/**
 * Treasuries' nonces against the books; its libraries are loaded only where networks are
 * configured.
 */
async function treasuriesOf(app: App): Promise<LostTransactions[]> {
  if (app.config.EVM_FILE === null) return []
  const rail = await import('../../rails/evm/evm.ts')
  return rail.lostTransactions(rail.openEvm(rail.readEvmFile(app.config.EVM_FILE)).chains, app.db)
}

const treasuryLine = ({ network, address, sent, next_nonce, trouble }: LostTransactions): string =>
  sent === null
    ? `${address} on ${network} could not be looked at: ${trouble}`
    : `${address} on ${network} has sent ${sent} transactions that are not in the books, from nonce ${next_nonce} on`

const says: Record<Standing['rails_say'], string> = {
  sent: 'a rail has it: its answer is applied, and it is not sent again',
  not_found: 'no rail has it: it is sent once outgoing money goes',
  unknown: 'NOT KNOWN: a rail gives no answer',
  undecided: 'NOT KNOWN: too long ago to query every submission; look it up at the rail',
  new: 'made after the restore: it is sent once outgoing money goes',
}

async function linesOf(
  app: App,
  orders: Standing[],
  treasuries: LostTransactions[],
): Promise<string[]> {
  const held = await heldWarnings(app)
  return [
    ...(held.length === 0 ? ['Outgoing money is not held.'] : held),
    ...orders.map(
      (one) =>
        `${one.kind} ${one.id}  ${one.livemode ? 'live' : 'test'}  ${one.created_at.toISOString()}  ${one.status}  ${formatMoney(one.amount, one.currency as Currency)} to ${one.to} by ${one.rail}  ${one.reference ?? ''}${held.length === 0 ? '' : `  ${says[one.rails_say]}`}`,
    ),
    ...treasuries.filter((one) => one.sent !== 0n).map((one) => `LOOK  ${treasuryLine(one)}`),
  ]
}
