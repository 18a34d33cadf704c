/**
 * `bursar login` and `logout`: which API key and which server the commands for integrators speak
 * with. They need neither the server's settings nor its database.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { type Command, CommanderError } from 'commander'
import { replaceFile } from '../../lib/files.ts'
import { cleanText } from '../../lib/setting-readers.ts'
import { print, printable, UserError } from './terminal.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** A server, and the key it is asked with. */
export type Access = { url: string; key: string }

/** What the commands for integrators end with, beside 0 and 1. */
export const exits = { usage: 2, key: 3, unreachable: 4 } as const

export const exitsHelp = `
Exit codes: 0 done, 1 anything else, 2 wrong usage, 3 no API key or one that is refused,
4 the server cannot be reached at first.`

const defaultUrl = 'http://localhost:4000'
const answerWithinMs = 15_000

/** Adds `bursar login` and `bursar logout`. @param out prints a line */
export function addAccessCommands(program: Command, env: Environment, out = print): void {
  withUsageStatus(program.command('login'))
    .description('save the API key and URL of a server')
    .option('--url <url>', `where the server is (default: BURSAR_URL, else ${defaultUrl})`)
    .addHelpText(
      'after',
      `
Asks for the key, or reads it from standard input. It is no option, since other users of the machine
see the options of a process. BURSAR_KEY and BURSAR_URL in the environment take precedence over the saved values.
${exitsHelp}`,
    )
    .action(async ({ url }: { url?: string }) => {
      const access = {
        url: readServerUrl(url ?? (variable(env, 'BURSAR_URL') || defaultUrl)),
        key: readKey(await askForKey()),
      }
      const business = await businessNameOf(access)
      const file = fileOf(env)
      keepFile(file, `${JSON.stringify({ url: access.url, api_key: access.key }, null, 2)}\n`)
      out(printable(`Logged in to ${business} (${modeOfKey(access.key)} mode) at ${access.url}.`))
      out(`The key is saved in ${file}; \`bursar logout\` deletes it.`)
      if (variable(env, 'BURSAR_KEY'))
        out('BURSAR_KEY is set in this environment and takes precedence.')
    })

  withUsageStatus(program.command('logout'))
    .description('delete the API key that login saved')
    .action(() => {
      const kept = readKept(env)
      rmSync(fileOf(env), { force: true })
      out(
        kept
          ? `Logged out of ${kept.url}. The key still works: revoke it if others know it.`
          : 'No key is saved.',
      )
    })
}

/** Has a command end with `exits.usage` where it is used wrongly. */
export function withUsageStatus(command: Command): Command {
  return command.exitOverride(({ exitCode, code, message }) => {
    throw new CommanderError(exitCode === 0 ? 0 : exits.usage, code, message)
  })
}

/** Whether a key is of live mode or of test mode. */
export const modeOfKey = (key: string): 'live' | 'test' =>
  key.startsWith('sk_live_') ? 'live' : 'test'

/**
 * The folder of a user's own settings: https://specifications.freedesktop.org/basedir-spec/latest/
 */
export function folderOf({ XDG_CONFIG_HOME: home = '' }: Environment): string {
  return join(isAbsolute(home) ? home : join(homedir(), '.config'), 'bursar')
}

/**
 * Gives a file of that folder a text, for its owner alone. @throws {UserError} when it cannot be
 * written
 */
export function keepFile(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    replaceFile(file, text)
  } catch (error) {
    throw new UserError(
      `${file} cannot be written: ${(error as Error).message}; XDG_CONFIG_HOME names another folder.`,
    )
  }
}

const fileOf = (env: Environment): string => join(folderOf(env), 'config.json')

/**
 * The server and the key to use: those of the environment, else those that `bursar login` has kept.
 * A kept key goes to its own server alone.
 * @throws {UserError} with `exits.key` when there is no key, with `exits.usage` when a URL is none
 */
export function accessOf(env: Environment): Access {
  const kept = readKept(env)
  const named = variable(env, 'BURSAR_URL')
  const url = named ? readServerUrl(named) : (kept?.url ?? defaultUrl)
  const key = variable(env, 'BURSAR_KEY')
  if (key) return { url, key: readKey(key) }
  if (!kept) throw new UserError('No API key: run `bursar login`, or set BURSAR_KEY.', exits.key)
  if (kept.url !== url)
    throw new UserError(
      `The saved key is for ${kept.url}, and BURSAR_URL is ${url}: set BURSAR_KEY too, or \`bursar login --url ${url}\`.`,
      exits.key,
    )
  return kept
}

/**
 * The server to ask what needs no key. @throws {UserError} with `exits.usage` when its URL is none
 */
