/**
 * Commands that look after the keys that secrets are sealed with: how they are changed while the
 * servers run.
 */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { App } from '../../core/app.ts'
import { countSealed, forgetKeys, keysInUse, resealAll } from '../../db/sealed.ts'
import { addKey, dropOldKeys, keyFileOf } from '../../lib/key-file.ts'
import { sealedColumns } from '../open.ts'
import type { CommandContext } from './context.ts'
import { progress, UserError } from './terminal.ts'

type Print = (line: string) => void
/** Adds `bursar secrets …`. */
export function addSecretsCommands(
  program: Command,
  { withApp, config, print }: CommandContext,
): void {
  const secrets = program.command('secrets').description('manage the key that encrypts secrets')
  secrets
    .command('status')
    .description('show how many values each key encrypts')
    .action(() => withApp((app) => showStatus(app, print)))
  secrets
    .command('new-key')
    .description('add a new key to secrets.key; then restart the servers')
    .action(() => {
      const { SECRETS_KEY: given, DATABASE_URL: url, DATA_DIR: dir } = config()
      if (given !== null || url !== null)
        throw new UserError(
          'Your key is a setting: give a new one (`openssl rand -hex 32`) as SECRETS_KEY, move the one before it to SECRETS_KEYS_OLD, and restart.',
        )
      addKey(resolve(dir))
      print(
        `${keyFileOf(resolve(dir))} has a new key. Restart the server, then run \`bursar secrets rotate\`.`,
      )
    })
  secrets
    .command('rotate')
    .description(
      'encrypt everything again with the current key, while servers run; can be interrupted and repeated',
    )
    .action(() => withApp((app) => rotate(app, print)))
  secrets
    .command('forget')
    .description('discard values of a lost key, so that the server starts without it')
    .argument('<key-id>', 'the id that the server names when it does not start')
    .action((id: string) => withApp((app) => forget(app, id, print)))
}

async function showStatus({ db, secrets }: App, print: Print): Promise<void> {
  const [current, ...old] = secrets.map(({ id }) => id)
  const roleOf = (id: string): string =>
    id === current ? 'in use' : old.includes(id) ? 'old' : 'MISSING'
  print(`key ${current}  in use`)
  for (const id of old) print(`key ${id}  old`)
  for (const id of await keysInUse(db)) if (roleOf(id) === 'MISSING') print(`key ${id}  MISSING`)
  for (const column of sealedColumns)
    for (const { key_id: id, rows } of await countSealed(db, column)) {
      const by = id === null ? 'a version without key ids' : `${id}  ${roleOf(id)}`
      print(`${column.name}  ${rows} sealed by ${by}`)
    }
}

/** How many values are sealed by others than a key. */
async function countOthers(db: App['db'], keyId: string): Promise<number> {
  let others = 0
  for (const column of sealedColumns)
    for (const { key_id, rows } of await countSealed(db, column))
      if (key_id !== keyId) others += Number(rows)
  return others
}

/**
 * @throws {UserError} while the server that started last seals under another key: one that lacks
 * this one could open nothing of what is sealed here
 */
async function rotate({ db, secrets, config }: App, print: Print): Promise<void> {
  const [current, ...old] = secrets
  if ((await keysInUse(db))[0] !== current.id)
    throw new UserError(
      `The servers do not seal under key ${current.id} yet: restart all of them with it, and with the key before it, then run this again.`,
    )
  const shown = progress('sealed again', 'values')
  const total = shown.isShown ? await countOthers(db, current.id) : 0
  const done = new Map<string, number>()
  const unreadable = await resealAll(db, secrets, sealedColumns, (column, sealed) => {
    done.set(column, sealed)
    const sum = [...done.values()].reduce((all, one) => all + one, 0)
    // What servers have written meanwhile was not counted.
    if (shown.isShown) shown(sum, Math.max(total, sum + 1))
    else print(`${column}  ${sealed} sealed again`)
  })
  shown.end()
  if (shown.isShown) for (const [column, sealed] of done) print(`${column}  ${sealed} sealed again`)
  for (const [column, values] of unreadable)
    print(
      `LOOK  ${values} of ${column} are sealed under a key that is not given, and stay as they are`,
    )
  await forgetKeys(
    db,
    old.map(({ id }) => id),
  )
  print(`Everything that the keys given can open is sealed under key ${current.id}.`)
  const dir = resolve(config.DATA_DIR)
  if (config.SECRETS_KEYS_OLD.length > 0)
    print('Empty SECRETS_KEYS_OLD now. Keep the old key with the backups that were made until now.')
  else if (old.length > 0 && dropOldKeys(dir, current.raw.export()))
    print(
      `${keyFileOf(dir)} holds this key alone now. A backup that was made until now needs the file of its time.`,
    )
}

/** @throws {UserError} for a key that is at hand, or unknown */
async function forget({ db, secrets }: App, id: string, print: Print): Promise<void> {
  if (secrets.some((key) => key.id === id))
    throw new UserError(
      `Key ${id} is not lost: it is given. \`bursar secrets rotate\` does without it.`,
    )
  const [forgotten] = await forgetKeys(db, [id])
  if (forgotten === undefined)
    throw new UserError(`Nothing is known of a key ${id}. \`bursar secrets status\` shows them.`)
  print(
    `Key ${id} is given up. Roll the secrets of webhook endpoints, and have identity documents given again.`,
  )
}
