/**
 * `bursar listen`: brings the events of a business to a program on one's own machine, as the
 * webhooks that it will get.
 */
import { join } from 'node:path'
import { styleText } from 'node:util'
import type { Command } from 'commander'
import { toJson } from '../../lib/json.ts'
import { hmacSha256, sha256Hex } from '../../lib/secrets.ts'
import { spelled } from '../../platform/webhooks/signing.ts'
import {
  type Access,
  accessOf,
  type Environment,
  exits,
  exitsHelp,
  folderOf,
  modeOfKey,
  withUsageStatus,
} from './access.ts'
import { eventTypes, readTypes } from './event-types.ts'
import { follow } from './follow.ts'
import { type Event, makeForwarder, openProgress, retryWaitsMs, type Try } from './forward.ts'
import { takeLock } from './lock.ts'
import { stopSignal } from './signals.ts'
import { print, printable, say, UserError } from './terminal.ts'

type Options = {
  forwardTo?: string
  events: string
  sinceNow?: boolean
  printSecret?: boolean
  json?: boolean
}

/** Adds `bursar listen`. @param out prints a line */
export function addListenCommand(program: Command, env: Environment, out = print): void {
  withUsageStatus(program.command('listen'))
    .description('forward webhooks to your own program')
    .option('--forward-to <url>', 'where they are POSTed, such as http://localhost:3000/webhook')
    .option('--events <types>', 'which, comma-separated, such as payment.completed,payout.*', '*')
    .option('--since-now', 'start from now, without the events since the last run')
    .option('--print-secret', 'print the whsec_… signing secret and exit')
    .option('--json', 'print a line of JSON for each attempt')
    .addHelpText(
      'after',
      `
Events come signed as webhooks are, by nothing but an API key that may read.
The key and the URL are those of \`bursar login\`, or of BURSAR_KEY and BURSAR_URL.
It goes on where it stopped, also after the server was restarted. Ctrl-C ends it.
${exitsHelp}`,
    )
    .action(async (options: Options) => {
      const wants = readTypes('--events', options.events)
      const access = accessOf(env)
      const secrets = spelled(secretOf(access))
      if (options.printSecret) return out(secrets.standard_secret)
      await listen(access, { secrets, wants, target: readTarget(options.forwardTo), options, env })
    })
}

type Listening = {
  secrets: ReturnType<typeof spelled>
  wants(type: string): boolean
  target: URL
  options: Options
  env: Environment
}

async function listen(
  access: Access,
  { secrets, wants, target, options, env }: Listening,
): Promise<void> {
  const stop = stopSignal()
  // Whoever reads what it prints, such as `head`, has enough.
  process.stdout.on('error', () => process.exit(0))
  const names = { server: access.url, forward_to: target.href }
  const name = sha256Hex(`${access.key} ${access.url} ${target.href}`)
  const file = join(folderOf(env), 'listen', `${name.slice(0, 16)}.json`)
  if (!(await takeLock(`listen-${name.slice(0, 32)}`)))
    throw new UserError(
      `Another \`bursar listen\` forwards to ${target.href} with this key already: end that one, or forward to another URL. One can take several types: --events payment.*,payout.*`,
    )
  const progress = openProgress(file, names, options.sinceNow ?? false)
  const counts = { delivered: 0, 'given up': 0 }
  const report = (tried: Try): void => {
    if (tried.error === null) counts.delivered++
    else if (tried.retryInMs === null) counts['given up']++
    print(options.json ? jsonOf(tried) : lineOf(tried))
  }
  const forwarder = makeForwarder(target, secrets.secret, { stop, report })
  let isOpen = false
  try {
    for await (const { place, body } of follow(access, progress.from, { stop, say })) {
      if (!isOpen) greet(access, { secrets, target, options, resumed: progress.from !== null })
      isOpen = true
      const over = progress.take(place, body !== null)
      if (over === null) continue
      const event = body === null ? null : eventOf(body)
      if (event && wants(event.type)) await forwarder.forward(event, over)
      else over(body === null)
    }
  } finally {
    await forwarder.ended()
  }
  say(`${counts.delivered} delivered, ${counts['given up']} given up.`)
}

type Greeting = Pick<Listening, 'secrets' | 'target' | 'options'> & { resumed: boolean }

function greet({ url, key }: Access, { secrets, target, options, resumed }: Greeting): void {
  const mode = modeOfKey(key)
  const real =
    mode === 'live'
      ? styleText('yellow', ' These events are about real money.', { stream: process.stderr })
      : ''
  say(
    `Following ${url}, ${mode} mode, ${resumed ? 'from where it stopped' : 'from now on'}.${real}`,
  )
  say(`Forwarding ${options.events === '*' ? 'every event' : options.events} to ${target.href}`)
  say(`Signing with ${secrets.secret}`)
  say(`that is      ${secrets.standard_secret}   (for libraries of Standard Webhooks)`)
}

/**
 * The same for a key at any time and on any machine, and nothing that the key could be told by: an
 * HMAC under it.
 */
export const secretOf = ({ key }: Access): string =>
  `weh_${hmacSha256(key, 'bursar listen').slice(0, 32)}`

function eventOf(body: string): Event {
  const { id, type } = JSON.parse(body)
  return { id, type, body }
}

function readTarget(text: string | undefined): URL {
  if (text === undefined)
    throw new UserError(
      '--forward-to is missing: where do events go? Such as http://localhost:3000/webhook',
      exits.usage,
    )
  const href = /^[\w.-]+:\d+(\/|$)/.test(text) ? `http://${text}` : text
  const url = URL.canParse(href) ? new URL(href) : null
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UserError(
      `--forward-to must be a URL such as http://localhost:3000/webhook; '${text}' is none.`,
      exits.usage,
    )
  return url
}

const widest = Math.max(...eventTypes.map((type) => type.length))
const tries = retryWaitsMs.length + 1

function jsonOf({ at, event, attempt, status, ms, error, retryInMs }: Try): string {
  return toJson({
    at,
    event_id: event.id,
    type: event.type,
    attempt,
    status,
    ms,
    error,
    outcome: error === null ? 'delivered' : retryInMs === null ? 'given_up' : 'retrying',
    retry_in_ms: retryInMs,
  })
}

function lineOf({ at, event, attempt, status, ms, error, retryInMs }: Try): string {
  const colour = error === null ? 'green' : 'red'
  const count = `try ${attempt} of ${tries}`
  const next =
    retryInMs === null
      ? `given up: GET /events/${event.id} shows it`
      : `again in ${retryInMs / 1_000} s`
  const note = error === null ? (attempt > 1 ? count : '') : `${error}; ${count}, ${next}`
  return [
    styleText('dim', at.toTimeString().slice(0, 8)),
    printable(event.type).padEnd(widest),
    styleText('dim', printable(event.id)),
    styleText(colour, String(status ?? '---')),
    `${String(ms).padStart(5)} ms`,
    ...(note === '' ? [] : [styleText(colour, note)]),
  ].join('  ')
}
