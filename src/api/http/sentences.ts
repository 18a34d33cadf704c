/**
 * Describes in words what is wrong with a field: a sentence per keyword of our schemas, because the
 * validator's own messages are for machines.
 */
import type { ErrorObject } from 'ajv'

/** The input of a sentence: a finding of the validator or our own. */
type Finding = Pick<ErrorObject, 'params' | 'parentSchema'> & { schema?: unknown }

const count = (n: unknown, one: string): string => `${n} ${one}${n === 1 ? '' : 's'}`

const types: Record<string, string> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
}

/** Describes the types of a field, such as `a whole number or null`. */
export function typeSentence(type: unknown): string {
  const names = Array.isArray(type) ? type : String(type).split(',')
  return `must be ${names.map((name) => types[name] ?? name).join(' or ')}`
}

/** Sentences about texts of a format. */
export const formats: Record<string, string> = {
  'date-time': 'must be a time such as 2026-11-21T09:30:00Z',
  date: 'must be a day such as 2026-11-21',
  email: 'must be an email address such as ada@example.com',
}

/** The schema's own words, if no keyword can express the rule. */
const inWords =
  (otherwise: string) =>
  ({ parentSchema }: Finding): string =>
    parentSchema?.['x-message'] ?? otherwise

const list = (values: unknown[]): string => {
  const shown = values.filter((value) => value !== null)
  return shown.length === 1 ? `must be ${shown[0]}` : `must be one of ${shown.join(', ')}`
}

/** The sentence after a field's name, by failed keyword. */
export const sentences = {
  type: ({ params }) => typeSentence(params.type),
  enum: ({ params }) => list(params.allowedValues),
  const: ({ params }) => `must be ${JSON.stringify(params.allowedValue)}`,
  format: ({ params }) => formats[params.format] ?? 'is not of the form that is asked for',
  pattern: inWords('is not of the form that is asked for'),
  minLength: ({ params }) => `must have at least ${count(params.limit, 'character')}`,
  maxLength: ({ params }) => `must have at most ${count(params.limit, 'character')}`,
  minimum: ({ params }) => `must be at least ${params.limit}`,
  maximum: ({ params }) => `must be at most ${params.limit}`,
  exclusiveMinimum: ({ params }) => `must be more than ${params.limit}`,
  exclusiveMaximum: ({ params }) => `must be less than ${params.limit}`,
  multipleOf: ({ params }) => `must be a multiple of ${params.multipleOf}`,
  minItems: ({ params }) => `must have at least ${count(params.limit, 'item')}`,
  maxItems: ({ params }) => `must have at most ${count(params.limit, 'item')}`,
  uniqueItems: ({ params }) =>
    `must not have the same item twice: ${params.i} and ${params.j} are alike`,
  minProperties: ({ params }) => `must have at least ${count(params.limit, 'field')}`,
  maxProperties: ({ params }) => `must have at most ${count(params.limit, 'field')}`,
  required: () => 'is required',
  additionalProperties: () => 'is not a known field',
  unevaluatedProperties: () => 'is not a known field',
  dependentRequired: ({ params }) => `is required with ${params.property}`,
  propertyNames: ({ params }) =>
    `has the field ${JSON.stringify(params.propertyName)}, whose name is not allowed`,
  contains: inWords('lacks an item that is asked for'),
  anyOf: inWords('has none of the forms that are allowed'),
  oneOf: inWords('has none of the forms that are allowed, or several at once'),
  not: inWords('is not allowed like this'),
  if: inWords('does not fit the other fields'),
  'false schema': () => 'is not allowed here',
  'x-line': () => 'must be one line, without characters that override the direction of text',
  'x-max-bytes': ({ schema }) => `must be at most ${schema} bytes of JSON`,
} satisfies Record<string, (finding: Finding) => string>

/** Returns the sentence after a field's name. */
export function sentenceOf(finding: Finding & { keyword: string }): string {
  const say: ((finding: Finding) => string) | undefined =
    sentences[finding.keyword as keyof typeof sentences]
  return say?.(finding) ?? 'is not valid'
}
