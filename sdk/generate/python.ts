/**
 * Prints the Python SDK: the types of what is answered (records) and given (TypedDicts), the
 * operations, and the resources of both clients.
 */
import type { Field, Method, Model, Schema, Type } from './model.ts'

const head = `"""Generated from the OpenAPI document; \`npm run sdk\` makes it anew."""

from __future__ import annotations
`

/**
 * The words that cannot be names in Python, as far as fields and parameters have them; a \`_\` is
 * put behind.
 */
const words = new Set(
  `False None True and as assert async await break class continue def del elif else except finally for from global if import in is
   lambda nonlocal not or pass raise return try while with yield`.split(/\s+/),
)

const attribute = (name: string): string => {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return words.has(snake) ? `${snake}_` : snake
}

const pascal = (name: string): string => name[0]?.toUpperCase() + name.slice(1)

/** A text in the source. JSON's escapes are Python's too. */
const quoted = (text: string): string => JSON.stringify(text)

/** The files of the SDK, by their paths from the root. */
export function printPython(model: Model): Record<string, string> {
  const at = 'sdk/python/src/bursar/_generated'
  return {
    [`${at}_types.py`]: printTypes(model),
    [`${at}_operations.py`]: printOperations(model),
    [`${at}_sync.py`]: printResources(model, false),
    [`${at}_async.py`]: printResources(model, true),
  }
}

type Direction = 'in' | 'out'

/**
 * How a type is written.
 * @param from what stands before the names of schemas
 */
function typeText(model: Model, type: Type, direction: Direction, from: string): string {
  const text = bareText(model, type, direction, from)
  return type.nullable && text !== 'Any' ? `Optional[${text}]` : text
}

function bareText(model: Model, type: Type, direction: Direction, from: string): string {
  if (type.const !== undefined) return `Literal[${quoted(type.const)}]`
  switch (type.kind) {
    case 'string':
      return 'str'
    case 'integer':
      return 'int'
    case 'number':
      return 'float'
    case 'boolean':
      return 'bool'
    case 'any':
      return 'Any'
    case 'array':
      return `${direction === 'in' ? 'Sequence' : 'List'}[${typeText(model, type.items, direction, from)}]`
    case 'map':
      return `${direction === 'in' ? 'Mapping' : 'Dict'}[str, ${typeText(model, type.values, direction, from)}]`
    case 'ref': {
      const schema = model.schemas[type.name] as Schema
      if (schema.kind === 'enum') return `${from}${type.name}`
      if (schema.kind === 'map')
        return bareText(
          model,
          { kind: 'map', values: schema.values, nullable: false },
          direction,
          from,
        )
      return direction === 'in' ? `${from}${type.name}Params` : `${from}${type.name}`
    }
  }
}

/** The schemas that can be reached from some. */
function reach(model: Model, roots: string[]): Set<string> {
  const found = new Set<string>()
  const visitType = (type: Type): void => {
    if (type.kind === 'ref') visit(type.name)
    else if (type.kind === 'array') visitType(type.items)
    else if (type.kind === 'map') visitType(type.values)
  }
  const visit = (name: string): void => {
    if (found.has(name)) return
    found.add(name)
    const schema = model.schemas[name] as Schema
    if (schema.kind === 'object') for (const { type } of schema.fields) visitType(type)
    else if (schema.kind === 'union') schema.of.forEach(visit)
    else if (schema.kind === 'map') visitType(schema.values)
  }
  roots.forEach(visit)
  return found
}

