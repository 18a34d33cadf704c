/**
 * Commands that look after what payment providers notify of.
 */
import type { Command } from 'commander'
import { closeIt } from '../../api/installation/installation.ts'
import type { App } from '../../core/app.ts'
import { outside } from '../../core/outside.ts'
import { toJson } from '../../lib/json.ts'
import { modeOf } from '../../lib/mode.ts'
import {
  latestEvents,
  type ProviderEvent,
  readEvent,
  replayEvents,
} from '../../platform/inbound/inbound.ts'
import {
  findIncident,
  type Incident,
  incidentKinds,
  listIncidents,
} from '../../platform/incidents/incidents.ts'
import { operatorScope } from '../../platform/operator/operator.ts'
import type { CommandContext } from './context.ts'
import { printable, UserError } from './terminal.ts'
import { readName } from './texts.ts'

/** Adds `bursar rails incidents` and `bursar rails events`. */
export function addInboundCommands(rails: Command, { withApp, print }: CommandContext): void {
  rails
    .command('incidents')
    .description('list incidents at the provider accounts, or close one')
    .option('--json', 'print JSON')
    .option('--all', 'also closed ones')
    .option('--close <id>', 'close this one')
    .option('--by <name>', 'your name, for the record')
    .action(
      ({ json, all, close, by }: { json?: boolean; all?: boolean; close?: string; by?: string }) =>
        withApp(async (app) => {
          if ((close === undefined) !== (by === undefined))
            throw new UserError('--close <id> and --by <name> go together: who has looked is kept.')
          if (close === undefined) {
            const found = await listIncidents(app.db, { closed: all === true })
            if (json) return print(toJson(found))
            if (found.length === 0) print('No incident is open.')
            for (const incident of found)
              for (const line of incidentLines(incident)) print(printable(line))
            return
          }
          const name = readName('--by', by as string, 200)
          const closed = await closeOpen(app, close, name)
          print(json ? toJson(closed) : printable(`${closed.id} is closed, by ${name}.`))
        }),
    )
  rails
    .command('events')
    .description('show recent webhooks of a provider and their outcome, or apply them again')
    .argument('<name>', 'the account’s name')
    .option('--json', 'print JSON')
    .option('--limit <n>', 'how many', '20')
    .option('--show <id>', 'print the original body of this one; applied ones have none any more')
    .option('--replay', 'apply those again that had no effect')
    .option('--id <id>', 'with --replay: this one, in any state')
    .action((name: string, options: EventOptions) =>
      withApp(async (app) => {
        const { json, limit, show, replay, id } = options
        if (!/^[1-9]\d{0,3}$/.test(limit))
          throw new UserError('--limit must be a whole number from 1 to 9999.')
        if (show !== undefined) return print(printable(await bodyOf(app, name, show)))
        if (replay) {
          const count = await replayEvents(app, name, id ?? null)
          if (id !== undefined && count === 0)
            throw new UserError(`${name} has no event '${id}' that can be applied.`)
          return print(
            `${count} ${count === 1 ? 'event is' : 'events are'} applied anew, by the servers that run.`,
          )
        }
        const events = await latestEvents(app.db, name, Number(limit))
        if (json) return print(toJson(events))
        if (events.length === 0) print(`${name} has notified of nothing.`)
        for (const event of events) print(printable(eventLine(event)))
      }),
    )
}

type EventOptions = { json?: boolean; limit: string; show?: string; replay?: boolean; id?: string }

/** Closes an incident as `POST /operator/incidents/{id}/close` does. @throws {UserError} */
async function closeOpen(app: App, id: string, name: string): Promise<Incident> {
  if ((await findIncident(app.db, id))?.closed_at !== null)
    throw new UserError(`There is no open incident '${id}'.`)
  const now = app.clock.now()
  const ctx = outside(app, operatorScope(now, { type: 'operator', at: now, name }))
  return ctx.write((work) => closeIt(work, { clock: app.clock, id, note: null }))
}

async function bodyOf(app: App, name: string, id: string): Promise<string> {
  const found = await readEvent(app, name, id)
  if (found === null) throw new UserError(`${name} has no event '${id}'.`)
  return found.body?.toString() ?? `The event is ${found.event.outcome}; its body is not kept.`
}

function incidentLines(incident: Incident): string[] {
  const {
    id,
    rail,
    kind,
    subject,
    business_id,
    detail,
    times,
    opened_at,
    seen_at,
    closed_at,
    closed_by,
  } = incident
  const found = times > 1 ? `, ${times} times until ${seen_at.toISOString()}` : ''
  const facts = Object.entries({ business: business_id, ...detail }).filter(
    ([, value]) => value !== null,
  )
  return [
    `${id}  ${modeOf(incident.livemode)}  ${rail}  ${kind}  ${subject}`,
    `  found    ${opened_at.toISOString()}${found}`,
    ...(facts.length > 0
      ? [`  about    ${facts.map(([name, value]) => `${name} ${String(value)}`).join(', ')}`]
      : []),
    closed_at === null
      ? `  do       ${incidentKinds[kind]}`
      : `  closed   ${closed_at.toISOString()}, by ${closed_by}`,
  ]
}

function eventLine(event: ProviderEvent): string {
  const { id, received_at, type, kind, reference, provider_id, deliveries, tries, outcome } = event
  const state =
    outcome ?? (tries > 0 ? `waits, tried ${tries} ${tries === 1 ? 'time' : 'times'}` : 'waits')
  const again = deliveries > 1 ? `, delivered ${deliveries} times` : ''
  const about = [kind, reference, provider_id].filter((part) => part !== null).join(' ')
  return `${id}  ${modeOf(event.livemode)}  ${received_at.toISOString()}  ${type}  ${about}  ${state}${again}`
}
