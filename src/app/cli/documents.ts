/**
 * Commands by which a person decides about documents that no rail verifies.
 */
import type { Command } from 'commander'
import {
  approve,
  getReview,
  listReviews,
  prepareReview,
  type Review,
  reject,
  showNumber,
} from '../../collecting/customers/reviews.ts'
import type { App } from '../../core/app.ts'
import { outside } from '../../core/outside.ts'
import { toJson } from '../../lib/json.ts'
import { modeOf } from '../../lib/mode.ts'
import { operatorScope } from '../../platform/operator/operator.ts'
import { sayRefusals } from './team.ts'
import { printable, UserError } from './terminal.ts'
import { readName, readText } from './texts.ts'

type Tools = {
  withApp(work: (app: App) => Promise<void>): Promise<void>
  print(line: string): void
}

const reasons = ['mismatch', 'not_found', 'rejected'] as const
type Options = { approve?: boolean; reject?: string; by: string; note?: string; json?: boolean }

/** Adds `bursar documents …`. */
export function addDocumentCommands(program: Command, { withApp, print }: Tools): void {
  const documents = program
    .command('documents')
    .description('review papers of customers that no rail verifies')
  const ctxOf = (app: App) =>
    outside(app, operatorScope(app.clock.now(), { type: 'operator', at: app.clock.now() }))

  documents
    .command('list')
    .description('list what waits for a person, of all businesses: what waits longest first')
    .option('--all', 'also the newest thousand that were decided')
    .option('--json', 'print JSON')
    .action(({ all, json }: { all?: boolean; json?: boolean }) =>
      withApp(async (app) => {
        const { docs } = await listReviews(ctxOf(app), {
          limit: 2_000,
          ...(all ? {} : { status: 'pending' as const }),
        })
        if (json) return print(toJson(docs))
        if (docs.length === 0)
          print(all ? 'No document was ever left to a person.' : 'No document waits for a person.')
        for (const one of docs) print(lineOf(one))
      }),
    )
  documents
    .command('show')
    .description(
      'show a document as JSON; its number only when it is asked for, which is written down',
    )
    .argument('<id>', 'the id that `documents list` shows')
    .option('--number', 'the whole number')
    .option('--by <name>', 'with --number: who looks')
    .action((id: string, { number, by }: { number?: boolean; by?: string }) =>
      withApp(async (app) => {
        if ((number === true) !== (by !== undefined))
          throw new UserError(
            '--number and --by <name> go together: who has seen a number is kept.',
          )
        const ctx = ctxOf(app)
        if (by === undefined) return print(toJson(await sayRefusals(() => getReview(ctx, id))))
        const who = readName('--by', by, 200)
        const shown = await sayRefusals(async () => {
          const order = { ...(await prepareReview(ctx, id)), by: who }
          return ctx.write((work) => showNumber(work, order))
        })
        print(printable(shown.id_number))
      }),
    )
  documents
    .command('review')
    .description('approve or reject a document')
    .argument('<id>', 'the id that `documents list` shows')
    .option('--approve', 'it is the customer’s')
    .option('--reject <reason>', `it is not: ${reasons.join(', ')}`)
    .requiredOption('--by <name>', 'who has looked: it is kept')
    .option('--note <text>', 'what was found; no business is shown it')
    .option('--json', 'print JSON')
    .action((id: string, options: Options) =>
      withApp(async (app) => {
        const reason = reasons.find((one) => one === options.reject)
        if ((options.approve === true) === (options.reject !== undefined))
          throw new UserError('Say --approve, or --reject with a reason.')
        if (options.reject !== undefined && reason === undefined)
          throw new UserError(`--reject '${options.reject}': must be one of ${reasons.join(', ')}.`)
        const note = options.note === undefined ? undefined : readText('--note', options.note, 500)
        const by = readName('--by', options.by, 200)
        const ctx = ctxOf(app)
        const decided = await sayRefusals(async () => {
          const decision = { ...(await prepareReview(ctx, id)), by, note }
          return ctx.write((work) =>
            reason ? reject(work, { ...decision, reason }) : approve(work, decision),
          )
        })
        print(options.json ? toJson(decided) : lineOf(decided))
      }),
    )
}

function lineOf({
  id,
  livemode,
  status,
  id_type,
  id_number,
  customer_name,
  business,
  created_at,
  ...one
}: Review): string {
  const what = `${id_type} ${id_number} of ${customer_name}, at ${business}`
  const ended = one.reviewed_by === null ? '' : `  by ${one.reviewed_by}`
  const why = one.failure_reason === null ? '' : ` (${one.failure_reason})`
  return printable(
    `${id}  ${modeOf(livemode)}  ${status}${why}  ${new Date(created_at).toISOString()}  ${what}${ended}`,
  )
}
