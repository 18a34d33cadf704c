/**
 * Webhook endpoints: where a business wants its events sent. Their secrets are sealed at rest and
 * shown once.
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

export { partitionsTask } from './retention.ts'
export { type EventEntry, eventsAbout } from './timeline.ts'

/** Endpoints a business may have in one mode. */
const maxWebhooks = 20

const overlapMs = 24 * 60 * 60 * 1_000

/** An endpoint that is to be registered, and what the check of its URL warns of. */
type CheckedWebhook = { input: NewWebhook; warnings: Warning[] }

/**
 * Checks where an endpoint is to be, which may mean to wait for a name server.
 * @throws {Refusal} `validation_failed` or `forbidden_target` for the URL
 */
export async function prepareWebhook(ctx: Ctx, input: NewWebhook): Promise<CheckedWebhook> {
  return { input, warnings: await checkTarget(ctx.config, input.url) }
}

/**
 * Registers an endpoint whose URL was checked. The answer is one of the two that show a secret.
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

/** What is to change of which endpoint. */
type WebhookChange = { id: string; input: WebhookChanges }

/**
 * Checks a change of an endpoint, as `prepareWebhook` does a new one. A URL that stays as it is is
 * not checked again.
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
 * Changes what is given, by a change that was checked. Deliveries that are still pending follow a
 * new URL.
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
 * @returns it as it was last
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
 * Gives an endpoint a new secret; the one before signs too for 24 hours of the scope's time.
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

/** What the audit log says of an endpoint. */
function audited({ url, description, events, metadata_filter, active }: Webhook) {
  return { url, description, events, metadata_filter, active }
}

type WebhookAsStored = RowOf<typeof statements.webhooks>

/** The record: the row without what is sealed. */
function toWebhook({ secret: _sealed, ...row }: WebhookAsStored): Webhook {
  return row
}

/**
 * The secrets that sign a delivery.
 * @param now in the endpoint's scope, where a secret's time may be over
 * @throws {Error} when one is sealed under a key that the server lacks
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

/** Makes ready, as a move of a test clock does, what is due in one business and mode at `now`. */
export async function wakeDeliveriesOf(work: Work, now: Date): Promise<Woken[]> {
  const woken = await work.rows(wakeOwn, [now])
  work.afterCommit(notifyDispatcher)
  return woken
}

function unknownWebhook(id: string): never {
  refuse('not_found', `There is no webhook endpoint '${id}'.`)
}

/** Of an endpoint, so many of the newest deliveries are looked at. */
export const ownFailingOf = 100

/**
 * The active endpoints of the business that missed deliveries of those made since then, and how
 * many; those that missed most first.
 */
export function ownFailingEndpoints(view: View, since: Date, limit: number) {
  return view.rows(statements.selectFailingOwn, [since, ownFailingOf, limit])
}

const failingWithinMs = 24 * 60 * 60 * 1_000
const failingOf = 20

/** How long nothing must have come before the team is told: what is restarted is back by then. */
const outageAfterMs = 15 * 60_000

/** Has teams told of endpoints that take nothing, once until something comes. */
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
 * Endpoints of everybody to which nothing came of what was tried within a day: of that, the newest
 * twenty are looked at.
 */
export function failingEndpoints(db: Database, now: Date): Promise<statements.FailingEndpoint[]> {
  return db.rows(statements.selectFailing, [later(now, -failingWithinMs), failingOf])
}
