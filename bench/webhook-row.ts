/**
 * The row of webhook deliveries, which `webhooks.ts` measures: it exports
 *
 *     export async function webhookDeliveries(options: { dir: string }): Promise<Webhooks>
 *
 * which is called once, before the rounds, and opens what it needs (a server that may deliver to a local HTTPS receiver, on
 * a database of its own below `dir`). `measure` is called once a round.
 */
import { existsSync, readFileSync } from 'node:fs'
import type { Measure } from './load.ts'

export type Webhooks = {
  /** Delivers for about so many seconds. The value is deliveries a second whose attempt is in the log. */
  measure(seconds: number): Promise<Measure>
  /** Processes of the product, whose memory counts. */
  pids: number[]
  close(): Promise<void>
}

/** @returns null where nothing measures them */
export async function openWebhooks(dir: string): Promise<Webhooks | null> {
  const file = new URL('webhooks.ts', import.meta.url)
  if (!existsSync(file) || !/^export .*\bwebhookDeliveries\b/m.test(readFileSync(file, 'utf8'))) return null
  const { webhookDeliveries } = (await import(file.href)) as {
    webhookDeliveries(options: { dir: string }): Promise<Webhooks>
  }
  return webhookDeliveries({ dir })
}
