/** What Stripe's events of API v2 are about. They are thin: an event names the payment that it is about, and says nothing of it. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import type { Inbound, InboundNotification } from '../inbound.ts'
import { asObject, textOf } from '../values.ts'
import type { Account } from './account.ts'
import { readList } from './lists.ts'

/** How old a delivery may be. */
const oldestSeconds = 300

const types = ['canceled', 'failed', 'posted', 'returned'].map((one) => `v2.money_management.outbound_payment.${one}`)

/** Whether Stripe signed these bytes, with one of the secrets of the endpoint: several stand in the header while one is rolled. */
export function isSigned(secrets: readonly string[], raw: Buffer, header: string, now: Date): boolean {
  const parts = header.split(',').map((part) => part.split('='))
  const time = parts.find(([name]) => name === 't')?.[1] ?? ''
  if (!/^\d{1,12}$/.test(time) || Math.abs(now.getTime() / 1_000 - Number(time)) > oldestSeconds) return false
  const given = parts.filter(([name]) => name === 'v1').map(([, text]) => Buffer.from(text ?? '', 'utf8'))
  const dues = secrets.map((secret) =>
    Buffer.from(createHmac('sha256', secret).update(`${time}.`).update(raw).digest('hex')),
  )
  return dues.some((due) => given.some((one) => one.length === due.length && timingSafeEqual(one, due)))
}

/** What an event is about; null for one that says nothing to us. @throws {Error} when it is none of Stripe's, or of the other mode */
export function notificationOf(event: Record<string, unknown> | null, livemode: boolean): InboundNotification | null {
  const [key, type] = [textOf(event?.id), textOf(event?.type)]
  if (event === null || key === null || type === null)
    throw new Error('no event of Stripe: it has no id, or names no type')
  if (!types.includes(type)) return null
  if (event.livemode !== livemode) throw new Error('an event of the other mode')
  const providerId = textOf(asObject(event.related_object)?.id)
  return { key, type, about: { kind: 'payout', reference: null, providerId } }
}

/** @param secrets those of the endpoint: the one of now, and the one before while it is rolled. None: nothing is taken */
export function stripeInbound(account: Account, secrets: readonly string[], clock: Clock): Inbound {
  const { livemode } = account
  return {
    verify: (raw, headers) => isSigned(secrets, raw, headers['stripe-signature'] ?? '', clock.now()),
    read: (raw) => notificationOf(asObject(JSON.parse(raw.toString('utf8'))), livemode),
    async missed(from, to) {
      const within = { 'created[gte]': from.toISOString(), 'created[lte]': to.toISOString() }
      const wanted = Object.fromEntries(types.map((type, i) => [`types[${i}]`, type]))
      const rows = await readList(account, '/v2/core/events', { ...within, ...wanted }, 'sweep')
      return rows?.map((row) => notificationOf(row, livemode)).filter((one) => one !== null) ?? null
    },
  }
}
