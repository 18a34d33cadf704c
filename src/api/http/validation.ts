/**
 * Validation of input: schemas, and what no schema can say (text that PostgreSQL cannot hold,
 * depth, bytes).
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
 * Said for clients: `type` and the bounds check a number already, and the module reads a URL and
 * says what is wrong with it.
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
    // The schema comes with each finding: it says in words what it wants.
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
 * Codes are lower-case, and are taken in any case: an `enum` of lower-case texts by itself, another
 * text where it says `x-any-case`.
 */
const anyCaseOfEnum = 'x-any-case-enum'

type DataContext = {
  parentData: Record<string | number, unknown>
  parentDataProperty: string | number
}

/** A schema whose codes are taken in any case. */
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

/**
 * Bodies say what they mean: `"100"` is not a number there. Query and path are text, and are
 * coerced.
 */
const strict = makeAjv(false)
const coercing = makeAjv(true)

/**
 * Says whether a part of a request is valid, and what was found in the one it was asked about last.
 */
export type Validator = { (value: unknown): boolean; errors?: ErrorObject[] | null }

const made = {
  strict: new WeakMap<object, Validator>(),
  coercing: new WeakMap<object, Validator>(),
}

/**
 * The validator of one part of a request. It is compiled by its first use: a start would wait for
 * all of them, and few are used.
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
/**
 * Keywords whose finding is about a field below the one that it was found at, and where the finding
 * names it.
 */
const naming: Record<string, string> = {
  required: 'missingProperty',
  dependentRequired: 'missingProperty',
  additionalProperties: 'additionalProperty',
  unevaluatedProperties: 'unevaluatedProperty',
}

/** Turns the validator's findings into the contract's issues, in the order found. */
export function issuesOf(errors: ErrorObject[], location: Location): ValidationIssue[] {
  // Where none of several forms fits, that is the issue, not what each of them misses.
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

/** What the validator found, as the refusal that says it. */
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
 * Why the parser takes no body: it is no JSON, or names a field by which objects would change what
 * others inherit.
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
 * Why a body is refused that has a number which JSON readers do not keep as it was written. In
 * fields that a schema describes, what is too large is left to the validator.
 */
export function lossyNumberIn(body: string): Refusal | null {
  const found = findLossyNumbers(body).find(
    ({ path, value }) => isOwnData.test(path) || Math.abs(value) <= Number.MAX_SAFE_INTEGER,
  )
  if (!found) return null
  const issue = issueAt(found.path, 'body', lossyNumber)
  return generalRefusal('validation_failed', issue.message, { data: [issue] })
}

/** Where a client keeps its own data, which is given back as it came. */
const isOwnData = /(?:^|\.)metadata(?:_filter)?(?:\.|$)/

const unescapePointer = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~')

/** What the walk for excess reads of a schema. */
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
 * Values in a part of a request that no schema describes; below that, the validator says what is
 * wrong with it.
 */
const mostUndescribed = 1_000

/**
 * Finds what a part of a request has far too much of: unknown fields, items, values. The validator,
 * which looks at everything and makes a finding of each, is not asked then. What is found costs no
 * more than what may be there.
 * @returns at most as many issues as an answer has; none where the validator can be asked
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
      // A value takes two bytes at least, with what parts it from the next.
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

/** Whether there are more values in a value than so many. Counts no further. */
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
 * Fields that are given back as they came, or are compared with such: what a caller keeps there is
 * its own.
 */
const verbatim = ['metadata', 'metadata_filter']

/**
 * Finds text that cannot be stored as it came (NUL, lone surrogates), that lost letters before it
 * came (U+FFFD) or would do something where it is shown (control characters), and values nested too
 * deep. Metadata may hold the last two: it is shown to nobody as a name. Walks without recursion,
 * so that depth itself does no harm.
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
