/**
 * The command line. What runs a server is loaded when one of its commands is named; the others, and
 * the help, do without it.
 */
import { CommanderError } from 'commander'
import { addIntegratorCommands } from './integrators.ts'
import outline from './outline.json' with { type: 'json' }
import { graft } from './outline.ts'
import { newProgram } from './program.ts'
import { clearProgress, say, UserError } from './terminal.ts'

const program = newProgram()

const [first, second] = process.argv.slice(2)
const named = (first === 'help' ? second : first) ?? ''
const operating = Object.hasOwn(outline, named) ? await import('./operating.ts') : null
if (operating) operating.addOperatingCommands(program, process.env)
else graft(program, outline)
addIntegratorCommands(program, process.env, () => program)

try {
  await program.parseAsync()
} catch (error) {
  clearProgress()
  if (error instanceof CommanderError) process.exitCode = error.exitCode
  else {
    const known = error instanceof UserError || operating?.isKnown(error)
    say(`bursar: ${known ? (error as Error).message : ((error as Error).stack ?? error)}`)
    process.exitCode = error instanceof UserError ? error.status : 1
  }
  // By its line to a parent, which may be the launcher, it would live on.
  if (process.connected) process.exit()
}
