/**
 * Commands by which a person decides about what screening holds, and keeps the operator's own
 * lists.
 */
import type { Command } from 'commander'
import type { App } from '../../core/app.ts'
import { outside } from '../../core/outside.ts'
import { toJson } from '../../lib/json.ts'
import { modeOf } from '../../lib/mode.ts'
import { operatorScope } from '../../platform/operator/operator.ts'
import {
  addEntry,
  decide,
  type Entry,
  listEntries,
  listReviews,
  prepareReview,
  type Review,
  removeEntry,
} from '../../platform/screening/screening.ts'
import { sayRefusals } from './team.ts'
import { printable, UserError } from './terminal.ts'
import { readName, readText } from './texts.ts'

type Tools = {
  withApp(work: (app: App) => Promise<void>): Promise<void>
  print(line: string): void
}
type Options = { by: string; note?: string; json?: boolean }

const types = ['address', 'account', 'name'] as const

/** Adds `bursar screening …`. */
export function addScreeningCommands(program: Command, { withApp, print }: Tools): void {
  const screening = program
    .command('screening')
    .description('decide what screening holds, and keep your own lists')
  const ctxOf = (app: App) =>
    outside(app, operatorScope(app.clock.now(), { type: 'operator', at: app.clock.now() }))
  /** Options of all that is written down. */
  const keeping = (command: Command): Command =>
    command
      .requiredOption('--by <name>', 'who has decided: it is kept')
      .option('--note <text>', 'why; no business is shown it')
      .option('--json', 'print JSON')

  screening
    .command('list')
    .description('list what waits for a person, of all businesses: what waits longest first')
    .option('--all', 'also the newest thousand that have ended')
    .option('--json', 'print JSON')
    .action(({ all, json }: { all?: boolean; json?: boolean }) =>
      withApp(async (app) => {
        const { docs } = await listReviews(ctxOf(app), {
          limit: 2_000,
          ...(all ? {} : { status: 'waiting' as const }),
        })
        if (json) return print(toJson(docs))
        if (docs.length === 0)
          print(all ? 'Screening has never held anything.' : 'Nothing waits for a person.')
        for (const one of docs) print(lineOf(one))
      }),
    )
  for (const [name, decision, what] of [
    ['release', 'released', 'let what is held go on'],
    [
      'refuse',
      'refused',
      'refuse what is held: a payout fails, and its amount is given back; a deposit stays held',
    ],
  ] as const) {
    const command = screening
      .command(name)
      .description(what)
      .argument('<id>', 'the id that `screening list` shows')
    if (name === 'release') command.option('--after-refusal', 'release a deposit that was refused')
    keeping(command).action((id: string, options: Options & { afterRefusal?: true }) =>
      withApp(async (app) => {
        const ctx = ctxOf(app)
        const decided = await sayRefusals(async () => {
          const after_refusal = options.afterRefusal ?? false
          const order = { ...(await prepareReview(ctx, id)), ...kept(options), after_refusal }
          return ctx.write((work) => decide(work, order, decision))
        })
        print(options.json ? toJson(decided) : lineOf(decided))
      }),
    )
  }
  screening
    .command('entries')
    .description('list what you block and allow: the newest thousand')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) =>
      withApp(async (app) => {
        const { docs } = await listEntries(ctxOf(app), { limit: 1_000 })
        if (json) return print(toJson(docs))
        if (docs.length === 0) print('Your lists are empty.')
        for (const one of docs) print(entryLine(one))
      }),
    )
  for (const [kind, what] of [
    ['block', 'hold payouts to, and deposits from, an address, an account or a name for a person'],
    ['allow', 'let the hits of a list through'],
  ] as const) {
    const command = screening
      .command(kind)
      .description(what)
      .argument('<type>', types.join(', '))
      .argument('<value>', 'the address, the account number, or the name')
    if (kind === 'allow') command.requiredOption('--list <name>', 'the list, as its hits name it')
    keeping(command).action((type: string, value: string, options: Options & { list?: string }) =>
      withApp(async (app) => {
        const known = types.find((one) => one === type)
        if (known === undefined)
          throw new UserError(`'${type}': must be one of ${types.join(', ')}.`)
        const { by, note } = kept(options)
        const list =
          options.list === undefined ? {} : { list: readName('--list', options.list, 100) }
        const entry = {
          kind,
          type: known,
          value: readName('The value', value, 200),
          ...list,
          ...(note === undefined ? {} : { note }),
        }
        const made = await sayRefusals(() => ctxOf(app).write((work) => addEntry(work, entry, by)))
        print(options.json ? toJson(made) : entryLine(made))
      }),
    )
  }
  screening
    .command('remove')
    .description('take an entry off your lists; what it holds waits all the same')
    .argument('<id>', 'the id that `screening entries` shows')
    .requiredOption('--by <name>', 'who has decided: it is kept')
    .action((id: string, options: Options) =>
      withApp(async (app) => {
        const { by } = kept(options)
        print(
          entryLine(await sayRefusals(() => ctxOf(app).write((work) => removeEntry(work, id, by)))),
        )
      }),
    )
}

/** @throws {UserError} */
function kept({ by, note }: Options): { by: string; note?: string } {
  const name = readName('--by', by, 200)
  return note === undefined ? { by: name } : { by: name, note: readText('--note', note, 500) }
}

function lineOf({
  id,
  livemode,
  status,
  what,
  business,
  hits,
  created_at,
  decided_by,
}: Review): string {
  const found = hits.map(({ list, matched, value }) => `${list}: ${matched} ${value}`).join('; ')
  const ended = decided_by === null ? '' : `  by ${decided_by}`
  return printable(
    `${id}  ${modeOf(livemode)}  ${status}  ${new Date(created_at).toISOString()}  ${what}, at ${business}  (${found})${ended}`,
  )
}

function entryLine({ id, kind, type, value, list, made_by }: Entry): string {
  return printable(
    `${id}  ${kind}  ${type} ${value}${list === null ? '' : `, found on ${list}`}  by ${made_by}`,
  )
}
