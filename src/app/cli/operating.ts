/**
 * The operator's commands. Each works beside a running server and without one.
 */
import { type Command, Option } from 'commander'
import { listBusinesses, type NewBusiness } from '../../books/businesses/businesses.ts'
import type { App } from '../../core/app.ts'
import { outside } from '../../core/outside.ts'
import { BackupError } from '../../db/cluster/backup-folder.ts'
import { EmbeddedInUse } from '../../db/cluster/embedded.ts'
import { MigrationError, migrateAsOwner, unfinishedIn } from '../../db/schema/migrate.ts'
import { finishMigrations } from '../../db/schema/versions.ts'
import { type Config, ConfigError, readConfig, textOf } from '../../lib/config.ts'
import type { Id } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'
import { latestMails } from '../../platform/mail/mail.ts'
import { createBusiness, operatorScope } from '../../platform/operator/operator.ts'
import { environmentOf } from '../cells/cells.ts'
import { open } from '../open.ts'
import { addAssignCommand } from './assign.ts'
import { addBackupCommands } from './backup.ts'
import { addCellsCommand } from './cells.ts'
import type { CommandContext } from './context.ts'
import { addDatabaseCommands } from './database.ts'
import { addDemoDataCommand } from './demo-data.ts'
import { addDoctorCommand } from './doctor.ts'
import { addEmptyCommand } from './empty.ts'
import { addEvmCommands } from './evm.ts'
import { addInboundCommands } from './inbound.ts'
import { addKeyCommands } from './keys.ts'
import { addLedgerCommands } from './ledger.ts'
import { addOperatorCommands } from './operator-commands.ts'
import { addOutgoingCommands } from './outgoing.ts'
import { addRailCommands } from './rails.ts'
import { addReconcileCommand } from './reconcile.ts'
import { addReturnCommand } from './return.ts'
import { addSecretsCommands } from './secrets.ts'
import { statusOf, stopSignal } from './signals.ts'
import { addTeamCommands } from './team.ts'
import {
  print,
  printable,
  printableText,
  progress,
  reportRefusals,
  say,
  UserError,
} from './terminal.ts'
import { readName } from './texts.ts'

/** What a command says in one sentence; anything else that is thrown is a bug. */
export const isKnown = (error: unknown): error is Error =>
  [ConfigError, UserError, EmbeddedInUse, MigrationError, BackupError, RangeError].some(
    (kind) => error instanceof kind,
  )

type ServeOptions = { role: string; processes: string; behindFront?: boolean; cells?: string }

/**
 * Adds the operator's commands.
 * @param env deletes from it what a server must not keep
 * @param own parts of the context that a test brings, such as an open application
 */
export function addOperatingCommands(
  program: Command,
  env: NodeJS.ProcessEnv,
  own: Partial<CommandContext> = {},
): void {
  const config = () => readConfig(environmentOf(env))
  const context: CommandContext = {
    withApp: (work, bringUp) => openFor(config(), work, bringUp),
    withAcceptingApp: (work) => openFor(readConfig(environmentOf(env, 'for a new business')), work),
    config,
    print,
    say,
    ...own,
  }
  program.commandsGroup('To run a server:')
  addServe(program, env, config)
  addMigrate(program, context)
  addCellsCommand(program, {
    env,
    print: context.print,
    withCell: (CELL, work, at) => openFor(readConfig(cellEnvironment(env, CELL, at)), work),
  })
  addBusinessCommands(program, context)
  addKeyCommands(program, context)
  addTeamCommands(program, context)
  addOperatorCommands(program, context)
  addMailCommand(program, context)
  const rails = addRailCommands(program, context)
  addInboundCommands(rails, context)
  addReconcileCommand(rails, context)
  addAssignCommand(rails, context)
  addReturnCommand(rails, context)
  addEvmCommands(program, context)
  addBackupCommands(program, context)
  addDatabaseCommands(program, context)
  addOutgoingCommands(program, context)
  addSecretsCommands(program, context)
  addDemoDataCommand(program, context)
  addDoctorCommand(program, context)
  addLedgerCommands(program, context)
}

function addServe(program: Command, env: NodeJS.ProcessEnv, config: () => Config): void {
  program
    .command('serve')
    .description('run the server: HTTP, jobs, and the embedded database unless DATABASE_URL is set')
    .option('--role <role>', 'the role of this process: api, worker or all', 'all')
    .option('--processes <n>', 'how many processes answer requests, on one port', '1')
    .option(
      '--cells <letters>',
      'with CELLS_FILE: of which cells, as a,b; all of them where it is left out',
    )
    .addOption(new Option('--behind-front').hideHelp())
    .action(async ({ role, processes, behindFront, cells }: ServeOptions) => {
      // Commands answer no requests, and load nothing of what does.
      const { readCount, readRole, runCells, runServer } = await import('./serve.ts')
      if (textOf(env, 'CELLS_FILE') !== '')
        return runCells(env, {
          role: readRole(role),
          count: readCount(processes),
          only: cells?.split(',') ?? null,
        })
      if (cells !== undefined) throw new UserError('--cells goes with CELLS_FILE.')
      const settings = config()
      // What is started from here has no use for it, and the server none once it listens.
      for (const name of ['MIGRATE_DATABASE_URL', 'MIGRATE_DATABASE_URL_FILE']) delete env[name]
      return runServer(settings, readRole(role), readCount(processes), behindFront)
    })
}

