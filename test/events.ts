/**
 * Events held against what the interface description says of them.
 */
import assert from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { TestServer } from './harness.ts'

// biome-ignore lint/suspicious/noExplicitAny: payloads come in every shape
type Event = any

/** Fails unless every event's payload is what /openapi.json says of it, and nothing more, and just these types are there. */
export async function assertEventsFit(server: TestServer, events: Event[], types: string[]): Promise<void> {
  const { body: document } = await server.call('GET', '/openapi.json')
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addSchema(document, 'bursar')
  const seen = new Set<string>()
  for (const { id, type, timestamp, payload } of events) {
    seen.add(type)
    const at = `webhooks/${type}/post/requestBody/content/application~1json/schema`
    const schema = document.webhooks[type].post.requestBody.content['application/json'].schema
    const validate = ajv.getSchema(`bursar#/${at}`) ?? ajv.compile({ $ref: `bursar#/${at}` })
    assert.ok(validate({ id, type, timestamp, payload }), `${type}: ${JSON.stringify(validate.errors)}`)
    const name = schema.properties.payload.$ref.split('/').at(-1)
    const known = document.components.schemas[name].properties
    assert.deepEqual(
      Object.keys(payload).filter((field) => !(field in known)),
      [],
      type,
    )
  }
  assert.deepEqual([...seen].sort(), types.toSorted())
}
