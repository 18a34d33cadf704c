/**
 * `bursar business empty-test-data`: deletes all test data of one business.
 */
import type { Command } from 'commander'
import { outside, scopeOf } from '../../core/outside.ts'
import { toJson } from '../../lib/json.ts'
import { askToEmpty, emptyNext, findRemoval } from '../../platform/emptying/emptying.ts'
import { businessOf } from './business-option.ts'
import type { CommandContext } from './context.ts'
import { printable, UserError } from './terminal.ts'

/** Adds `empty-test-data` to the commands of businesses. */
export function addEmptyCommand(business: Command, { withApp, print }: CommandContext): void {
  business
    .command('empty-test-data')
    .description(
      'delete all test data of a business; live data, keys, people and webhook endpoints stay',
    )
    .argument('<id>', 'whose')
    .option('--yes', 'confirm: this cannot be undone')
    .option('--json', 'print JSON')
    .action((id: string, { yes, json }: { yes?: boolean; json?: boolean }) =>
      withApp(async (app) => {
        const { name } = await businessOf(app, id)
        if (!yes)
          throw new UserError(
            `This deletes all test data of ${printable(name)} and cannot be undone. Add --yes to do it.`,
          )
        const scope = await scopeOf(app, id, false)
        const actor = { type: 'operator' as const, at: app.clock.now() }
        const asked = await outside(app, { ...scope, actor }).write(askToEmpty)
        // A server that runs may be quicker.
        let removal = await findRemoval(app, id, asked.id)
        while (removal.ended_at === null) {
          await emptyNext(app)
          removal = await findRemoval(app, id, asked.id)
        }
        const records = Object.values(removal.rows ?? {}).reduce((sum, count) => sum + count, 0)
        if (json) return print(toJson({ business: id, records, rows: removal.rows }))
        print(`${records} records are deleted. The test mode of ${printable(name)} is empty.`)
      }),
    )
}
