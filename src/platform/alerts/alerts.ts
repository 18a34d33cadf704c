/**
 * What the operator is told of by himself: each condition once, by mail and by a POST, until it is
 * over.
 */
import type { App } from '../../core/app.ts'
import { later } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { PeriodicTask } from '../../lib/periodic.ts'
import { deliver } from '../mail/mail.ts'
import * as statements from './sql.ts'

/** Something that needs a person now. */
export type Condition = {
  /** What tells two of them apart: without amounts and times, which change while it lasts. */
  name: string
  /** Without its full stop. */
  sentence: string
  /** How long it must last before anybody is told. Milliseconds. */
  afterMs: number
}

/**
 * What there is to tell. `unseen`: the beginnings of names that could not be looked at: of those
 * nothing is over.
 */
export type Looked = { conditions: Condition[]; unseen: string[] }

const everyMs = 60_000
const postMs = 10_000

type Channel = { name: string; tell(alerts: statements.DueAlert[]): Promise<void> }

function channelsOf(app: App): Channel[] {
  const { OPERATOR_EMAIL: recipient, OPERATOR_WEBHOOK_URL: url } = app.config
  const mail: Channel = {
    name: 'mail',
    async tell(alerts) {
      const id = newId(app.clock.now())
      const body = `${textOf(alerts)}\n\n${app.origin.url}\n`
      const end = await deliver(
        app,
        { id, recipient: recipient as string, subject: subjectOf(alerts), body },
        [],
      )
      if (end === 'failed') throw new Error('the SMTP server refused the operator’s address')
    },
  }
  const hook: Channel = {
    name: 'webhook',
    async tell(alerts) {
      const response = await fetch(url as string, {
        method: 'POST',
        redirect: 'error',
        signal: AbortSignal.timeout(postMs),
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          text: `${subjectOf(alerts)}\n${textOf(alerts)}`,
          server: app.origin.url,
          alerts: alerts.map(({ condition, sentence, since }) => ({
            condition: condition.slice('webhook '.length),
            sentence,
            since,
          })),
        }),
      })
      await response.body?.cancel()
      if (!response.ok) throw new Error(`it answers ${response.status}`)
    },
  }
  return [...(recipient === null ? [] : [mail]), ...(url === null ? [] : [hook])]
}

const subjectOf = (alerts: statements.DueAlert[]): string =>
  alerts.length === 1 ? 'Bursar: something needs you' : `Bursar: ${alerts.length} things need you`

const textOf = (alerts: statements.DueAlert[]): string =>
  alerts.map(({ sentence }) => `- ${sentence}.`).join('\n')

/**
 * Looks, and tells what is new; nothing where nobody is to be told. A crash between telling and its
 * record tells it once more.
 */
export async function notifyOperator(app: App, look: () => Promise<Looked>): Promise<void> {
  const channels = channelsOf(app)
  if (channels.length === 0) return
  const { conditions, unseen } = await look()
  const now = app.clock.now()
  const rows = channels.flatMap(({ name: channel }) =>
    conditions.map(({ name, sentence, afterMs }) => ({
      name: `${channel} ${name}`,
      sentence,
      tryAt: later(now, afterMs),
    })),
  )
  const [names, sentences] = [rows.map(({ name }) => name), rows.map(({ sentence }) => sentence)]
  await app.db.rows(statements.insertAlerts, [
    names,
    sentences,
    now,
    rows.map(({ tryAt }) => tryAt),
  ])
  const kept = channels.flatMap(({ name }) => unseen.map((prefix) => `${name} ${prefix}`))
  await app.db.rows(statements.deleteOver, [names, kept])
  for (const channel of channels) {
    const due = await app.db.rows(statements.takeDue, [`${channel.name} `, now])
    if (due.length === 0) continue
    try {
      await channel.tell(due)
      await app.db.rows(statements.recordNotified, [
        due.map(({ condition }) => condition),
        app.clock.now(),
      ])
    } catch (error) {
      // Its address may be a secret.
      app.log.error(
        { channel: channel.name, error: (error as Error).message },
        'the operator could not be told',
      )
    }
  }
}

export const alertsTask = (app: App, look: () => Promise<Looked>): PeriodicTask => ({
  name: 'tell the operator',
  everyMs,
  run: () => notifyOperator(app, look),
})
