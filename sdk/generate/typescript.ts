/**
 * Prints the types and the operations of the TypeScript SDK.
 */
import {
  type Field,
  type Method,
  type Model,
  moneyOf,
  payloadSchema,
  refsOf,
  type Schema,
  schemasOf,
  type Type,
} from './model.ts'

const headOf = (summary: string, imports: string): string => `/**
 * ${summary}
 *
 * Generated from the OpenAPI document by \`npm run sdk\`.
 */
${imports}
`

const importsOfTypes = `import type { Amount, Fields } from './amounts.ts'`

const importsOfResources = (model: Model): string => `import type { Amount } from './amounts.ts'
import type {
${typesOfMethods(model)
  .map((name) => `  ${name},\n`)
  .join('')}} from './generated.ts'
import { ListRequest } from './pages.ts'
import { EventStream } from './stream.ts'
import { type Connection, type Query, type RequestOptions, request, type WriteOptions } from './transport.ts'`

/**
 * Prints the generated files of the SDK, by their paths from the root. There are two, because the
 * transport needs the types and the tables, and the resources need the transport.
 */
export function printTypescript(model: Model): Record<string, string> {
  const money = moneyOf(model)
  const headOfTypes = headOf(
    'The types of a Bursar server, and where money is in them.',
    importsOfTypes,
  )
  const headOfResources = headOf(
    'The operations of a Bursar server, by resource.',
    importsOfResources(model),
  )
  const at = 'sdk/typescript/src'
  return {
    [`${at}/generated.ts`]: [headOfTypes, types(model, money), tables(model, money)].join('\n'),
    [`${at}/resources.ts`]: [headOfResources, resources(model, money)].join('\n'),
  }
}

/** Returns the names of the types that methods take and return, sorted. */
function typesOfMethods(model: Model): string[] {
  const names = Object.values(model.resources)
    .flat()
    .flatMap((method) => [
      ...schemasOf(method),
      ...(method.answer.kind === 'page' ? refsOf(method.answer.items) : []),
    ])
  return [...new Set(names)].sort()
}

type Money = ReturnType<typeof moneyOf>

const pascal = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
const union = (values: string[]): string => values.map(quoted).join(' | ')

/** A comment, of lines that are not too long. */
function comment(text: string, indent: string): string {
  const words = text.replaceAll('*/', '*\\/').trim().split(/\s+/)
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last !== undefined && indent.length + last.length + word.length < 130)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  if (text.trim() === '') return ''
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`
}

/** @param amount how an amount is written where this stands */
function typeText(type: Type, money: Money, amount: string): string {
  const text = plainText(type, money, amount)
  return type.nullable && type.kind !== 'any' ? `${text} | null` : text
}

function plainText(type: Type, money: Money, amount: string): string {
  if (type.const !== undefined) return quoted(type.const)
  switch (type.kind) {
    case 'integer':
      return type.money ? amount : 'number'
    case 'any':
      return 'unknown'
    case 'array': {
      const items = typeText(type.items, money, amount)
      return items.includes(' ') ? `(${items})[]` : `${items}[]`
    }
    case 'map':
      return `{ [name: string]: ${typeText(type.values, money, amount)} }`
    case 'ref':
      return type.name in money ? `${type.name}<${amount}>` : type.name
  }
  return type.kind
}

function fieldText(
  { name, required, description, type }: Field,
  money: Money,
  amount: string,
  indent: string,
): string {
  const optional = required ? '' : '?'
  const missing = required ? '' : ' | undefined'
  return `${comment(description, indent)}${indent}${name}${optional}: ${typeText(type, money, amount)}${missing}\n`
}

function schemaText(name: string, schema: Schema, money: Money): string {
  const doc = comment(schema.description, '')
  const own = name in money ? `${name}<A extends Amount = number>` : name
  if (schema.kind === 'enum') return `${doc}export type ${name} = ${union(schema.values)}\n`
  if (schema.kind === 'map')
    return `${doc}export type ${name} = { [name: string]: ${typeText(schema.values, money, 'A')} }\n`
  if (schema.kind === 'union') {
    const of = schema.of.map((other) => (other in money ? `${other}<A>` : other))
    return `${doc}export type ${own} = ${of.join(' | ')}\n`
  }
  const payload = schema.fields.find(
    ({ type }) => type.kind === 'ref' && type.name === payloadSchema,
  )
  if (!payload) {
    const fields = schema.fields.map((field) => fieldText(field, money, 'A', '  ')).join('')
    return `${doc}export interface ${own} {\n${fields}}\n`
  }
  const fields = schema.fields.map((field) => {
    if (field === payload)
      return `${comment(field.description, '    ')}    ${field.name}: EventPayloads<A>[Type]\n`
    if (field.name === 'type') return `${comment(field.description, '    ')}    type: Type\n`
    return fieldText(field, money, 'A', '    ')
  })
  return `${doc}export type ${own} = {\n  [Type in EventType]: {\n${fields.join('').replaceAll(/^ {4}/gm, '    ')}  }\n}[EventType]\n`
}

function types({ schemas, events, codes }: Model, money: Money): string {
  const printed = Object.entries(schemas)
    .filter(([name]) => name !== payloadSchema)
    .map(([name, schema]) => schemaText(name, schema, money))
  const payloads = events.map(
    ({ type, payload }) => `  ${quoted(type)}: ${payload in money ? `${payload}<A>` : payload}\n`,
  )
  return [
    ...printed,
    `${comment('What the payload of an event is, by its type.', '')}export interface EventPayloads<A extends Amount = number> {\n${payloads.join('')}}\n`,
    `${comment('The documented codes of refusals. A later server has more.', '')}export type RefusalCode =\n${codes
      .map(({ code, status, meaning }) => `  /** ${status}: ${meaning} */\n  | ${quoted(code)}\n`)
      .join('')}`,
  ].join('\n')
}

const queryName = ({ id }: Method): string => `${pascal(id)}Query`

function methodText(method: Method, money: Money): string {
  const {
    name,
    summary,
    description,
    pathParameters,
    query,
    body,
    answer,
    idempotent,
    http,
    path,
  } = method
  const parameters = pathParameters.map(
    (field) => `${field.name}: ${typeText(field.type, money, 'Amount')}`,
  )
  if (query.length > 0)
    parameters.push(
      query.some(({ required }) => required)
        ? `query: ${queryName(method)}`
        : `query?: ${queryName(method)}`,
    )
  if (body) {
    const type = body.schema in money ? `${body.schema}<Amount>` : body.schema
    parameters.push(`body${body.required ? '' : '?'}: ${type}`)
  }
  parameters.push(`options?: ${idempotent ? 'WriteOptions' : 'RequestOptions'}`)
  const gives = answerType(method, money)
  const schema = answerSchema(method)
  const operation = [
    `method: ${quoted(http)}`,
    `path: ${quoted(path)}`,
    ...(idempotent ? ['keyed: true'] : []),
    ...(body && body.schema in money ? [`body: ${quoted(body.schema)}`] : []),
    ...(schema !== null && schema in money ? [`answer: ${quoted(schema)}`] : []),
    ...(answer.kind === 'bytes' ? ['bytes: true'] : []),
  ].join(', ')
  const args = `[${pathParameters.map((field) => field.name).join(', ')}]`
  const asked = query.length > 0 ? 'query' : 'undefined'
  const sent = body ? 'body' : 'undefined'
  let run = `return request(this.#connection, { ${operation} }, ${args}, ${asked}, ${sent}, options) as ${gives}`
  if (answer.kind === 'page')
    run = [
      `const load = (next: Query) => request(this.#connection, { ${operation} }, ${args}, { ...query, ...next }, ${sent}, options)`,
      `    return new ListRequest(load, ${answer.cursor})`,
    ].join('\n')
  if (answer.kind === 'stream')
    run = `return new EventStream(this.#connection, { ${operation} }, ${asked}, options)`
  const doc = comment(`${summary}. ${description}`, '  ')
  return `${doc}  ${name}(${parameters.join(', ')}): ${gives} {\n    ${run}\n  }\n`
}

