/** The routes about the server itself: its version, and its health. */
import { proofRoutes } from '../../books/proofs/proofs.ts'
import { type PublicRoute, publicRoute } from '../../core/route.ts'
import { sqlOfAll } from '../../db/db.ts'
import { expectedMigrations } from '../../db/schema/migrate.ts'
import { withDeadline } from '../../lib/deadline.ts'
import { Nullable, Type } from '../../lib/schema.ts'

/** Of the schema, not of a business. */
const appliedMigrations = sqlOfAll<{ name: string }>(
  'meta.migrations',
  'select name from schema_migrations',
)

const Health = Type.Object(
  {
    status: Type.String({ description: '`ok`, or `unavailable` with status 503.' }),
    database: Type.Boolean({ description: 'Whether the database answers.' }),
    migrations: Type.Boolean({ description: 'Whether its schema is this server’s.' }),
    workers: Nullable(
      Type.Boolean({
        description: 'Whether workers run jobs; null: this process cannot know.',
      }),
    ),
    warnings: Type.Array(Type.String(), {
      description:
        'What a person should look at, such as a treasury that runs low. The server works all the same.',
    }),
  },
  { title: 'Health', description: 'Whether the server can work.' },
)

const ServiceInfo = Type.Object(
  {
    name: Type.String(),
    version: Type.String(),
    docs: Type.String({ description: 'The reference page.' }),
    openapi: Type.String({ description: 'The OpenAPI document.' }),
    health: Type.String({ description: 'Liveness and readiness.' }),
  },
  { title: 'ServiceInfo', description: 'What this server is.' },
)

/** The longest wait of a health answer for its warnings: a busy source must not delay it. */
const warningsMs = 500

/**
 * The data of routes without a key. `workers`: whether they are alive, or null if this process
 * cannot know; `warnings`: problems that need a person.
 */
export type Vitals = { workers(): boolean | null; warnings(): Promise<string[]> }

/** Returns the routes that need no key. */
export function metaRoutes(version: string, baseUrl: () => string, vitals: Vitals): PublicRoute[] {
  const expected = expectedMigrations()
  let known: string[] = []
  let asked: Promise<void> | null = null
  async function warnings(): Promise<string[]> {
    asked ??= vitals
      .warnings()
      .then((said) => {
        known = said
      })
      .finally(() => {
        asked = null
      })
    await withDeadline(warningsMs, asked).catch(() => {})
    return known
  }
  return [
    publicRoute({
      method: 'GET',
      id: 'getServer',
      path: '/',
      tag: 'Meta',
      summary: 'What this server is',
      description: 'Its version, and where its documents are.',
      schema: { data: ServiceInfo },
      answer: async () => ({
        message: 'Bursar',
        data: {
          name: 'bursar',
          version,
          docs: `${baseUrl()}/docs`,
          openapi: `${baseUrl()}/openapi.json`,
          health: `${baseUrl()}/health`,
        },
      }),
    }),
    publicRoute({
      method: 'GET',
      id: 'getHealth',
      path: '/health',
      tag: 'Meta',
      summary: 'Whether the server can work',
      description:
        '200 when database, schema and workers (where this process knows of them) are fine, else 503. Not counted by the rate limit.',
      probe: true,
      schema: { data: Health },
      answer: async (app) => {
        const applied = await app.probe.rows(appliedMigrations).catch(() => null)
        const names = new Set(applied?.map((row) => row.name))
        const data = {
          database: applied !== null,
          migrations: expected.every((name) => names.has(name)),
          workers: vitals.workers(),
          warnings: applied === null ? [] : await warnings(),
        }
        const fine = data.database && data.migrations && data.workers !== false
        return fine
          ? { message: 'Ready', data: { status: 'ok', ...data } }
          : { message: 'Not ready', data: { status: 'unavailable', ...data }, status: 503 }
      },
    }),
    ...proofRoutes,
  ]
}