export function serverOf(env: Environment): string {
  const named = variable(env, 'BURSAR_URL')
  return named ? readServerUrl(named) : (readKept(env)?.url ?? defaultUrl)
}

/**
 * The text of a variable as settings are read: empty where it is left out. @throws {UserError} with
 * `exits.usage`; it shows no value
 */
function variable(env: Environment, name: 'BURSAR_URL' | 'BURSAR_KEY'): string {
  try {
    return cleanText(env[name] ?? '')
  } catch (error) {
    throw new UserError(`${name} ${(error as Error).message}.`, exits.usage)
  }
}

function readKept(env: Environment): Access | null {
  const file = fileOf(env)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new UserError(`${file} cannot be read: ${(error as Error).message}`)
  }
  try {
    const { url, api_key } = JSON.parse(text)
    return { url: readServerUrl(url), key: readKey(api_key) }
  } catch {
    throw new UserError(`${file} is not what \`bursar login\` writes: delete it, and log in again.`)
  }
}

function readServerUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  const plain =
    url &&
    /^https?:$/.test(url.protocol) &&
    `${url.username}${url.password}${url.search}${url.hash}` === ''
  if (!plain)
    throw new UserError(`'${text}' is not the URL of a server, such as ${defaultUrl}.`, exits.usage)
  return url.href.replace(/\/+$/, '')
}

/** A key as it can stand in a header. */
function readKey(text: string): string {
  const key = text.trim()
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new UserError('An API key begins with sk_test_ or sk_live_.', exits.key)
  return key
}

/** From a terminal, without showing it; else the first line of standard input. */
async function askForKey(): Promise<string> {
  const isTerminal = process.stdin.isTTY === true
  if (isTerminal) process.stderr.write('API key (it is not shown): ')
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: isTerminal })
  const line = await new Promise<string>((resolve) => {
    lines.once('line', resolve)
    lines.once('close', () => resolve(''))
  })
  lines.close()
  if (isTerminal) process.stderr.write('\n')
  if (line.trim() === '')
    throw new UserError(
      'No API key was given: type it when you are asked, or pipe it to standard input.',
      exits.key,
    )
  return line
}

/**
 * @throws {UserError} with `exits.key` when the server refuses the key, with `exits.unreachable`
 * when it does not answer as one
 */
async function businessNameOf({ url, key }: Access): Promise<string> {
  const response = await fetch(`${url}/business`, {
    headers: { authorization: `Bearer ${key}` },
    redirect: 'manual',
    signal: AbortSignal.timeout(answerWithinMs),
  }).catch((error) => {
    throw unreachable(url, error)
  })
  if (!response.ok) throw await refusalOf(url, response)
  const body = (await response.json().catch(() => null)) as { data?: { name?: unknown } } | null
  if (typeof body?.data?.name !== 'string')
    throw new UserError(`There is no Bursar server at ${url}: ${elsewhere}.`, exits.unreachable)
  return body.data.name
}

/** What an answer that is no success means to whoever asked. */
export async function refusalOf(url: string, response: Response): Promise<UserError> {
  const { status } = response
  const body = (await response.json().catch(() => null)) as {
    message?: unknown
    errors?: { code?: unknown }
  } | null
  const said = typeof body?.message === 'string' ? printable(body.message) : `HTTP ${status}`
  const code = body?.errors?.code
  if (status === 403 && code === 'scope_missing')
    return new UserError(
      `The API key lacks a scope: ${said} Add it with \`bursar keys scopes\`.`,
      exits.key,
    )
  if (status === 401 || status === 403)
    return new UserError(
      `${url} refuses the API key: ${said} Save another with \`bursar login --url ${url}\`.`,
      exits.key,
    )
  const location = response.headers.get('location')
  if (status >= 300 && status < 400 && location !== null)
    return new UserError(
      `${url} redirects to ${printable(location)}: give the URL of the server itself.`,
      exits.unreachable,
    )
  return new UserError(
    `${url} does not do what a Bursar server does: ${said}; ${elsewhere}.`,
    exits.unreachable,
  )
}

/** What to do about a URL where no server answers. */
const elsewhere = '`bursar login --url URL` names another, and `bursar serve` starts one'

/** What it means that a request got no answer. */
export const unreachable = (url: string, error: unknown): UserError =>
  new UserError(`${url} cannot be reached: ${reasonOf(error)}; ${elsewhere}.`, exits.unreachable)

/** Why a request got no answer. Errors of several addresses at once have a code, but no message. */
export function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: NodeJS.ErrnoException }
  if (name === 'TimeoutError') return 'no answer in time'
  return printable(cause?.message || cause?.code || message || name)
}
