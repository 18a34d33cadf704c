/** A payment provider that signs what it sends, as many do: hex HMAC-SHA512 of the raw bytes. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { App } from '../../src/core/app.ts'
import type { Inbound, NotifiedKind } from '../../src/rails/ports/inbound.ts'
import { type TestServer, until } from './harness.ts'

export const sign = (secret: string, raw: string | Buffer): string =>
  createHmac('sha512', secret).update(raw).digest('hex')

/**
 * Reads such webhooks: `{ event, id, kind, reference, provider_id, … }`; an event `ping` says
 * nothing.
 */
export function signedBy(...secrets: string[]): Inbound {
  return {
    verify(raw, { 'x-signature': given = '' }) {
      return secrets.some((secret) => {
        const expected = Buffer.from(sign(secret, raw))
        return given.length === expected.length && timingSafeEqual(Buffer.from(given), expected)
      })
    },
    read(raw) {
      const {
        event,
        id,
        kind,
        reference = null,
        provider_id: providerId = null,
      } = JSON.parse(raw.toString())
      if (event === 'ping') return null
      return { key: `${event} ${id}`, type: event, about: { kind, reference, providerId } }
    },
  }
}

/**
 * Gives accounts of a mode what reads their webhooks; those that are not there are opened, and
 * serve nobody.
 */
export function giveInbound(
  { rails }: Pick<App, 'rails'>,
  mode: 'test' | 'live',
  readers: Record<string, Inbound>,
): void {
  const { accounts } = rails[mode]
  for (const [name, inbound] of Object.entries(readers))
    accounts[name] = {
      name,
      provider: 'testpay',
      serves: [],
      ports: {},
      ...accounts[name],
      inbound,
    }
}

export type Notice = {
  event: string
  id: string
  kind: NotifiedKind
  reference?: string
  provider_id?: string
} & Record<string, unknown>

/** Posts webhooks to an account. `secret`: what they are signed with, or null for no signature. */
export function notifierOf(url: string, name: string, mode: string) {
  return async (body: Notice | string, secret: string | null = 'now'): Promise<number> => {
    const raw = typeof body === 'string' ? body : JSON.stringify(body)
    const headers: Record<string, string> =
      secret === null ? {} : { 'x-signature': sign(secret, raw) }
    const response = await fetch(`${url}/rails/${name}/${mode}/webhook`, {
      method: 'POST',
      body: raw,
      headers,
    })
    await response.arrayBuffer()
    return response.status
  }
}

export type Kept = {
  id: string
  rail: string
  type: string
  deliveries: number
  tries: number
  outcome: string | null
  business_id: string | null
  subject: string | null
  body: Buffer | null
}

/** The webhooks that were kept, oldest first. */
export const keptIn = ({ db }: Pick<App, 'db'>): Promise<Kept[]> =>
  db.query(
    'select id, rail, type, deliveries, tries, outcome, business_id, subject, body from provider_events order by id',
  )

/** Waits until an event has come to an outcome. */
export const outcomeOf = (server: Pick<TestServer, 'app'>, type: string): Promise<string> =>
  until(
    async () =>
      (await keptIn(server.app)).findLast((event) => event.type === type)?.outcome ?? null,
  )
