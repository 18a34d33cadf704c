/**
 * Commands by which the operator decides what of a merchant's money is held or taken for a dispute.
 */
import type { Command } from 'commander'
import {
  getOperatorDispute,
  holdFor,
  listOperatorDisputes,
  type OperatorDispute,
  prepareDecision,
  releaseFor,
  takeFor,
} from '../../collecting/disputes/disputes.ts'
import type { App } from '../../core/app.ts'
import { outside } from '../../core/outside.ts'
import { toJson } from '../../lib/json.ts'
import { formatMoney, maxAmount } from '../../lib/money.ts'
import { operatorScope } from '../../platform/operator/operator.ts'
import { sayRefusals } from './team.ts'
import { printable, UserError } from './terminal.ts'

type Tools = {
  withApp(work: (app: App) => Promise<void>): Promise<void>
  print(line: string): void
}

/** Adds `bursar disputes …`. */
export function addDisputeCommands(program: Command, { withApp, print }: Tools): void {
  const disputes = program
    .command('disputes')
    .description('decide what is held or taken for disputes')
  const ctxOf = (app: App) =>
    outside(app, operatorScope(app.clock.now(), { type: 'operator', at: app.clock.now() }))

  disputes
    .command('list')
    .description('list those that are open, of all businesses')
    .option('--all', 'the newest thousand, whatever came of them')
    .option('--json', 'print JSON')
    .action(({ all, json }: { all?: boolean; json?: boolean }) =>
      withApp(async (app) => {
        const query = { limit: 1_000, ...(all ? {} : { status: 'open' as const }) }
        const { docs } = await listOperatorDisputes(ctxOf(app), query)
        if (json) return print(toJson(docs))
        if (docs.length === 0) print(all ? 'There is no dispute.' : 'No dispute is open.')
        for (const one of docs) print(lineOf(one))
      }),
    )
  disputes
    .command('show')
    .description('show a dispute as JSON')
    .argument('<id>', 'the dispute')
    .action((id: string) =>
      withApp(async (app) =>
        print(toJson(await sayRefusals(() => getOperatorDispute(ctxOf(app), id)))),
      ),
    )
  const acts = [
    ['hold', 'hold money of the merchant’s wallet', holdFor],
    [
      'take',
      'take money for a dispute that is lost: what is held, or an amount of what is available',
      takeFor,
    ],
    ['release', 'give back to the wallet what is held', releaseFor],
  ] as const
  for (const [name, description, act] of acts) {
    const command = disputes.command(name).description(description).argument('<id>', 'the dispute')
    if (act !== releaseFor)
      command.option('--amount <minor>', 'how much, in minor units; all that is left by default')
    command.action((id: string, { amount }: { amount?: string }) =>
      withApp(async (app) => {
        const ctx = ctxOf(app)
        const decide = async () => {
          const decision = await prepareDecision(ctx, { id, amount: amountOf(amount) })
          return ctx.write((work) => act(work, decision))
        }
        print(lineOf(await sayRefusals(decide)))
      }),
    )
  }
}

function amountOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,15}$/.test(text) || BigInt(text) > maxAmount)
    throw new UserError('--amount must be a whole number of minor units, such as 450000.')
  return Number(text)
}

function lineOf({
  id,
  livemode,
  status,
  amount,
  currency,
  held,
  taken,
  evidence_due_at,
  ...one
}: OperatorDispute): string {
  const money = (value: bigint | number): string => formatMoney(BigInt(value), currency)
  const due =
    status === 'open' && evidence_due_at
      ? `  evidence due ${new Date(evidence_due_at).toISOString()}`
      : ''
  const [mode, moved] = [livemode ? 'live' : 'test', `held ${money(held)}, taken ${money(taken)}`]
  return printable(
    `${id}  ${mode}  ${status}  ${money(amount)}  ${moved}  at ${one.rail}, of ${one.business}${due}`,
  )
}