function printTypes(model: Model): string {
  const methods = Object.values(model.resources).flat()
  const given = reach(
    model,
    methods.flatMap(({ body }) => (body ? [body.schema] : [])),
  )
  const taken = reach(model, [
    ...methods.flatMap(({ answer }) => refs(answer)),
    ...model.events.map(({ schema }) => schema),
    'ValidationIssue',
  ])
  const schemas = Object.entries(model.schemas)
  const parts: string[] = []
  const exported: string[] = ['UnknownEvent', 'StreamedEvent']
  for (const [name, schema] of schemas)
    if (schema.kind === 'enum') {
      exported.push(name)
      parts.push(
        `${name} = Literal[${schema.values.map(quoted).join(', ')}]${doc(schema.description, '')}`,
      )
    }
  parts.push(unknownEvent(model))
  for (const [name, schema] of schemas)
    if (taken.has(name) && schema.kind === 'object') {
      exported.push(name)
      parts.push(record(model, name, schema))
    }
  parts.push(`StreamedEvent = Union[\n${model.events.map(({ schema }) => `    ${schema},\n`).join('')}]
"""An event that this version knows. A later server has more types: they come as \`UnknownEvent\`, with the same fields."""`)
  for (const [name, schema] of schemas)
    if (given.has(name) && schema.kind === 'object') {
      exported.push(`${name}Params`)
      parts.push(params(model, name, schema))
    }
  for (const [name, schema] of schemas)
    if (given.has(name) && schema.kind === 'union') {
      exported.push(`${name}Params`)
      parts.push(
        `${name}Params = Union[${schema.of.map((one) => `${one}Params`).join(', ')}]${doc(schema.description, '')}`,
      )
    }
  return `${head}
from typing import TYPE_CHECKING, Any, ClassVar, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, TypedDict, Union

from ._records import Record, Shape

if TYPE_CHECKING:
    from typing_extensions import NotRequired

__all__ = [
${exported
  .sort()
  .map((name) => `    ${quoted(name)},\n`)
  .join('')}]

${parts.join('\n\n\n')}
`
}

const refs = (answer: Method['answer']): string[] => {
  const type =
    answer.kind === 'record'
      ? answer.type
      : answer.kind === 'list' || answer.kind === 'page'
        ? answer.items
        : null
  return type?.kind === 'ref' ? [type.name] : []
}

/** A docstring below what it is about. */
function doc(text: string, indent: string): string {
  if (text === '') return ''
  const inner = text.trim().replaceAll('\\', '\\\\').replaceAll('"""', "'''")
  const lines = inner
    .split('\n')
    .map((line, i) => (i === 0 || line === '' ? line : `${indent}${line}`))
  const end = lines.length > 1 ? `\n${indent}` : inner.endsWith('"') ? ' ' : ''
  return `\n${indent}"""${lines.join('\n')}${end}"""`
}

const unknownEvent = (model: Model): string => `class UnknownEvent(Record):
    """An event of a type that this version does not know."""

    _variants: ClassVar[Mapping[str, str]] = {
${model.events.map(({ type, schema }) => `        ${quoted(type)}: ${quoted(schema)},\n`).join('')}    }

    id: str
    type: str
    timestamp: str
    payload: Any`

type ObjectSchema = Extract<Schema, { kind: 'object' }>

function record(model: Model, name: string, schema: ObjectSchema): string {
  const shapes = schema.fields.flatMap(({ name, type }) => {
    const shape = shapeText(model, type)
    return shape === null ? [] : [`${quoted(name)}: ${shape}`]
  })
  const renamed = schema.fields.flatMap(({ name }) =>
    attribute(name) === name ? [] : [`${quoted(name)}: ${quoted(attribute(name))}`],
  )
  const optional = schema.fields.flatMap(({ name, required }) =>
    required ? [] : [`${quoted(name)},`],
  )
  const own = [
    ...(shapes.length > 0
      ? [`    _shapes: ClassVar[Mapping[str, Shape]] = {${shapes.join(', ')}}`]
      : []),
    ...(renamed.length > 0
      ? [`    _attributes: ClassVar[Mapping[str, str]] = {${renamed.join(', ')}}`]
      : []),
    ...(optional.length > 0
      ? [`    _optional: ClassVar[Tuple[str, ...]] = (${optional.join(' ')})`]
      : []),
  ]
  const fields = schema.fields.map(({ name, required, description, type }) => {
    const text = typeText(model, required ? type : { ...type, nullable: true }, 'out', '')
    return `    ${attribute(name)}: ${text}${doc(description, '    ')}`
  })
  const about = doc(schema.description || 'A record.', '    ')
  return `class ${name}(Record):${about}\n\n${own.length > 0 ? `${own.join('\n')}\n\n` : ''}${fields.join('\n')}`
}

