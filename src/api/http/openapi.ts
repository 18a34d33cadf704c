/** Builds the OpenAPI 3.1 document from the schemas that validate and serialize. */

import { readFileSync } from 'node:fs'
import type { EventDeclarations, Module } from '../../core/module.ts'
import type { PublicRoute } from '../../core/route.ts'
import { general, type RefusalCodes } from '../../lib/errors.ts'
import { IdText, OneOf, Timestamp } from '../../lib/schema.ts'
import { deprecationSentence } from './deprecation.ts'
import { hoist, type Json, shareAnswers, shareParameters, typeName } from './openapi-components.ts'
import { errorComponents, errorResponses } from './openapi-errors.ts'
import {
  answerHeaders,
  deliveryHeaders,
  headerParameters,
  headersOf,
  idempotencyHeader,
  lastEventHeader,
} from './openapi-headers.ts'
import { tagDescriptions } from './openapi-tags.ts'
import { type AnyRoute, isPublic } from './refusals.ts'

/** @param replayed the names of answers that an Idempotency-Key may replay */
function operation(route: AnyRoute, replayed: ReadonlySet<string>): Json {
  const parameters: Json[] = []
  for (const [part, where] of [
    ['params', 'path'],
    ['query', 'query'],
  ] as const) {
    const schema = route.schema[part] as
      | { properties?: Record<string, Json>; required?: string[] }
      | undefined
    for (const [name, { description, ...property }] of Object.entries(schema?.properties ?? {}))
      parameters.push({
        name,
        in: where,
        ...(where === 'path' || schema?.required?.includes(name) ? { required: true } : {}),
        ...(description ? { description } : {}),
        schema: property,
      })
  }
  if (route.method === 'POST' && !isPublic(route)) parameters.push(idempotencyHeader)
  const reads = 'read' in route ? route : null
  if (reads?.stream) parameters.push(lastEventHeader)
  const answer = { 'application/json': { schema: answerOf(route) } }
  const fileType = reads?.stream ? 'text/event-stream' : reads?.file?.contentType.split(';')[0]
  const counted = !(isPublic(route) && route.probe)
  const body = route.schema.body as { required?: string[] } | undefined
  return {
    operationId: route.id,
    tags: [route.tag],
    summary: route.summary,
    ...descriptionOf(route),
    ...securityOf(route),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? {
          requestBody: {
            required: (body.required ?? []).length > 0,
            // Examples are in the schema, as those of records are: openapi-generator warns about
            // one next to it.
            content: {
              'application/json': {
                schema: {
                  title: typeName(route.id),
                  ...body,
                  ...(route.example ? { examples: [route.example] } : {}),
                },
              },
            },
          },
        }
      : {}),
    responses: {
      [('status' in route && route.status) || 200]: {
        description: 'Success.',
        headers: headersOf({ counted, replayed: replayed.has(answerName(route)) }),
        content: fileType ? { [fileType]: { schema: route.schema.data } } : answer,
      },
      ...(isPublic(route) && route.probe
        ? { 503: { description: 'It cannot work.', content: answer } }
        : {}),
      ...errorResponses(route),
    },
  }
}

/** Returns an operation's description, with its deprecation. */
function descriptionOf({ description, deprecated }: AnyRoute): Json {
  const sentences = [description, deprecated && deprecationSentence(deprecated)].filter(Boolean)
  return {
    ...(deprecated ? { deprecated: true } : {}),
    ...(sentences.length > 0 ? { description: sentences.join(' ') } : {}),
  }
}

/** Returns the accepted keys and the scope they need. */
function securityOf(route: AnyRoute): Json {
  if (isPublic(route)) return { security: [] }
  const { scope } = route
  return scope === 'operator' || scope === 'review' ? {} : { 'x-scope': scope }
}

/** The name of an operation's answer: `WalletListAnswer`, of `Wallet`. */
function answerName({ id, schema }: AnyRoute): string {
  const data = schema.data as Json
  const { title = typeName(id) } = (data.items as Json | undefined) ?? data
  return data.items ? `${title}ListAnswer` : `${title}Answer`
}

/** Returns the envelope of an operation's answer. */
function answerOf(route: AnyRoute): Json {
  return {
    title: answerName(route),
    type: 'object',
    required: ['message', 'data'],
    properties: { message: { type: 'string' }, data: route.schema.data },
  }
}

/** A real, neutralized answer of each record, written by `npm run examples`. */
const recordExamples: Record<string, unknown> = JSON.parse(
  readFileSync(new URL('./examples.json', import.meta.url), 'utf8'),
)

/** The fields of every delivery. */
const eventHead = {
  title: 'EventHead',
  type: 'object',
  required: ['id', 'timestamp'],
  properties: {
    id: IdText('The event: the same for each try, and for each of your endpoints.'),
    timestamp: Timestamp('When it happened.'),
  },
}

/** A tag of their own, because clients have a class per tag, and mixing both would confuse them. */
const deliveryTag = 'Webhook events'

