/**
 * The operator's commands. Each works beside a running server and without one.
 */
import { Command, CommanderError } from 'commander'
import { type BusinessRow, createBusiness, listBusinesses } from '../../books/businesses/businesses.ts'
import type { App } from '../../core/app.ts'
import { BackupError } from '../../db/backup-folder.ts'
import { EmbeddedInUse } from '../../db/embedded.ts'
import { MigrationError, upgrade } from '../../db/migrate.ts'
import { ConfigError, readConfig } from '../../lib/config.ts'
import { toJson } from '../../lib/json.ts'
import { modeOf } from '../../lib/mode.ts'
import { version } from '../../lib/version.ts'
import { latestMails } from '../../platform/mail/mail.ts'
import { open, verifyBooks } from '../main.ts'
import { heldWarnings } from '../outgoing.ts'
import { addAssignCommand } from './assign.ts'
import { addBackupCommands } from './backup.ts'
import { addDemoDataCommand } from './demo-data.ts'
import { addDoctorCommand } from './doctor.ts'
import { addEmptyCommand } from './empty.ts'
import { addEvmCommands } from './evm.ts'
import { addInboundCommands } from './inbound.ts'
import { addKeyCommands } from './keys.ts'
import { addOperatorCommands } from './operator.ts'
import { addOutgoingCommands } from './outgoing.ts'
import { isChild } from './processes.ts'
import { addRailCommands } from './rails.ts'
import { addReconcileCommand } from './reconcile.ts'
import { addReturnCommand } from './return.ts'
import { addSecretsCommands } from './secrets.ts'
import { readCount, readRole, runServer } from './serve.ts'
import { statusOf, stopSignal } from './signals.ts'
import { addTeamCommands } from './team.ts'
import { print, printable, UserError } from './terminal.ts'

const program = new Command('bursar')
  .description('The open, self-hosted merchant payments server.')
  .version(version)
  .showHelpAfterError('(add --help for help)')
  .addHelpText(
    'after',
    `
Settings come from the environment; see the configuration table in README.md.

Examples:
  npx bursar serve
  npx bursar business create --name "Ada's Books" --json
  npx bursar keys create --live --name checkout --allow-ip 203.0.113.7 --allow-ip 2001:db8::/32
  npx bursar keys create --live --name reports --scopes read --expires 90d
  npx bursar keys roll 6925f3a1c0ffee00c0ffee01 --overlap 24h
  npx bursar team invite ada@example.com --role finance
  npx bursar ledger verify
  npx bursar demo-data
  npx bursar doctor
  npx bursar backup /mnt/elsewhere/2026-11-22 --passphrase-file /root/backup.pass
  npx bursar restore /mnt/elsewhere/2026-11-22 --drill --passphrase-file /root/backup.pass`,
  )

program
  .command('serve')
  .description('run the server: HTTP, jobs, and the embedded database unless DATABASE_URL is set')
  .option('--role <role>', 'what this process does: api, worker or all', 'all')
  .option('--processes <n>', 'how many processes answer requests, on one port', '1')
  .action(({ role, processes }: { role: string; processes: string }) => {
    const config = readConfig(process.env)
    // What is started from here has no use for it, and the server none once it listens.
    for (const name of ['MIGRATE_DATABASE_URL', 'MIGRATE_DATABASE_URL_FILE']) delete process.env[name]
    return runServer(config, readRole(role), readCount(processes))
  })

program
  .command('migrate')
  .description('bring the database schema up to this version')
  .action(() =>
    withApp(async () => {
      print('The schema is up to date.')
    }, upgrade),
  )

const business = program.command('business').description('manage businesses')
business
  .command('create')
  .description('create a business with a test key and a live key, which are shown once')
  .requiredOption('--name <name>', 'the name payers see')
  .option('--json', 'print JSON')
  .action(({ name, json }: { name: string; json?: boolean }) =>
    withApp(async (app) => {
      const trimmed = name.trim()
      if (trimmed.length < 1 || trimmed.length > 200) throw new UserError('--name must have 1 to 200 characters.')
      const made = await createBusiness(app, trimmed)
      if (json) return print(toJson(made))
      print(`Business ${made.business.name} (${made.business.id})`)
      print(`  test key  ${made.test_key}`)
      print(`  live key  ${made.live_key}`)
      print('Keep the keys: they are not shown again.')
    }),
  )
business
  .command('list')
  .description('list the businesses')
  .option('--json', 'print JSON')
  .action(({ json }: { json?: boolean }) =>
    withApp(async (app) => {
      const all = await listBusinesses(app)
      if (json) return print(toJson(all))
      for (const { id, name, created_at } of all) print(`${id}  ${created_at.toISOString()}  ${name}`)
    }),
  )