/** How the records in a value are found; null: it holds none. */
function shapeText(model: Model, type: Type): string | null {
  if (type.kind === 'array') {
    const shape = shapeText(model, type.items)
    return shape === null ? null : `[${shape}]`
  }
  if (type.kind === 'map') {
    const shape = shapeText(model, type.values)
    return shape === null ? null : `{"*": ${shape}}`
  }
  if (type.kind !== 'ref') return null
  const schema = model.schemas[type.name] as Schema
  if (schema.kind === 'map')
    return shapeText(model, { kind: 'map', values: schema.values, nullable: false })
  if (schema.kind === 'union')
    throw new Error(`the Python SDK reads no union in answers yet: ${type.name}`)
  return schema.kind === 'object' ? quoted(type.name) : null
}

function params(model: Model, name: string, schema: ObjectSchema): string {
  const fields = schema.fields.map(({ name: field, required, description, type }) => {
    if (attribute(field) !== field)
      throw new Error(`the Python SDK cannot be given ${name}.${field} yet`)
    const text = typeText(model, type, 'in', '')
    return `    ${field}: ${required ? text : `NotRequired[${text}]`}${doc(description, '    ')}`
  })
  return `class ${name}Params(TypedDict):${doc(schema.description || 'What is given.', '    ')}\n\n${fields.join('\n')}`
}

const operationName = (id: string): string =>
  id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function printOperations(model: Model): string {
  const lines = Object.values(model.resources)
    .flat()
    .map(({ id, http, path, answer, idempotent }) => {
      const shape =
        answer.kind === 'record'
          ? shapeText(model, answer.type)
          : answer.kind === 'list'
            ? shapeText(model, { kind: 'array', items: answer.items, nullable: false })
            : answer.kind === 'page'
              ? shapeText(model, answer.items)
              : answer.kind === 'stream'
                ? '"UnknownEvent"'
                : null
      const kind = answer.kind === 'record' || answer.kind === 'list' ? 'json' : answer.kind
      const parts = [
        `${quoted(http)}, ${quoted(path)}, ${quoted(kind)}`,
        ...(shape === null ? [] : [shape]),
        ...(idempotent ? ['keyed=True'] : []),
        ...(answer.kind === 'page' && answer.cursor ? ['cursor=True'] : []),
      ]
      return `${operationName(id)} = Operation(${parts.join(', ')})`
    })
  return `${head}
from . import _generated_types as _types  # noqa: F401  # the records that are answered
from ._core import Operation

${lines.join('\n')}
`
}

function printResources(model: Model, async: boolean): string {
  const prefix = async ? 'Async' : ''
  const classes = Object.entries(model.resources).map(([resource, methods]) => {
    const name = `${prefix}${pascal(resource)}`
    return `class ${name}(${prefix}Resource):
${methods.map((method) => printMethod(model, method, async)).join('\n\n')}`
  })
  const resources = Object.keys(model.resources)
  return `${head}
from typing import Any, List, Mapping, Optional, Sequence, Union, cast

from . import _generated_operations as operations
from . import _generated_types as types
from ._core import NOT_GIVEN, NotGiven, Options
from ._stream import ${prefix}EventStream
from ._transport import ${async ? 'AsyncPages, AsyncResource, AsyncTransport' : 'Page, Resource, SyncTransport'}


${classes.join('\n\n\n')}


class ${prefix}Resources:
    """All the resources of the API."""

    def __init__(self, transport: ${async ? 'AsyncTransport' : 'SyncTransport'}) -> None:
${resources.map((name) => `        self.${attribute(name)} = ${prefix}${pascal(name)}(transport)\n`).join('')}`
}

