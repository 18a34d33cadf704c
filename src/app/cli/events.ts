/**
 * `bursar events`: what has happened, what happens, and sending it again.
 */
import type { Command } from 'commander'
import { accessOf, type Environment, exits, exitsHelp, withUsageStatus } from './access.ts'
import { type Doc, listOf, makeApi } from './api.ts'
import { eventTypes, readTypes } from './event-types.ts'
import { follow } from './follow.ts'
import { stopSignal } from './signals.ts'
import {
  type Column,
  formOf,
  lister,
  outputOptions,
  print,
  type Shown,
  say,
  UserError,
} from './terminal.ts'

/** Adds `bursar events …`. @param out prints a line */
export function addEventCommands(program: Command, env: Environment, out = print): void {
  const events = withUsageStatus(program.command('events')).description(
    'list events and send them again',
  )
  const add = (name: string): Command => events.command(name).addHelpText('after', exitsHelp)

  outputOptions(
    add('list')
      .description('list events, newest first')
      .option('--type <type>', 'only of this type, such as payment.completed')
      .option('--limit <n>', 'how many', '20'),
  ).action(async ({ type, limit, ...shown }: Shown & { type?: string; limit: string }) => {
    if (type !== undefined && !eventTypes.includes(type))
      throw new UserError(
        `--type: there is no '${type}'. There are ${eventTypes.join(', ')}.`,
        exits.usage,
      )
    const count = readLimit(limit)
    const line = lister(formOf(shown), columns, out)
    const api = makeApi(accessOf(env))
    for await (const event of listOf(api, '/events', type === undefined ? {} : { type }, count))
      line(event)
  })

  outputOptions(
    add('tail')
      .description('show events as they happen, until Ctrl-C')
      .option('--type <types>', 'which, comma-separated, such as payment.completed,payout.*', '*'),
  ).action(async ({ type, ...shown }: Shown & { type: string }) => {
    const wants = readTypes('--type', type)
    const access = accessOf(env)
    const line = lister(formOf(shown), columns, out)
    const stop = stopSignal()
    let isOpen = false
    for await (const { body } of follow(access, null, { stop, say })) {
      if (!isOpen) say(`Following ${access.url}. Ctrl-C ends it.`)
      isOpen = true
      const event = body === null ? null : (JSON.parse(body) as Doc)
      if (event && wants(String(event.type))) line(event)
    }
  })

  outputOptions(
    add('resend')
      .description('send an event again now')
      .argument('<event-id>', 'the event')
      .option('--to <webhook-id>', 'the endpoint (default: all that the event went to)'),
  ).action(async (id: string, { to, ...shown }: Shown & { to?: string }) => {
    const api = makeApi(accessOf(env))
    const targets = new Set(to === undefined ? [] : [to])
    if (to === undefined)
      for await (const { webhook_id } of listOf(api, '/webhooks/events', { event_id: id }, 1_000))
        targets.add(String(webhook_id))
    if (targets.size === 0) {
      await api('GET', `/events/${encodeURIComponent(id)}`)
      throw new UserError(
        `${id} went to no endpoint: --to names one, and GET /webhooks shows those that there are.`,
      )
    }
    const line = lister(formOf(shown), deliveryColumns, out)
    for (const webhook_id of targets)
      line(await api('POST', '/webhooks/events/resend', { event_id: id, webhook_id }))
  })
}

const widest = Math.max(...eventTypes.map((type) => type.length))

const columns: Column<Doc>[] = [
  { head: 'TIME', of: ({ timestamp }) => timestamp, width: 24 },
  { head: 'TYPE', of: ({ type }) => type, width: widest },
  { head: 'EVENT', of: ({ id }) => id, width: 24 },
  { head: 'ABOUT', of: ({ payload }) => (payload as Doc).id ?? (payload as Doc).customer ?? '' },
]

const deliveryColumns: Column<Doc>[] = [
  { head: 'DELIVERY', of: ({ id }) => id, width: 24 },
  { head: 'ENDPOINT', of: ({ webhook_id }) => webhook_id, width: 24 },
  { head: 'URL', of: ({ url }) => url },
]

/** @throws {UserError} */
function readLimit(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw new UserError('--limit must be a whole number from 1 on.', exits.usage)
  return Number(text)
}
