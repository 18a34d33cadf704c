/**
 * Webhook endpoints: where a business wants its events sent. Their secrets are sealed at rest and shown once.
 */
import { type Ctx, inTransaction, reader, type Scope } from '../../core/context.ts'
import type { Tx } from '../../db/db.ts'
import { listPage, type PageOf } from '../../db/list.ts'
import { later } from '../../lib/clock.ts'
import type { Config } from '../../lib/config.ts'
import { refuse } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'
import type { Static } from '../../lib/schema.ts'
import { hmacSha256, open, randomText, seal } from '../../lib/secrets.ts'
import { deliveriesBell } from '../events/events.ts'
import { type Claimed, type Woken, wakeOwn } from './queue.ts'
import type { CreateWebhook, UpdateWebhook, Webhook, WebhookQuery, WebhookWithSecret } from './schema.ts'
import * as statements from './sql.ts'
import { checkTarget } from './targets.ts'

/** Endpoints a business may have in one mode. */
export const maxWebhooks = 20

const overlapMs = 24 * 60 * 60 * 1_000

const newSecret = (): string => `weh_${randomText(32)}`

function secretsKey(config: Config): Buffer {
  if (config.SECRETS_KEY === null) throw new Error('webhook secrets need SECRETS_KEY')
  return config.SECRETS_KEY
}

/**
 * Checks where an endpoint is to be, which may mean to wait for a name server: outside of any transaction.
 * @returns what registers it; that refuses with `too_many_webhooks`
 * @throws {Refusal} `validation_failed` or `forbidden_target` for the URL
 */
export async function prepareWebhook(
  ctx: Ctx,
  input: Static<typeof CreateWebhook>,
): Promise<(tx: Tx) => Promise<WebhookWithSecret>> {
  await checkTarget(ctx.config, input.url)
  return (tx) => insert(ctx, tx, input)
}

/**
 * Registers an endpoint. The answer is one of the two that show a secret.
 * @throws {Refusal} those of `prepareWebhook`
 */
export async function createWebhook(ctx: Ctx, input: Static<typeof CreateWebhook>): Promise<WebhookWithSecret> {
  return inTransaction(ctx, await prepareWebhook(ctx, input))
}

async function insert({ config, scope }: Ctx, tx: Tx, input: Static<typeof CreateWebhook>): Promise<WebhookWithSecret> {
  const { businessId, livemode, now } = scope
  const id = newId(now)
  const secret = newSecret()
  await tx.rows(statements.lockWebhooks, [businessId, livemode])
  const row = await tx.row(statements.insertWebhook, [
    businessId,
    livemode,
    id,
    input.url,
    input.description ?? null,
    input.events ?? ['*'],
    toJson(input.metadata_filter ?? {}),
    input.active ?? true,
    seal(secretsKey(config), secret, id),
    toJson(input.metadata ?? {}),
    now,
    maxWebhooks,
  ])
  if (!row)
    refuse('too_many_webhooks', `There are ${maxWebhooks} webhook endpoints, which is the most; delete one first.`)
  return { ...row, secret }
}

export function listWebhooks(ctx: Ctx, query: Static<typeof WebhookQuery>): Promise<PageOf<Webhook>> {
  return listPage<statements.WebhookRow>(
    reader(ctx),
    {
      table: 'webhooks',
      columns: statements.webhookColumns,
      business: ctx.scope.businessId,
      livemode: ctx.scope.livemode,
      filters: [['(deleted_at is null) = ?', true]],
    },
    query,
  )
}

/**
 * One endpoint.
 * @throws {Refusal} `not_found`
 */
export async function getWebhook(ctx: Ctx, id: string): Promise<Webhook> {
  const { businessId, livemode } = ctx.scope
  return (await reader(ctx).row(statements.selectWebhook, [businessId, livemode, id])) ?? unknownWebhook(id)
}

/**
 * Changes what is given. Deliveries that are still pending follow a new URL.
 * @throws {Refusal} `not_found`; `validation_failed` or `forbidden_target` for the URL
 */
export async function updateWebhook(ctx: Ctx, id: string, input: Static<typeof UpdateWebhook>): Promise<Webhook> {
  const { businessId, livemode, now } = ctx.scope
  await getWebhook(ctx, id)
  if (input.url !== undefined) await checkTarget(ctx.config, input.url)
  const row = await inTransaction(ctx, (tx) =>
    tx.row(statements.updateWebhook, [
      businessId,
      livemode,
      id,
      input.url ?? null,
      input.events ?? null,
      input.metadata_filter ? toJson(input.metadata_filter) : null,
      input.description !== undefined,
      input.description ?? null,
      input.active ?? null,
      input.metadata ? toJson(input.metadata) : null,
      now,
    ]),
  )
  return row ?? unknownWebhook(id)
}

/**
 * Deletes an endpoint; its delivery log stays.
 * @throws {Refusal} `not_found`
 */
export async function deleteWebhook(ctx: Ctx, id: string): Promise<void> {
  const { businessId, livemode, now } = ctx.scope
  const row = await inTransaction(ctx, (tx) => tx.row(statements.deleteWebhook, [businessId, livemode, id, now]))
  if (!row) unknownWebhook(id)
}

/**
 * Gives an endpoint a new secret; the one before signs too for 24 hours of the scope's time.
 * @throws {Refusal} `not_found`
 */
export async function rollSecret(ctx: Ctx, id: string): Promise<WebhookWithSecret> {
  const { businessId, livemode, now } = ctx.scope
  const secret = newSecret()
  const sealed = seal(secretsKey(ctx.config), secret, id)
  const row = await inTransaction(ctx, (tx) =>
    tx.row(statements.rollSecret, [businessId, livemode, id, sealed, later(now, overlapMs), now]),
  )
  return row ? { ...row, secret } : unknownWebhook(id)
}

/** The signature headers of a body: `X-Signature` under the newest secret and, after a roll, the one before's beside it. */
export function signatures(
  config: Config,
  { webhook_id, body, secret, previous_secret: previous, previous_secret_until: until }: Signed,
  now: Date,
): Record<string, string> {
  const sign = (sealed: Buffer): string => `sha256=${hmacSha256(open(secretsKey(config), sealed, webhook_id), body)}`
  return {
    'X-Signature': sign(secret),
    ...(previous && until && until > now ? { 'X-Signature-Previous': sign(previous) } : {}),
  }
}

type Signed = Pick<Claimed, 'webhook_id' | 'body' | 'secret' | 'previous_secret' | 'previous_secret_until'>

/** Makes ready, as a move of a test clock does, what is due in one business and mode at `scope.now`. */
export async function wakeDeliveriesOf(tx: Tx, { businessId, livemode, now }: Scope): Promise<Woken[]> {
  const woken = await tx.rows(wakeOwn, [businessId, livemode, now])
  tx.afterCommit(() => {
    deliveriesBell.emit('ring')
  })
  return woken
}

function unknownWebhook(id: string): never {
  refuse('not_found', `There is no webhook endpoint '${id}'.`)
}