/** Returns the events of webhooks as the document's `webhooks`. */
function webhookOperations(events: EventDeclarations): Json {
  const operations: Json = {}
  for (const [type, { meaning, payload }] of Object.entries(events))
    operations[type] = {
      post: {
        operationId: `on${typeName(type)}`,
        tags: [deliveryTag],
        summary: meaning,
        description: 'Check its signature before you trust it.',
        parameters: deliveryHeaders,
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                title: `${typeName(type)}Event`,
                allOf: [
                  eventHead,
                  {
                    type: 'object',
                    required: ['type', 'payload'],
                    properties: {
                      type: OneOf(Object.keys(events), { title: 'EventType', const: type }),
                      payload,
                    },
                  },
                ],
              },
            },
          },
        },
        responses: { '2XX': { description: 'Taken. Anything else is tried again.' } },
      },
    }
  return operations
}

/** Returns the body of deliveries and streams: one of the events, by its type. */
function anyEvent(events: EventDeclarations): Json {
  const mapping = Object.fromEntries(
    Object.keys(events).map((type) => [type, `#/components/schemas/${typeName(type)}Event`]),
  )
  return {
    description: 'An event: the body that webhooks get, and the `data` of a server-sent event.',
    oneOf: Object.values(mapping).map(($ref) => ({ $ref })),
    discriminator: { propertyName: 'type', mapping },
  }
}

/** Builds the document of the operator's API, which businesses' clients do not need. */
export function operatorDocument(modules: Module[], baseUrl: string): Json {
  const own = modules.map(
    ({ ofOperator = {}, refusals }): Module => ({
      routes: ofOperator,
      ...(refusals && { refusals }),
    }),
  )
  return openApiDocument([], own, baseUrl, operatorHead)
}

const operatorHead = {
  title: 'Bursar for operators',
  about:
    'Businesses and their prices, for the operator of an installation and for platforms that host many. Errors, lists and Idempotency-Keys are as in the API of businesses.',
  keys: {
    operator: {
      type: 'http',
      scheme: 'bearer',
      description: '`op_…`, of the operator of the installation',
    },
  },
}

const head = {
  title: 'Bursar',
  about:
    'Merchant payments over a double-entry ledger. Amounts are integers in minor units. Every answer is `{message, data}`; an error also has `errors.code`, one of the `x-error-codes` that its operation has for the status, or that its `default` has: what all operations with a key are refused with. Every answer names its request by `X-Request-Id`, gives the `X-Client-Request-Id` back that you sent (1 to 64 letters, digits, `.`, `_`, `-`) and, but for `GET /health`, says by `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` what your address may still ask; 429 and 503 say by `Retry-After` when to try again.',
  keys: { key: { type: 'http', scheme: 'bearer', description: '`sk_test_…` or `sk_live_…`' } },
}

/**
 * Builds the document from the server's description and the modules' answers, refusals and events.
 */
export function openApiDocument(
  publicRoutes: PublicRoute[],
  modules: Module[],
  baseUrl: string,
  { title, about, keys }: { title: string; about: string; keys: Json } = head,
): Json {
  const paths: Record<string, Json> = {}
  const tags = new Set<string>()
  const routes: AnyRoute[] = [
    ...publicRoutes,
    ...modules.flatMap((module) => Object.values(module.routes ?? {})),
  ]
  const keyed = routes.filter((route) => route.method === 'POST' && !isPublic(route))
  const replayed = new Set(keyed.map(answerName))
  for (const route of routes) {
    tags.add(route.tag)
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: operation(route, replayed),
    }
  }
  const codes: RefusalCodes = Object.assign(
    {},
    general,
    ...modules.map((module) => module.refusals?.own),
  )
  const errors = errorComponents(routes, codes)
  const events: EventDeclarations = Object.assign({}, ...modules.map((module) => module.events))
  const schemas = new Map<string, Json>()
  const hoisted = hoist({ paths, webhooks: webhookOperations(events) }, schemas) as {
    paths: Record<string, Json>
  }
  const hasEvents = Object.keys(events).length > 0
  if (hasEvents) schemas.set('StreamedEvent', anyEvent(events))
  for (const [name, example] of Object.entries(recordExamples)) {
    const schema = schemas.get(name)
    if (schema) schemas.set(name, { ...schema, examples: [example] })
  }
  const shared = shareParameters(hoisted.paths, new Set(schemas.keys()))
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: '1.0.0',
      description: about,
      contact: { name: 'Bursar' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    security: Object.keys(keys).map((name) => ({ [name]: [] })),
    tags: [...tags, ...(hasEvents ? [deliveryTag] : [])].map((name) => ({
      name,
      description: tagDescriptions[name],
    })),
    ...hoisted,
    components: {
      securitySchemes: keys,
      parameters: { ...shared, ...headerParameters },
      headers: answerHeaders,
      responses: { ...shareAnswers(hoisted.paths), ...errors.responses },
      schemas: { ...errors.schemas, ...Object.fromEntries(schemas) },
    },
  }
}
