/**
 * Events held against what the interface description says of them.
 */
import assert from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { openStream } from './event-stream.ts'
import { type TestServer, until } from './harness.ts'

// biome-ignore lint/suspicious/noExplicitAny: payloads come in every shape
type Event = any

/**
 * Fails unless every event's payload is what /openapi.json says of it, and nothing more, and just
 * these types are there.
 */
export async function assertEventsFit(
  server: TestServer,
  events: Event[],
  types: string[],
): Promise<void> {
  const { body: document } = await server.call('GET', '/openapi.json')
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addSchema(document, 'bursar')
  const seen = new Set<string>()
  for (const { id, type, timestamp, payload } of events) {
    seen.add(type)
    const at = `webhooks/${type}/post/requestBody/content/application~1json/schema`
    const validate = ajv.getSchema(`bursar#/${at}`) ?? ajv.compile({ $ref: `bursar#/${at}` })
    assert.ok(
      validate({ id, type, timestamp, payload }),
      `${type}: ${JSON.stringify(validate.errors)}`,
    )
    const known = fieldsOf(
      document,
      document.webhooks[type].post.requestBody.content['application/json'].schema,
    )
    const ofPayload = fieldsOf(document, known.payload)
    assert.deepEqual(
      Object.keys(payload).filter((field) => !(field in ofPayload)),
      [],
      type,
    )
  }
  assert.deepEqual([...seen].sort(), types.toSorted())
}

/** The fields of an object, those of what it extends included. */
function fieldsOf(
  document: { components: { schemas: Record<string, Event> } },
  schema: Event,
): Record<string, Event> {
  if (schema.$ref)
    return fieldsOf(document, document.components.schemas[schema.$ref.split('/').at(-1)])
  return Object.assign(
    {},
    schema.properties,
    ...(schema.allOf ?? []).map((part: Event) => fieldsOf(document, part)),
  )
}

/**
 * Waits until an event is past: now, for a stream, is where nothing is being written any more, by
 * anybody of the PostgreSQL server.
 */
export async function untilPast(url: string, key: string, id: string): Promise<void> {
  const stream = await openStream(url, key, { after: '0' })
  await until(async () => stream.events.some(({ body }) => body.id === id), 60_000)
  await stream.close()
}