const options: [name: string, type: string, about: string][] = [
  [
    'idempotency_key',
    'str',
    'The same for the same request, whoever makes it and when: it is done once. One is made when none is given.',
  ],
  ['timeout', 'float', 'Seconds, instead of the client’s.'],
  ['max_retries', 'int', 'Instead of the client’s.'],
  [
    'extra_query',
    'Mapping[str, Any]',
    'Filters of a later server, which this version does not know.',
  ],
  [
    'extra_body',
    'Mapping[str, Any]',
    'Fields of a later server, which this version does not know.',
  ],
]

function printMethod(model: Model, method: Method, async: boolean): string {
  const { answer, body } = method
  const schema = body ? (model.schemas[body.schema] as Schema) : null
  if (schema !== null && schema.kind !== 'object')
    throw new Error(`the body of ${method.id} is no object`)
  const fields = schema?.fields ?? []
  const keyed = [...method.query, ...fields]
  const ordered = [
    ...keyed.filter(({ required }) => required),
    ...keyed.filter(({ required }) => !required),
  ]
  const without = [
    ...(method.idempotent ? [] : ['idempotency_key']),
    ...(method.query.length > 0 ? [] : ['extra_query']),
    ...(body ? [] : ['extra_body']),
  ]
  const own = options.filter(([name]) => !without.includes(name))
  const named = [...method.pathParameters, ...ordered].map(({ name }) => attribute(name))
  const twice = [...named, ...own.map(([name]) => name)].find(
    (name, i, all) => all.indexOf(name) !== i,
  )
  if (twice) throw new Error(`${method.id} has two parameters ${twice}`)

  const parameters = [
    'self',
    ...method.pathParameters.map(({ name }) => `${attribute(name)}: str`),
    '*',
    ...ordered.map((field) => parameter(model, field)),
    ...own.map(([name, type]) => `${name}: Optional[${type}] = None`),
  ]
  const values = (of: Field[]): string =>
    `{${of.map(({ name }) => `${quoted(name)}: ${attribute(name)}`).join(', ')}}`
  const path = method.pathParameters.map(({ name }) => `${attribute(name)},`).join(' ')
  const given = `Options(${own.map(([name]) => `${name}=${name}`).join(', ')})`
  const operation = `operations.${operationName(method.id)}`

  const item = (type: Type): string => typeText(model, type, 'out', 'types.')
  const call = `self._transport.call(
                ${operation},
                (${path}),
                ${values(method.query)},
                ${body ? values(fields) : 'None'},
                ${given},
            )`
  const answered = (type: string): [string, string] => [
    type,
    `return cast(\n            ${quoted(type)},\n            ${async ? 'await ' : ''}${call},\n        )`,
  ]
  const [returns, statement] =
    answer.kind === 'page'
      ? [
          `${async ? 'AsyncPages' : 'Page'}[${item(answer.items)}]`,
          `return self._transport.page(${operation}, (${path}), ${values(method.query)}, ${given})`,
        ]
      : answer.kind === 'stream'
        ? [
            async ? 'AsyncEventStream' : 'EventStream',
            `return self._transport.events(${operation}, ${values(method.query)}, ${given})`,
          ]
        : answered(
            answer.kind === 'bytes'
              ? 'bytes'
              : answer.kind === 'list'
                ? `List[${item(answer.items)}]`
                : item(answer.type),
          )
  const waits = async && answer.kind !== 'page' && answer.kind !== 'stream'
  const about = [
    `${method.summary}.`,
    ...(method.description ? ['', method.description] : []),
    '',
    ...[...method.pathParameters, ...ordered].map(
      ({ name, description }) =>
        `:param ${attribute(name)}: ${description.replace(/\s*\n\s*/g, ' ')}`,
    ),
    ...own.map(([name, , description]) => `:param ${name}: ${description}`),
  ]
  return `    ${waits ? 'async ' : ''}def ${attribute(method.name)}(
${parameters.map((text) => `        ${text},\n`).join('')}    ) -> ${returns}:${doc(about.join('\n'), '        ')}
        ${statement}`
}

function parameter(model: Model, { name, required, type }: Field): string {
  const text = typeText(model, type, 'in', 'types.')
  return required
    ? `${attribute(name)}: ${text}`
    : `${attribute(name)}: Union[${text}, NotGiven] = NOT_GIVEN`
}