function answerSchema({ answer }: Method): string | null {
  const type = answer.kind === 'record' ? answer.type : answer.kind === 'list' ? answer.items : null
  if (answer.kind === 'page') return answer.schema
  return type?.kind === 'ref' ? type.name : null
}

function answerType({ answer }: Method, money: Money): string {
  switch (answer.kind) {
    case 'record':
      return `Promise<${typeText(answer.type, money, 'A')}>`
    case 'list':
      return `Promise<${typeText(answer.items, money, 'A')}[]>`
    case 'page': {
      const page: Type = { kind: 'ref', name: answer.schema, nullable: false }
      return `ListRequest<${typeText(answer.items, money, 'A')}, ${typeText(page, money, 'A')}>`
    }
    case 'bytes':
      return 'Promise<Uint8Array>'
    case 'stream':
      return `EventStream<${typeText(answer.events, money, 'A')}>`
  }
}

const className = (resource: string): string => `${pascal(resource)}Resource`

function resources({ resources: all }: Model, money: Money): string {
  const queries = Object.values(all)
    .flat()
    .filter(({ query }) => query.length > 0)
    .map((method) => {
      const fields = method.query.map((field) => fieldText(field, money, 'Amount', '  ')).join('')
      return `export interface ${queryName(method)} {\n${fields}}\n`
    })
  const classes = Object.entries(all).map(([resource, methods]) => {
    const usesAmount = methods.some((method) => /<A>|\bA\b/.test(answerType(method, money)))
    const parameter = usesAmount ? '<A extends Amount = number>' : ''
    const own = `export class ${className(resource)}${parameter} {\n  readonly #connection: Connection\n\n  constructor(connection: Connection) {\n    this.#connection = connection\n  }\n`
    return {
      resource,
      usesAmount,
      text: `${own}\n${methods.map((method) => methodText(method, money)).join('\n')}}\n`,
    }
  })
  const fields = classes.map(
    ({ resource, usesAmount }) =>
      `  readonly ${resource}: ${className(resource)}${usesAmount ? '<A>' : ''}\n`,
  )
  const made = classes.map(
    ({ resource }) => `    this.${resource} = new ${className(resource)}(connection)\n`,
  )
  const every = `/** Everything that can be asked. */\nexport class Resources<A extends Amount = number> {\n${fields.join('')}\n  constructor(connection: Connection) {\n${made.join('')}  }\n}\n`
  return [...queries, ...classes.map(({ text }) => text), every].join('\n')
}

/** What the reading and the writing of JSON need at run time. */
function tables({ events }: Model, money: Money): string {
  const rows = Object.entries(money).map(([name, fields]) => {
    const parts = Object.entries(fields).map(
      ([field, to]) => `${field}: ${to === true ? 'true' : quoted(to)}`,
    )
    return `  ${name}: { ${parts.join(', ')} },\n`
  })
  const payloads = events.map(({ type, payload }) => `  ${quoted(type)}: ${quoted(payload)},\n`)
  return [
    `/** Where money is, by schema: the fields that are amounts, and those that hold a schema that has some. */\nexport const money: Readonly<Record<string, Fields>> = {\n${rows.join('')}}\n`,
    `/** The schemas of the payloads of events. */\nexport const payloads = {\n${payloads.join('')}} as const satisfies Record<EventType, string>\n`,
  ].join('\n')
}
