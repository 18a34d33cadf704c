/** Alerts the operator by mail and by a POST: once per condition until it ends. */
import type { App } from '../../core/app.ts'
import { later } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { PeriodicTask } from '../../lib/periodic.ts'
import { deliver } from '../mail/mail.ts'
import * as statements from './sql.ts'

/** A condition that needs a person now. */
export type Condition = {
  /** Its identity: without amounts and times, which change while it lasts. */
  name: string
  /** Without a full stop. */
  sentence: string
  /** How long it must last before the operator is notified. Milliseconds. */
  afterMs: number
}

/**
 * The current conditions. `unseen`: name prefixes that could not be checked, whose alerts therefore
 * do not end.
 */
export type CurrentConditions = { conditions: Condition[]; unseen: string[] }

const everyMs = 60_000
const postMs = 10_000

type Channel = { name: string; send(alerts: statements.DueAlert[]): Promise<void> }

function channelsOf(app: App): Channel[] {
  const { OPERATOR_EMAIL: recipient, OPERATOR_WEBHOOK_URL: url } = app.config
  const mail: Channel = {
    name: 'mail',
    async send(alerts) {
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
    async send(alerts) {
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
 * Notifies the operator of new conditions, if there is a channel. A crash between sending and
 * recording sends an alert twice.
 */
export async function notifyOperator(
  app: App,
  look: () => Promise<CurrentConditions>,
): Promise<void> {
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
      await channel.send(due)
      await app.db.rows(statements.recordNotified, [
        due.map(({ condition }) => condition),
        app.clock.now(),
      ])
    } catch (error) {
      // The channel's address may be a secret.
      app.log.error(
        { channel: channel.name, error: (error as Error).message },
        'the operator could not be notified',
      )
    }
  }
}

export const alertsTask = (app: App, look: () => Promise<CurrentConditions>): PeriodicTask => ({
  name: 'tell the operator',
  everyMs,
  run: () => notifyOperator(app, look),
})
