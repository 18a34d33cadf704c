/**
 * Webhook endpoints: where a business receives its events. Secrets are encrypted and shown once.
 */
import { recordChange } from '../../books/audit/audit.ts'
import type { App, Facts } from '../../core/app.ts'
import { insert, update, type View, type Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import type { Database } from '../../db/db.ts'
import { listPage, type PageOf } from '../../db/lists/list.ts'
import type { RowOf } from '../../db/table.ts'
import { later } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { Static, Warning } from '../../lib/schema.ts'
import { seal, unseal } from '../../lib/secrets.ts'
import { notifyDispatcher } from '../events/events.ts'
import { type ClaimedDelivery, type Woken, wakeOwn } from './queue.ts'
import { refuse } from './refusals.ts'
import type {
  NewWebhook,
  Webhook,
  WebhookChanges,
  WebhookQuery,
  WebhookWithSecret,
  WebhookWithWarnings,
} from './schema.ts'
import { newSecret, type SigningSecrets, spelled } from './signing.ts'
import * as statements from './sql.ts'
import { checkTarget } from './ssrf.ts'

export { findUndealtEvents } from './log.ts'
export { partitionsTask } from './retention.ts'
export { type EventEntry, eventsAbout } from './timeline.ts'

/** Endpoints a business may have in one mode. */
const maxWebhooks = 20

const overlapMs = 24 * 60 * 60 * 1_000

/** A new endpoint and the warnings of its URL check. */
type CheckedWebhook = { input: NewWebhook; warnings: Warning[] }

/**
 * Checks the URL of a new endpoint. May wait for a name server.
 * @throws {Refusal} `validation_failed` or `forbidden_target` for the URL
 */
export async function prepareWebhook(ctx: Ctx, input: NewWebhook): Promise<CheckedWebhook> {
  return { input, warnings: await checkTarget(ctx.config, input.url) }
}

/**
 * Registers an endpoint whose URL was checked. Only this answer and that of a roll show the secret.
 * @throws {Refusal} `too_many_webhooks`
 */
export async function createWebhook(
  work: Work,
  { input, warnings }: CheckedWebhook,
): Promise<WebhookWithSecret> {
  const { now } = work.scope
  const id = newId(now)
  const secret = newSecret()
  await work.rows(statements.lockWebhooks)
  const held = await work.row(statements.countWebhooks)
  if (!held || held.count >= maxWebhooks)
    refuse(
      'too_many_webhooks',
      `There are ${maxWebhooks} webhook endpoints, which is the most; delete one first.`,
    )
  const row = await insert(work, statements.webhooks, {
    id,
    url: input.url,
    description: input.description ?? null,
    events: input.events ?? ['*'],
    metadata_filter: input.metadata_filter ?? {},
    active: input.active ?? true,
    secret: seal(work.secrets, 'webhook secret', secret, id),
    metadata: input.metadata ?? {},
    created_at: now,
    updated_at: now,
  })
  const made = toWebhook(row as WebhookAsStored)
  await recordChange(work, {
    action: 'webhook.created',
    subject: id,
    before: null,
    after: audited(made),
  })
  return { ...made, ...spelled(secret), warnings }
}

export function listWebhooks(
  view: View,
  query: Static<typeof WebhookQuery>,
): Promise<PageOf<Webhook>> {
  return listPage<statements.WebhookRow>(
    view,
    { name: 'webhooks', columns: statements.webhookColumns },
    query,
    {
      filters: [['(deleted_at is null) = ?', true]],
    },
  )
}

/** @throws {Refusal} `not_found` */
export async function getWebhook(view: View, id: string): Promise<Webhook> {
  return (await view.row(statements.selectWebhook, [id])) ?? unknownWebhook(id)
}

/** An endpoint's id and its changes. */
type WebhookChange = { id: string; input: WebhookChanges }

/**
 * Checks a change of an endpoint like `prepareWebhook`. An unchanged URL is not checked again.
 * @throws {Refusal} `not_found`; `validation_failed` or `forbidden_target` for the URL
 */
export async function prepareChange(
  ctx: Ctx,
  { id, input }: WebhookChange,
): Promise<WebhookChange & { warnings: Warning[] }> {
  const { url } = await getWebhook(ctx, id)
  const isNew = input.url !== undefined && input.url !== url
  return { id, input, warnings: isNew ? await checkTarget(ctx.config, input.url as string) : [] }
}

/**
 * Applies a checked change. Pending deliveries follow a new URL.
 * @throws {Refusal} `not_found`
 */
export async function updateWebhook(
  work: Work,
  { id, input, warnings }: WebhookChange & { warnings: Warning[] },
): Promise<WebhookWithWarnings> {
  const before = (await work.row(statements.lockWebhook, [id])) ?? unknownWebhook(id)
  const changed = toWebhook(
    await update(work, statements.webhooks, id, { ...input, updated_at: work.scope.now }),
  )
  await recordChange(work, {
    action: 'webhook.changed',
    subject: id,
    before: audited(before),
    after: audited(changed),
  })
  return { ...changed, warnings }
}

/**
 * Deletes an endpoint; its delivery log stays.
 * @returns its last state
 * @throws {Refusal} `not_found`
 */
export async function deleteWebhook(work: Work, id: string): Promise<Webhook> {
  const gone =
    (await work.row(statements.deleteWebhook, [id, work.scope.now])) ?? unknownWebhook(id)
  await recordChange(work, {
    action: 'webhook.deleted',
    subject: id,
    before: audited(gone),
    after: null,
  })
  return gone
}

/**
 * Replaces an endpoint's secret; the previous one also signs for 24 hours of the scope's time.
 * @throws {Refusal} `not_found`
 */
export async function rollSecret(work: Work, id: string): Promise<WebhookWithSecret> {
  const { now } = work.scope
  const secret = newSecret()
  const sealed = seal(work.secrets, 'webhook secret', secret, id)
  const until = later(now, overlapMs)
  const row =
    (await work.row(statements.rollSecret, [id, sealed, until, now])) ?? unknownWebhook(id)
  const after = { url: row.url, old_secret_until: until }
  await recordChange(work, { action: 'webhook.secret_rolled', subject: id, before: null, after })
  return { ...row, ...spelled(secret), warnings: [] }
}

/** The endpoint's fields in the audit log. */
function audited({ url, description, events, metadata_filter, active }: Webhook) {
  return { url, description, events, metadata_filter, active }
}

type WebhookAsStored = RowOf<typeof statements.webhooks>

/** The record: the row without encrypted columns. */
function toWebhook({ secret: _sealed, ...row }: WebhookAsStored): Webhook {
  return row
}

/**
 * Returns the secrets that sign a delivery.
 * @param now in the endpoint's scope; the previous secret may have expired
 * @throws {Error} when one is encrypted under a key that the server lacks
 */
export function signingSecrets(
  { secrets }: Pick<Facts, 'secrets'>,
  { webhook_id, secret, previous_secret: previous, previous_secret_until: until }: Sealed,
  now: Date,
): SigningSecrets {
  const open = (sealed: Buffer): string => unseal(secrets, 'webhook secret', sealed, webhook_id)
  return previous && until && until > now ? [open(secret), open(previous)] : [open(secret)]
}

type Sealed = Pick<
  ClaimedDelivery,
  'webhook_id' | 'secret' | 'previous_secret' | 'previous_secret_until'
>

/**
 * Makes deliveries of one business and mode ready that are due at `now`, after a test clock moved.
 */
export async function wakeDeliveriesOf(work: Work, now: Date): Promise<Woken[]> {
  const woken = await work.rows(wakeOwn, [now])
  work.afterCommit(notifyDispatcher)
  return woken
}

function unknownWebhook(id: string): never {
  refuse('not_found', `There is no webhook endpoint '${id}'.`)
}

/** How many of an endpoint's newest deliveries are examined. */
export const ownFailingOf = 100

/**
 * Returns active endpoints of the business with failed deliveries since then, and their numbers;
 * most failures first.
 */
export function ownFailingEndpoints(view: View, since: Date, limit: number) {
  return view.rows(statements.selectFailingOwn, [since, ownFailingOf, limit])
}

const failingWithinMs = 24 * 60 * 60 * 1_000
const failingOf = 20

/**
 * How long an endpoint must fail before the team is notified. A restarted receiver is back by then.
 */
const outageAfterMs = 15 * 60_000

/** Notifies teams of failing endpoints, once per outage. */
export async function watchOutages({ db, clock }: Pick<App, 'clock' | 'db'>): Promise<void> {
  const now = clock.now()
  await db.rows(statements.closeOutages, [later(now, -failingWithinMs), failingOf])
  const lasting = (await failingEndpoints(db, now)).filter(
    ({ since }) => since <= later(now, -outageAfterMs),
  )
  if (lasting.length === 0) return
  await db.rows(statements.openOutages, [
    lasting.map((one) => one.business_id),
    lasting.map((one) => one.livemode),
    lasting.map((one) => one.id),
    lasting.map(() => now),
  ])
}

/**
 * Endpoints of all businesses where every attempt of the last day failed, among their newest twenty
 * deliveries.
 */
export function failingEndpoints(db: Database, now: Date): Promise<statements.FailingEndpoint[]> {
  return db.rows(statements.selectFailing, [later(now, -failingWithinMs), failingOf])
}

/**
 * Counts deliveries by status and day of UTC. The cost does not depend on their number.
 * @param since a day such as 2026-11-01
 */
export const deliveriesByDay = (view: View, since: string) =>
  view.rows(statements.selectDeliveriesByDay, [since])