function addMigrate(program: Command, { withApp, print }: CommandContext): void {
  program
    .command('migrate')
    .description('bring the database schema up to this version')
    .option(
      '--finish',
      'also what servers of the version before would not understand, once none of them is alive',
    )
    .action(({ finish: finishes }: { finish?: true }) => {
      let left: string[] = []
      return withApp(
        async () => {
          print('The schema is up to date.')
          if (left.length > 0)
            print(
              `What servers of the version before need is still there (${left.join(', ')}): run \`bursar migrate --finish\` once you will not go back to it.`,
            )
        },
        async (access) => {
          await (finishes ? finishMigrations : migrateAsOwner)(
            access,
            progress('applied', 'migrations'),
          )
          left = await unfinishedIn(access.url)
        },
      )
    })
}

/** The settings of a cell, or of its letter at another database. */
function cellEnvironment(
  env: NodeJS.ProcessEnv,
  CELL: string,
  at: { letter: string; url: string } | undefined,
): NodeJS.ProcessEnv {
  const settings = environmentOf({ ...env, CELL })
  if (!at) return settings
  const elsewhere = {
    DATABASE_URL: at.url,
    DIRECT_DATABASE_URL: '',
    READ_URL: '',
    MIGRATE_DATABASE_URL: '',
  }
  return { ...settings, CELL: at.letter, ...elsewhere }
}

function addBusinessCommands(program: Command, context: CommandContext): void {
  const { withApp, withAcceptingApp, print } = context
  const business = program.command('business').description('manage businesses')
  business
    .command('create')
    .description('create a business with a test key and a live key (shown once)')
    .requiredOption('--name <name>', 'the name payers see')
    .option('--json', 'print JSON')
    .action(({ name, json }: { name: string; json?: boolean }) => {
      const called = readName('--name', name, 200)
      return withAcceptingApp(async (app) => {
        const made = await reportRefusals(() => createAsOperator(app, called))
        if (json) return print(toJson(made))
        print(`Business ${made.business.name} (${made.business.id})`)
        print(`  test key  ${made.test_key}`)
        print(`  live key  ${made.live_key}`)
        print('Keep the keys: they are not shown again.')
      })
    })
  business
    .command('list')
    .description('list the businesses')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) =>
      withApp(async (app) => {
        const all = await listBusinesses(app)
        if (json) return print(toJson(all))
        for (const { id, name, created_at } of all)
          print(`${id}  ${created_at.toISOString()}  ${name}`)
      }),
    )

  addEmptyCommand(business, context)
}

/**
 * Creates a business as `POST /operator/businesses` does. @throws {Refusal} `cell_full`
 */
async function createAsOperator(app: App, called: string): Promise<NewBusiness> {
  const now = app.clock.now()
  const ctx = outside(app, operatorScope(now, { type: 'operator', at: now }))
  const made = await ctx.write((work) => createBusiness(work, { ...app, name: called }))
  const { id, name, created_at, test_key, live_key } = made
  return { business: { id: id as Id, name, created_at }, test_key, live_key }
}

function addMailCommand(program: Command, { withApp, print }: CommandContext): void {
  program
    .command('mail')
    .description('show the latest mail to customers: sent, or captured in test mode')
    .argument('[id]', 'the whole text of one')
    .option('--limit <n>', 'how many', '20')
    .action((id: string | undefined, { limit }: { limit: string }) =>
      withApp(async (app) => {
        if (!/^[1-9]\d*$/.test(limit))
          throw new UserError('--limit must be a whole number from 1 on.')
        const mails = await latestMails(
          app.db,
          id === undefined ? Math.min(Number(limit), 1_000) : 1_000,
        )
        const shown = id === undefined ? mails : mails.filter((mail) => mail.id === id)
        if (shown.length === 0 && id !== undefined)
          throw new UserError(`There is no mail '${id}' among the latest.`)
        if (shown.length === 0) print('There is no mail.')
        for (const mail of shown) {
          print(
            printable(
              `${mail.id}  ${mail.status.padEnd(8)}  ${mail.created_at.toISOString()}  ${mail.recipient}  ${mail.subject}`,
            ),
          )
          if (id !== undefined) print(`\n${printableText(mail.body)}`)
        }
      }),
    )
}

/**
 * Opens the dependencies for one command. Its own log stays quiet, so that what it prints can be
 * piped.
 */
async function openFor(
  config: Config,
  ...[work, bringUp]: Parameters<CommandContext['withApp']>
): Promise<void> {
  const stop = stopSignal(config.STOP_TIMEOUT)
  const opened = await open({ ...config, LOG_LEVEL: 'silent' }, 'tool', { bringUp })
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
