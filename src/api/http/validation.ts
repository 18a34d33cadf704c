/**
 * Validates input by schemas, and by rules that no schema can express (text that PostgreSQL cannot
 * store, depth, bytes).
 */
import { Ajv, type ErrorObject } from 'ajv'
import addFormats from 'ajv-formats'
import { asciiEmail } from '../../lib/email.ts'
import { general, generalRefusal, type Refusal, type ValidationIssue } from '../../lib/errors.ts'
import { findLossyNumbers, lossyNumber, toJson } from '../../lib/json.ts'
import { isLine, unshowable } from '../../lib/text.ts'
import { sentenceOf, sentences, typeSentence } from './sentences.ts'

type Location = ValidationIssue['location']

const maxDepth = 32
const maxIssues = 20

/**
 * Formats only for clients: `type` and bounds already check a number, and the module validates URLs
 * with its own message.
 */
export const uncheckedFormats = ['int32', 'int64', 'uri', 'binary']

function makeAjv(coerceTypes: boolean): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    coerceTypes,
    useDefaults: true,
    removeAdditional: false,
    strict: false,
    ownProperties: true,
    // Findings include the schema, which describes its rule in words.
    verbose: true,
  })
  addFormats.default(ajv)
  const asciiAddress = ajv.formats.email as RegExp
  ajv.addFormat('email', (text: string) => asciiAddress.test(asciiEmail(text)))
  for (const format of uncheckedFormats) ajv.addFormat(format, true)
  ajv.addKeyword({
    keyword: 'x-max-bytes',
    type: 'object',
    validate: (limit: number, value: unknown) => Buffer.byteLength(toJson(value)) <= limit,
  })
  ajv.addKeyword({
    keyword: 'x-line',
    type: 'string',
    validate: (_says: boolean, text: string) => isLine(text),
  })
  const lowers = {
    modifying: true,
    errors: false,
    validate: (
      _says: boolean,
      value: unknown,
      _schema: object,
      { parentData, parentDataProperty }: DataContext,
    ) => {
      if (typeof value === 'string') parentData[parentDataProperty] = value.toLowerCase()
      return true
    },
  }
  ajv.addKeyword({ keyword: 'x-any-case', type: 'string', before: 'pattern', ...lowers } as never)
  ajv.addKeyword({ keyword: anyCaseOfEnum, before: 'enum', ...lowers } as never)
  return ajv
}

/**
 * Codes are lower-case and accepted in any case: an `enum` of lower-case texts automatically,
 * another text with `x-any-case`.
 */
const anyCaseOfEnum = 'x-any-case-enum'

type DataContext = {
  parentData: Record<string | number, unknown>
  parentDataProperty: string | number
}

/** Converts a schema so that its codes are accepted in any case. */
function withAnyCase(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withAnyCase)
  if (typeof schema !== 'object' || schema === null) return schema
  const copy = Object.fromEntries(
    Object.entries(schema).map(([name, part]) => [name, withAnyCase(part)]),
  )
  const values = (schema as { enum?: unknown }).enum
  const areCodes =
    Array.isArray(values) && values.every((value) => value === null || isLower(value))
  return areCodes ? { ...copy, [anyCaseOfEnum]: true } : copy
}

const isLower = (value: unknown): boolean =>
  typeof value === 'string' && value === value.toLowerCase()

/** Bodies are typed: `"100"` is not a number there. Query and path are text and are coerced. */
const strict = makeAjv(false)
const coercing = makeAjv(true)

/** Validates a part of a request, and keeps the findings of the last call. */
export type Validator = { (value: unknown): boolean; errors?: ErrorObject[] | null }

const made = {
  strict: new WeakMap<object, Validator>(),
  coercing: new WeakMap<object, Validator>(),
}

/**
 * Returns the validator of one part of a request. It compiles at its first use, because compiling
 * all would delay the start, and few are used.
 */
export function compileValidator(schema: object, part: string | undefined): Validator {
  const [known, ajv] = part === 'body' ? [made.strict, strict] : [made.coercing, coercing]
  let compiled: Validator | null = null
  const validator: Validator = (value) => {
    compiled ??= ajv.compile(withAnyCase(schema) as object) as Validator
    const valid = compiled(value)
    validator.errors = compiled.errors ?? null
    return valid
  }
  const found = known.get(schema) ?? validator
  known.set(schema, found)
  return found
}

