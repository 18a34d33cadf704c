/**
 * Checks requests and answers by the OpenAPI document that Bridge's pages embed. It is read from
 * the folder that PROVIDER_SPECS names; the project has no copy of it. Where to get it:
 * https://withbridge-image1-sv-usw2-monorail-openapi.s3.amazonaws.com/latest.json, saved there as
 * `bridge.json`.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { Json } from './api.ts'

type Direction = 'request' | 'response'
type Exchange = {
  method: string
  path: string
  body: Json
  answer: { status: number; body: Json } | null
}

/** The published document of a folder, or null where there is none. */
export function publishedIn(specs: string | undefined): Json | null {
  const file = specs === undefined ? undefined : join(specs, 'bridge.json')
  return file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
}

/**
 * OpenAPI 3.0 to JSON Schema: `nullable` is one of two, and nobody must give what goes the other
 * way alone.
 */
function schemaOf(value: Json, direction: Direction): Json {
  if (Array.isArray(value)) return value.map((part) => schemaOf(part, direction))
  if (typeof value !== 'object' || value === null) return value
  const { nullable, ...kept } = value
  const goesOtherWay = (name: string): boolean => {
    const { readOnly, writeOnly } = kept.properties?.[name] ?? {}
    return (direction === 'request' ? readOnly : writeOnly) === true
  }
  if (Array.isArray(kept.required))
    kept.required = kept.required.filter((name: string) => !goesOtherWay(name))
  const converted = Object.fromEntries(
    Object.entries(kept).map(([name, part]) => [name, schemaOf(part, direction)]),
  )
  return nullable === true ? { anyOf: [converted, { type: 'null' }] } : converted
}

const pointerOf = (...parts: string[]): string =>
  parts
    .map((part) => `/${encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    .join('')

/**
 * Follows references on the way. @returns where a part of the document is, or null where it has
 * none
 */
function placeOf(document: Json, parts: string[]): string[] | null {
  let place: string[] = []
  let value = document
  for (const part of parts) {
    value = value?.[part]
    place = [...place, part]
    if (typeof value?.$ref !== 'string') continue
    place = value.$ref.split('/').slice(1)
    value = place.reduce((at, name) => at?.[name], document)
  }
  return value === undefined ? null : place
}

/**
 * @param prefix what paths begin with that the document leaves out
 * @returns what is wrong with an exchange, a sentence each
 */
export function contractOf(document: Json, prefix = '/v0'): (exchange: Exchange) => string[] {
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false, validateSchema: false })
  addFormats.default(ajv)
  for (const direction of ['request', 'response'] as const)
    ajv.addSchema({ ...schemaOf(document, direction), $id: `published-${direction}` })
  const compiled = new Map<string, ValidateFunction>()
  const paths = Object.keys(document.paths).map((template) => ({
    template,
    pattern: new RegExp(`^${prefix}${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
    holes: template.split('{').length,
  }))

  function problemsOf(direction: Direction, value: Json, ...parts: string[]): string[] {
    const place = placeOf(document, parts)
    if (place === null) return direction === 'request' ? ['takes no body'] : ['has no such answer']
    const $ref = `published-${direction}#${pointerOf(...place)}`
    const validate = compiled.get($ref) ?? ajv.compile({ $ref })
    compiled.set($ref, validate)
    if (validate(value)) return []
    return (validate.errors ?? []).map(
      (error) => `${direction}: ${error.instancePath || 'it'} ${error.message}`,
    )
  }

  return ({ method, path, body, answer }) => {
    const known = paths
      .filter(({ pattern }) => pattern.test(path))
      .sort((a, b) => a.holes - b.holes)
    const template = known.find(
      ({ template }) => document.paths[template][method.toLowerCase()],
    )?.template
    if (template === undefined) return [`${method} ${path}: the document has no such operation`]
    const at = ['paths', template, method.toLowerCase()]
    const json = ['content', 'application/json', 'schema']
    // Refusals are references to one of a few answers, whose form is the same.
    const isRefusal = answer !== null && answer.status >= 400
    return [
      ...(body === undefined ? [] : problemsOf('request', body, ...at, 'requestBody', ...json)),
      ...(answer === null
        ? []
        : isRefusal
          ? problemsOf('response', answer.body, 'components', 'schemas', 'Error')
          : problemsOf(
              'response',
              answer.body,
              ...at,
              'responses',
              String(answer.status),
              ...json,
            )),
    ].map((sentence) => `${method} ${template}: ${sentence}`)
  }
}
