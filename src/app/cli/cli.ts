/**
 * The command line. What runs a server is loaded when one of its commands is named; the others, and
 * the help, do without it.
 */
import { Command, CommanderError } from 'commander'
import { version } from '../../lib/version.ts'
import { addIntegratorCommands } from './integrators.ts'
import outline from './outline.json' with { type: 'json' }
import { graft } from './outline.ts'
import { clearProgress, say, UserError } from './terminal.ts'

const program = new Command('bursar')
  .description('The open, self-hosted merchant payments server.')
  .version(version)
  .showHelpAfterError('(add --help for help)')
  .addHelpText(
    'after',
    `
Settings come from the environment; docs/configuration.md has them all.

Examples:
  npx bursar serve
  npx bursar business create --name "Ada's Books" --json
  npx bursar keys create --live --name checkout --allow-ip 203.0.113.7 --allow-ip 2001:db8::/32
  npx bursar keys create --live --name reports --scopes read --expires 90d
  npx bursar keys roll 6925f3a1c0ffee00c0ffee01 --overlap 24h
  npx bursar team invite ada@example.com --role finance
  npx bursar ledger verify
  npx bursar demo-data
  npx bursar listen --forward-to http://localhost:3000/webhook
  npx bursar doctor
  npx bursar backup /mnt/elsewhere/2026-11-22 --passphrase-file /root/backup.pass
  npx bursar restore /mnt/elsewhere/2026-11-22 --drill --passphrase-file /root/backup.pass`,
  )

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