const choosing = ['anyOf', 'oneOf']
/** Keywords whose finding is about a field one level below, and the parameter that names it. */
const naming: Record<string, string> = {
  required: 'missingProperty',
  dependentRequired: 'missingProperty',
  additionalProperties: 'additionalProperty',
  unevaluatedProperties: 'unevaluatedProperty',
}

/** Converts the validator's findings to the contract's issues, in order. */
export function issuesOf(errors: ErrorObject[], location: Location): ValidationIssue[] {
  // If none of several forms fits, that is the issue, not the findings of each form.
  const choices = errors
    .filter(({ keyword }) => choosing.includes(keyword))
    .map(({ schemaPath }) => `${schemaPath}/`)
  const apart = errors.filter(
    ({ schemaPath }) => !choices.some((choice) => schemaPath.startsWith(choice)),
  )
  return apart.slice(0, maxIssues).map((error) => {
    const path = error.instancePath.split('/').slice(1).map(unescapePointer)
    const named = naming[error.keyword]
    if (named) path.push(String(error.params[named]))
    return issueAt(path.join('.'), location, sentenceOf(error))
  })
}

/** Returns the refusal for the validator's findings. */
export function invalid(errors: ErrorObject[], location: ValidationIssue['location']): Refusal {
  const issues = issuesOf(errors, location)
  return generalRefusal('validation_failed', issues[0]?.message ?? 'The request is not valid.', {
    data: issues,
  })
}

const issueAt = (path: string, location: Location, sentence: string): ValidationIssue => ({
  path,
  message: `${path || location} ${sentence}`,
  location,
})

/**
 * Why the parser rejects a body: invalid JSON, or a field name that would change object prototypes.
 */
export function parsingRefusal(body: string): Refusal {
  try {
    JSON.parse(body)
  } catch {
    return generalRefusal('malformed_json', general.malformed_json[1])
  }
  const message = 'the field names __proto__ and constructor.prototype are not allowed'
  return generalRefusal('validation_failed', message, {
    data: [{ path: '', message, location: 'body' }],
  })
}

/**
 * Refuses a body with a number that JSON readers cannot keep exactly. In fields with a schema, too
 * large numbers are left to the validator.
 */
export function lossyNumberIn(body: string): Refusal | null {
  const found = findLossyNumbers(body).find(
    ({ path, value }) => isOwnData.test(path) || Math.abs(value) <= Number.MAX_SAFE_INTEGER,
  )
  if (!found) return null
  const issue = issueAt(found.path, 'body', lossyNumber)
  return generalRefusal('validation_failed', issue.message, { data: [issue] })
}

/** Paths of the client's own data, which is returned unchanged. */
const isOwnData = /(?:^|\.)metadata(?:_filter)?(?:\.|$)/

const unescapePointer = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~')

/** The parts of a schema that the search for excess reads. */
type Shape = {
  type?: string | string[]
  properties?: Record<string, Shape>
  additionalProperties?: unknown
  items?: Shape
  anyOf?: Shape[]
  oneOf?: Shape[]
  maxItems?: number
  maxProperties?: number
  'x-max-bytes'?: number
}

/**
 * The most values without a schema in a part of a request; up to that number, the validator reports
 * what is wrong.
 */
const mostUndescribed = 1_000

/**
 * Finds excessive input: unknown fields, items, values. The validator then does not run, because it
 * would report each of them. The search costs no more than a valid input.
 * @returns at most as many issues as an answer has; none: run the validator
 */