addEmptyCommand(business, { withApp, businessOf, print })
addKeyCommands(program, { withApp, businessOf, print })
addTeamCommands(program, { withApp, businessOf, print })
addOperatorCommands(program, { withApp, print })

program
  .command('mail')
  .description('show the latest mail to customers: sent, or captured in test mode')
  .argument('[id]', 'the whole text of one')
  .option('--limit <n>', 'how many', '20')
  .action((id: string | undefined, { limit }: { limit: string }) =>
    withApp(async (app) => {
      if (!/^[1-9]\d*$/.test(limit)) throw new UserError('--limit must be a whole number from 1 on.')
      const mails = await latestMails(app.db, id === undefined ? Math.min(Number(limit), 1_000) : 1_000)
      const shown = id === undefined ? mails : mails.filter((mail) => mail.id === id)
      if (shown.length === 0 && id !== undefined) throw new UserError(`There is no mail '${id}' among the latest.`)
      if (shown.length === 0) print('There is no mail.')
      for (const mail of shown) {
        print(
          printable(
            `${mail.id}  ${mail.status.padEnd(8)}  ${mail.created_at.toISOString()}  ${mail.recipient}  ${mail.subject}`,
          ),
        )
        if (id !== undefined) print(`\n${printable(mail.body)}`)
      }
    }),
  )

const rails = addRailCommands(program, { withApp, print })
addInboundCommands(rails, { withApp, print })
addReconcileCommand(rails, { withApp, print })
addAssignCommand(rails, { withApp, businessOf, print })
addReturnCommand(rails, { withApp, print })
addEvmCommands(program, { withApp, print })
addBackupCommands(program, { config: () => readConfig(process.env) })
addOutgoingCommands(program, { withApp, print })
addSecretsCommands(program, { withApp, config: () => readConfig(process.env) })
addDemoDataCommand(program, { withApp, businessOf, print })
addDoctorCommand(program, { config: () => readConfig(process.env) })

const ledger = program.command('ledger').description('look after the ledger')
ledger
  .command('verify')
  .description('recompute every balance from the postings, and hold payouts and transactions against it')
  .option('--json', 'print JSON')
  .action(({ json }: { json?: boolean }) =>
    withApp(async (app) => {
      const { differences, accounts, postings } = await verifyBooks(app)
      const warnings = await heldWarnings(app)
      if (json) print(toJson({ clean: differences.length === 0, accounts, postings, differences, warnings }))
      else {
        for (const warning of warnings) print(`LOOK  ${warning}`)
        for (const { check, business_id, livemode, what, expected, found } of differences)
          print(
            `DIFFERENCE  ${check}: ${business_id} ${modeOf(livemode)} ${what}: expected ${expected}, found ${found}`,
          )
        const verdict = differences.length === 0 ? 'The books are clean' : `${differences.length} differences`
        print(`${verdict}: ${accounts} accounts, ${postings} postings.`)
      }
      if (differences.length > 0) process.exitCode = 1
    }),
  )

async function main(): Promise<void> {
  try {
    await program.parseAsync()
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode
    else {
      const known = [ConfigError, UserError, EmbeddedInUse, MigrationError, BackupError, RangeError].some(
        (kind) => error instanceof kind,
      )
      console.error(`bursar: ${known ? (error as Error).message : ((error as Error).stack ?? error)}`)
      process.exitCode = 1
    }
    // A child would live on by its line to the parent.
    if (isChild) process.exit()
  }
}

/** Opens the dependencies for one command. Its own log stays quiet, so that what it prints can be piped. */
async function withApp(work: (app: App) => Promise<void>, bringUp?: typeof upgrade): Promise<void> {
  const stop = stopSignal()
  const opened = await open({ ...readConfig(process.env), LOG_LEVEL: 'silent' }, 'tool', undefined, bringUp)
  // What is under way is not waited for: its transaction ends with its connection.
  const leave = async (): Promise<never> => {
    await opened.release()
    process.exit(statusOf(stop.reason))
  }
  if (stop.aborted) await leave()
  const left = new Promise<never>((_resolve, reject) => {
    stop.addEventListener('abort', () => leave().catch(reject))
  })
  await work(opened.app).finally(() => (stop.aborted ? left : opened.close()))
}

async function businessOf(app: App, id: string | undefined): Promise<BusinessRow> {
  const all = await listBusinesses(app)
  const found = id === undefined ? (all.length === 1 ? all[0] : undefined) : all.find((one) => one.id === id)
  if (found) return found
  if (id !== undefined) throw new UserError(`There is no business ${id}. \`bursar business list\` shows them.`)
  throw new UserError(
    all.length === 0
      ? 'There is no business yet: `bursar business create --name …`.'
      : 'There are several businesses: name one with --business <id>.',
  )
}

await main()
