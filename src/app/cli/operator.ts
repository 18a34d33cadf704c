/**
 * Commands that look after the operator's own keys.
 */
import type { Command } from 'commander'
import type { App } from '../../core/app.ts'
import { outside } from '../../core/outside.ts'
import { toJson } from '../../lib/json.ts'
import {
  createOperatorKey,
  listOperatorKeys,
  operatorScope,
  revokeOperatorKey,
} from '../../platform/operator/operator.ts'
import { sayRefusals } from './team.ts'
import { printable } from './terminal.ts'
import { readName } from './texts.ts'

type Tools = {
  withApp(work: (app: App) => Promise<void>): Promise<void>
  print(line: string): void
}

/** Adds `bursar operator …`. */
export function addOperatorCommands(program: Command, { withApp, print }: Tools): void {
  const key = program
    .command('operator')
    .description('manage the operator’s own access')
    .command('key')
    .description('manage keys for /operator: businesses and their prices')
  const ctxOf = (app: App) =>
    outside(app, operatorScope(app.clock.now(), { type: 'operator', at: app.clock.now() }))

  key
    .command('create')
    .description('create a key, which is shown once')
    .option('--name <name>', 'what it is for', 'unnamed')
    .option('--reviews', 'it may also decide what waits for a person, such as papers')
    .option('--json', 'print JSON')
    .action(({ name, reviews, json }: { name: string; reviews?: boolean; json?: boolean }) =>
      withApp(async (app) => {
        const called = readName('--name', name, 100)
        const made = await ctxOf(app).write((work) => createOperatorKey(work, called, reviews))
        if (json) return print(toJson(made))
        print(made.key)
        print(`Key ${made.id}: for /operator, until it is revoked. Keep it: it is not shown again.`)
      }),
    )
  key
    .command('list')
    .description('list the keys, without their secrets')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) =>
      withApp(async (app) => {
        const all = await listOperatorKeys(ctxOf(app))
        if (json) return print(toJson(all))
        for (const { id, hint, reviews, revoked_at, last_used_at, last_used_from, name } of all) {
          const used = last_used_at
            ? `last used ${last_used_at.toISOString()} from ${last_used_from}`
            : 'never used'
          print(
            printable(
              `${id}  ${hint}  ${revoked_at ? 'revoked' : 'active '}  ${used}  ${name}${reviews ? '  (reviews)' : ''}`,
            ),
          )
        }
      }),
    )
  key
    .command('revoke')
    .description('revoke a key, at once')
    .argument('<key-id>', 'the id that `operator key list` shows')
    .action((id: string) =>
      withApp(async (app) => {
        const { hint } = await sayRefusals(() =>
          ctxOf(app).write((work) => revokeOperatorKey(work, id)),
        )
        print(`Key ${hint} is revoked.`)
      }),
    )
}