export function findExcess(schema: object, value: unknown, location: Location): ValidationIssue[] {
  const issues: ValidationIssue[] = []
  const tell = (path: string, sentence: string): void => {
    if (issues.length < maxIssues) issues.push(issueAt(path, location, sentence))
  }
  const at = (path: string, name: string | number): string =>
    path === '' ? String(name) : `${path}.${name}`

  const check = (shape: Shape, part: unknown, path: string): void => {
    if (typeof part !== 'object' || part === null || issues.length >= maxIssues) return
    const kind = Array.isArray(part) ? 'array' : 'object'
    const fits = ({ type }: Shape): boolean => type === undefined || [type].flat().includes(kind)
    const forms = fits(shape) ? (shape.anyOf ?? shape.oneOf ?? [shape]).filter(fits) : []
    if (forms[0] && Array.isArray(part)) checkItems(forms[0], part, path)
    else if (forms[0]) checkFields(forms, part as Record<string, unknown>, path)
    else if (hasMore(part, mostUndescribed))
      tell(path, typeSentence(shape.type ?? ['object', 'null']))
  }

  const checkItems = (
    { items = {}, maxItems = mostUndescribed }: Shape,
    part: unknown[],
    path: string,
  ): void => {
    if (part.length > maxItems + maxIssues)
      tell(path, sentences.maxItems({ params: { limit: maxItems } }))
    else for (const [n, item] of part.entries()) check(items, item, at(path, n))
  }

  const checkFields = (forms: Shape[], part: Record<string, unknown>, path: string): void => {
    if (!forms.every(({ additionalProperties }) => additionalProperties === false)) {
      // A value takes at least two bytes, including its separator.
      const { 'x-max-bytes': schema = 2 * mostUndescribed, maxProperties: limit = schema } =
        forms[0] as Shape
      if (Object.keys(part).length > limit + maxIssues)
        tell(path, sentences.maxProperties({ params: { limit } }))
      else if (hasMore(part, schema / 2))
        tell(path, sentences['x-max-bytes']({ params: {}, schema }))
      return
    }
    const [only, ...others] = forms.map(({ properties = {} }) => properties)
    const known: Record<string, Shape> =
      others.length === 0 ? (only ?? {}) : Object.assign({}, only, ...others)
    const strangers: string[] = []
    for (const name of Object.keys(part)) {
      if (Object.hasOwn(known, name)) check(known[name] as Shape, part[name], at(path, name))
      else if (strangers.push(name) > maxIssues) break
    }
    if (
      strangers.length > maxIssues ||
      strangers.some((name) => hasMore(part[name], mostUndescribed))
    )
      for (const name of strangers) tell(at(path, name), sentences.additionalProperties())
  }

  check(schema as Shape, value, '')
  return issues
}

/** Whether a value contains more values than `most`. Stops counting there. */
function hasMore(value: unknown, most: number): boolean {
  const stack = [value]
  let seen = 0
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    if (typeof item !== 'object' || item === null) continue
    const children = Object.values(item)
    seen += children.length
    if (seen > most) return true
    stack.push(...children)
  }
  return false
}

/**
 * Fields that are returned unchanged, or compared with such fields: their content belongs to the
 * caller.
 */
const verbatim = ['metadata', 'metadata_filter']

/**
 * Finds text that cannot be stored unchanged (NUL, lone surrogates), has already lost characters
 * (U+FFFD) or could affect its display (control characters), and values nested too deep. Metadata
 * may contain U+FFFD and control characters, because it is never displayed as a name. Works without
 * recursion, so that depth does no harm.
 */
export function findUnstorable(value: unknown, location: Location): ValidationIssue | null {
  type Found = { value: unknown; path: string; depth: number; own: boolean }
  const stack: Found[] = [{ value, path: '', depth: 0, own: false }]
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    const { path, depth, own } = item
    if (typeof item.value === 'string') {
      const problem =
        unstorable(item.value) ??
        (own ? null : unshowable(item.value, { ofBody: location === 'body' }))
      if (problem) return issueAt(path, location, problem)
    } else if (typeof item.value === 'object' && item.value !== null) {
      if (depth >= maxDepth)
        return {
          path,
          message: `${path.slice(0, 80)} is nested more than ${maxDepth} levels deep`,
          location,
        }
      for (const [key, child] of Object.entries(item.value)) {
        const problem = unstorable(key)
        if (problem)
          return { path, message: `a field name in ${path || location} ${problem}`, location }
        const at = path === '' ? key : `${path}.${key}`
        stack.push({ value: child, path: at, depth: depth + 1, own: own || verbatim.includes(key) })
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
