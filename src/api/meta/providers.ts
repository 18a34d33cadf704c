/** Warnings and measures of providers' webhooks and incidents, for `/health` and Prometheus. */
import type { App } from '../../core/app.ts'
import { modeOf } from '../../lib/mode.ts'
import { countUnapplied, type ProviderWebhooks } from '../../platform/inbound/inbound.ts'
import { countOpenIncidents } from '../../platform/incidents/incidents.ts'
import type { Measure } from './metrics.ts'

/** How long a webhook may wait for its provider's answer before it becomes a warning. */
const slowMs = 10 * 60_000

/** Returns sentences for `/health`. */
export async function providerWarnings({
  db,
  clock,
}: Pick<App, 'db' | 'clock'>): Promise<string[]> {
  const [incidents, waiting] = await Promise.all([countOpenIncidents(db), countUnapplied(db)])
  const open = incidents.reduce((sum, one) => sum + one.open, 0n)
  const slow = waiting.filter(({ oldest }) => clock.now().getTime() - oldest.getTime() > slowMs)
  return [
    ...(open > 0n
      ? [
          `${open === 1n ? '1 incident is' : `${open} incidents are`} open: \`bursar rails incidents\` shows what to do`,
        ]
      : []),
    ...slow.map(
      ({ rail, livemode, oldest }) =>
        `webhooks of ${rail} (${modeOf(livemode)}) are not applied since ${oldest.toISOString()}: \`bursar rails events ${rail}\` shows them`,
    ),
  ]
}

/** Returns the same in numbers. @param providerWebhooks null if the process takes no webhooks */
export async function providerMeasures(
  { db }: Pick<App, 'db'>,
  providerWebhooks: ProviderWebhooks | null,
): Promise<Measure[]> {
  // The process's own measures also work without the database.
  const [incidents, waiting] = await Promise.all([
    countOpenIncidents(db),
    countUnapplied(db),
  ]).catch(() => [[], []])
  return [
    ...incidents.map((one) => ({
      name: 'rail_incidents_open',
      help: 'Incidents that a person has not closed',
      labels: { rail: one.rail, mode: modeOf(one.livemode), kind: one.kind },
      value: Number(one.open),
    })),
    ...waiting.map((one) => ({
      name: 'rail_events_unapplied',
      help: 'Webhooks of a provider that are still to be applied',
      labels: { rail: one.rail, mode: modeOf(one.livemode) },
      value: Number(one.unapplied),
    })),
    ...(providerWebhooks?.refused() ?? []).map(({ name, livemode, count }) => ({
      name: 'rail_webhooks_refused',
      help: 'Webhooks with a bad signature or none, since this process started',
      labels: { rail: name, mode: modeOf(livemode) },
      value: count,
    })),
  ]
}
