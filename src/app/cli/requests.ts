/**
 * `bursar requests tail`: the requests that are made with the keys of a business, as the server
 * answers them.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { accessOf, type Environment, exits, exitsHelp, withUsageStatus } from './access.ts'
import { type Allowance, type Api, type Doc, listOf, makeApi } from './api.ts'
import { stopSignal } from './signals.ts'
import {
  type Column,
  formOf,
  lister,
  outputOptions,
  type Shown,
  say,
  UserError,
} from './terminal.ts'

const everyMs = 2_000
/** One that began before another may be answered, and shown, so much later. */
const lateMs = 60_000
const most = 10_000

/** Adds `bursar requests …`. */
export function addRequestCommands(program: Command, env: Environment): void {
  const requests = withUsageStatus(program.command('requests')).description(
    'list API requests made with your keys',
  )
  outputOptions(
    requests
      .command('tail')
      .description(
        'show requests as they are answered, until Ctrl-C; for a key with the scope manage',
      )
      .option('--failed', 'only those answered with 400 or above')
      .addHelpText('after', exitsHelp),
  ).action(async ({ failed, ...shown }: Shown & { failed?: boolean }) => {
    const access = accessOf(env)
    const line = lister(formOf(shown), columns)
    const stop = stopSignal()
    const query: Record<string, string> = failed ? { failed: 'true' } : {}
    let isOpen = false
    for await (const request of newRequests(makeApi(access), query, stop, () => {
      if (!isOpen) say(`Following ${access.url}. Ctrl-C ends it.`)
      isOpen = true
    }))
      line(request)
  })
}

/**
 * Requests that were not there at first. @param reached is called whenever the server has answered
 */
async function* newRequests(
  api: Api,
  query: Record<string, string>,
  stop: AbortSignal,
  reached: () => void,
): AsyncGenerator<Doc> {
  let newest: Doc | undefined
  let seen: Set<string> | null = null
  let isGone = false
  let isSlow = false
  while (!stop.aborted) {
    try {
      if (!newest) for await (const one of listOf(api, '/requests', query, 1)) newest = one
      const from: Record<string, string> = newest
        ? { from: new Date(timeOf(newest) - lateMs).toISOString() }
        : {}
      const found: Doc[] = []
      for await (const one of listOf(api, '/requests', { ...query, ...from }, most)) found.push(one)
      const fresh = found.filter(({ id }) => seen !== null && !seen.has(id))
      newest = found[0] ?? newest
      seen = new Set(found.map(({ id }) => id))
      reached()
      if (isGone) say('Connected again.')
      isGone = false
      yield* fresh.reverse()
    } catch (error) {
      const isLimited = api.allowance()?.left === 0
      if (
        seen === null ||
        !(error instanceof UserError && (isLimited || error.status === exits.unreachable))
      )
        throw error
      if (!isGone && !isLimited) say('The server is gone; asking again.')
      isGone ||= !isLimited
    }
    const waitMs = waitIn(api.allowance())
    if (waitMs > everyMs && !isSlow)
      say(
        `The server allows an address ${api.allowance()?.limit} requests, and half of them are used: asking less often now.`,
      )
    isSlow = waitMs > everyMs
    await sleep(waitMs, undefined, { signal: stop }).catch(() => {})
  }
}

/** The half of what an address is allowed is left to whoever is looked at from it. */
function waitIn(allowance: Allowance | null): number {
  if (allowance === null || allowance.left > allowance.limit / 2) return everyMs
  return Math.max(
    everyMs,
    allowance.left > 1 ? allowance.resetsInMs / (allowance.left / 2) : allowance.resetsInMs,
  )
}

const timeOf = ({ created_at }: Doc): number => Date.parse(String(created_at))

const columns: Column<Doc>[] = [
  { head: 'TIME', of: ({ created_at }) => created_at, width: 24 },
  {
    head: 'STATUS',
    of: ({ status }) => status,
    width: 6,
    paint: ({ status }) => (Number(status) < 400 ? 'green' : 'red'),
  },
  { head: 'METHOD', of: ({ method }) => method, width: 6 },
  { head: 'PATH', of: ({ path }) => path, width: 40 },
  { head: 'MS', of: ({ ms }) => String(Math.round(Number(ms))).padStart(6), width: 6 },
  { head: 'CODE', of: ({ code }) => code ?? '', width: 20 },
  { head: 'REQUEST', of: ({ id }) => id },
]
