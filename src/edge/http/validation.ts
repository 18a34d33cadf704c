/**
 * Validation of input: schemas, and what no schema can say (text that PostgreSQL cannot hold, depth, bytes).
 */
import { Ajv, type ErrorObject } from 'ajv'
import addFormats from 'ajv-formats'
import { general, generalRefusal, type Refusal, type ValidationIssue } from '../../lib/errors.ts'
import { toJson } from '../../lib/json.ts'

const maxDepth = 32
const maxIssues = 20

function makeAjv(coerceTypes: boolean): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    coerceTypes,
    useDefaults: true,
    removeAdditional: false,
    strict: false,
    ownProperties: true,
    // The schema comes with each finding: it says in words what it wants.
    verbose: true,
  })
  addFormats.default(ajv)
  // Said for clients: `type` and the bounds check a number already, and the room reads a URL and says what is wrong with it.
  for (const format of ['int32', 'int64', 'uri', 'binary']) ajv.addFormat(format, true)
  ajv.addKeyword({
    keyword: 'x-max-bytes',
    type: 'object',
    error: { message: ({ schema }) => `must be at most ${schema} bytes of JSON` },
    validate: (limit: number, value: unknown) => Buffer.byteLength(toJson(value)) <= limit,
  })
  const lowers = {
    modifying: true,
    errors: false,
    validate: (_says: boolean, value: unknown, _schema: object, { parentData, parentDataProperty }: DataContext) => {
      if (typeof value === 'string') parentData[parentDataProperty] = value.toLowerCase()
      return true
    },
  }
  ajv.addKeyword({ keyword: 'x-any-case', type: 'string', before: 'pattern', ...lowers } as never)
  ajv.addKeyword({ keyword: anyCaseOfEnum, before: 'enum', ...lowers } as never)
  return ajv
}

/** Codes are lower-case, and are taken in any case: an `enum` of lower-case texts by itself, another text where it says `x-any-case`. */
const anyCaseOfEnum = 'x-any-case-enum'

type DataContext = { parentData: Record<string | number, unknown>; parentDataProperty: string | number }

/** A schema whose codes are taken in any case. */
function withAnyCase(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withAnyCase)
  if (typeof schema !== 'object' || schema === null) return schema
  const copy = Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, withAnyCase(part)]))
  const values = (schema as { enum?: unknown }).enum
  const areCodes = Array.isArray(values) && values.every((value) => value === null || isLower(value))
  return areCodes ? { ...copy, [anyCaseOfEnum]: true } : copy
}

const isLower = (value: unknown): boolean => typeof value === 'string' && value === value.toLowerCase()

/** Bodies say what they mean: `"100"` is not a number there. Query and path are text, and are coerced. */
const strict = makeAjv(false)
const coercing = makeAjv(true)

/** The validator of one part of a request. */
export function compileValidator(schema: object, part: string | undefined) {
  return (part === 'body' ? strict : coercing).compile(withAnyCase(schema) as object)
}

/** Turns the validator's findings into the contract's issues, in the order found. */
export function issuesOf(errors: ErrorObject[], location: ValidationIssue['location']): ValidationIssue[] {
  // Where none of several forms fits, that is the issue, not what each of them misses.
  const choices = errors.filter(({ keyword }) => keyword === 'anyOf').map(({ schemaPath }) => `${schemaPath}/`)
  const apart = errors.filter(({ schemaPath }) => !choices.some((choice) => schemaPath.startsWith(choice)))
  return apart.slice(0, maxIssues).map((error) => {
    const path = error.instancePath.split('/').slice(1).map(unescapePointer)
    if (error.keyword === 'required') {
      path.push(String(error.params.missingProperty))
      return { path: path.join('.'), message: `${path.join('.')} is required`, location }
    }
    if (error.keyword === 'additionalProperties') {
      path.push(String(error.params.additionalProperty))
      return { path: path.join('.'), message: `${path.join('.')} is not a known field`, location }
    }
    const name = path.join('.') || location
    return { path: path.join('.'), message: `${name} ${describe(error)}`, location }
  })
}

const formats: Record<string, string> = {
  'date-time': 'must be a time such as 2026-11-21T09:30:00Z',
  email: 'must be an email address such as ada@example.com',
}

function describe({ keyword, params, parentSchema, message = 'is not valid' }: ErrorObject): string {
  if (keyword === 'enum') {
    const values = (params.allowedValues as unknown[]).filter((value) => value !== null)
    return `must be one of ${values.join(', ')}`
  }
  if (keyword === 'format') return formats[params.format] ?? message
  // What the validator itself says of these is made for machines.
  if (keyword === 'pattern' || keyword === 'anyOf') return parentSchema?.['x-message'] ?? message
  return message
}

/** Why the parser takes no body: it is no JSON, or names a field by which objects would change what others inherit. */
export function parsingRefusal(body: string): Refusal {
  try {
    JSON.parse(body)
  } catch {
    return generalRefusal('malformed_json', general.malformed_json[1])
  }
  const message = 'the field names __proto__ and constructor.prototype are not allowed'
  return generalRefusal('validation_failed', message, { data: [{ path: '', message, location: 'body' }] })
}

const unescapePointer = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~')

/**
 * Finds text that cannot be stored as it came (NUL, lone surrogates) and values nested too deep. Walks without
 * recursion, so that depth itself does no harm.
 */
export function findUnstorable(value: unknown, location: ValidationIssue['location']): ValidationIssue | null {
  const stack: { value: unknown; path: string; depth: number }[] = [{ value, path: '', depth: 0 }]
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    const { path, depth } = item
    if (typeof item.value === 'string') {
      const problem = unstorable(item.value)
      if (problem) return { path, message: `${path || location} ${problem}`, location }
    } else if (typeof item.value === 'object' && item.value !== null) {
      if (depth >= maxDepth)
        return { path, message: `${path.slice(0, 80)} is nested more than ${maxDepth} levels deep`, location }
      for (const [key, child] of Object.entries(item.value)) {
        const problem = unstorable(key)
        if (problem) return { path, message: `a field name in ${path || location} ${problem}`, location }
        stack.push({ value: child, path: path === '' ? key : `${path}.${key}`, depth: depth + 1 })
      }
    }
  }
  return null
}

function unstorable(text: string): string | null {
  if (text.includes('\u0000')) return 'must not contain NUL characters'
  if (!text.isWellFormed()) return 'must not contain lone surrogates'
  return null
}
