/**
 * The commands for whoever integrates: they speak with a server by its API, and load nothing of the
 * server itself.
 */
import type { Command } from 'commander'
import { addAccessCommands, type Environment } from './access.ts'
import { addCompletionCommand } from './completion.ts'
import { addEventCommands } from './events.ts'
import { addExportCommand } from './export.ts'
import { addListenCommand } from './listen.ts'
import { addOpenCommands } from './open-page.ts'
import { addReceiptCommand } from './receipt.ts'
import { addRequestCommands } from './requests.ts'
import { addSamplesCommand } from './samples.ts'
import { print } from './terminal.ts'
import { addTriggerCommand } from './trigger.ts'

/**
 * Adds them all. @param whole gives the tree of all commands, of which completions are made @param
 * out prints a line
 */
export function addIntegratorCommands(
  program: Command,
  env: Environment,
  whole: () => Command,
  out = print,
): void {
  program.commandsGroup('For integrators, by an API key:')
  addAccessCommands(program, env, out)
  addListenCommand(program, env, out)
  addTriggerCommand(program, env, out)
  addEventCommands(program, env, out)
  addRequestCommands(program, env)
  addOpenCommands(program, env, out)
  addReceiptCommand(program, env)
  addExportCommand(program, env)
  addSamplesCommand(program, env, out)
  addCompletionCommand(program, whole)
}
