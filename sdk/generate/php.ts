/**
 * Prints the PHP SDK: a class for each record that is answered, and one for each resource. What is
 * given are arrays, whose shapes stand in comments that PHPStan, Psalm and editors read.
 */
import type { Field, Method, Model, Schema, Type } from './model.ts'

const head = (namespace: string): string => `<?php

// Generated from the OpenAPI document; \`npm run sdk\` makes it anew.

declare(strict_types=1);

namespace ${namespace};
`

const pascal = (name: string): string => name[0]?.toUpperCase() + name.slice(1)

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

/** A text within a comment. */
const comment = (text: string): string =>
  text
    .replaceAll('*/', '*\u2060/')
    .replace(/\s*\n\s*/g, ' ')
    .trim()

/** The files of the SDK, by their paths from the root. */
export function printPhp(model: Model): Record<string, string> {
  const files: Record<string, string> = {
    'sdk/php/src/Generated/Fields.php': printFields(model),
    'sdk/php/src/Generated/Operations.php': printOperations(model),
    'sdk/php/src/Generated/Resources.php': printClient(model),
    'sdk/php/src/Generated/Records/AnyEvent.php': printAnyEvent(model),
  }
  const events = new Set(model.events.map(({ schema }) => schema))
  for (const name of answered(model))
    files[`sdk/php/src/Generated/Records/${name}.php`] = printRecord(model, name, events.has(name))
  for (const [resource, methods] of Object.entries(model.resources))
    files[`sdk/php/src/Generated/Resources/${pascal(resource)}.php`] = printResource(
      model,
      resource,
      methods,
    )
  return files
}

/** The objects that answers and events hold. */
function answered(model: Model): string[] {
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
    else if (schema.kind === 'map') visitType(schema.values)
  }
  for (const { answer } of Object.values(model.resources).flat())
    if (answer.kind === 'record') visitType(answer.type)
    else if (answer.kind === 'list' || answer.kind === 'page') visitType(answer.items)
  for (const { schema } of model.events) visit(schema)
  visit('ValidationIssue')
  return [...found].filter((name) => model.schemas[name]?.kind === 'object').sort()
}

/** How a type is written in a comment: of what is answered, or of what is given. */
function typeText(model: Model, type: Type, given: boolean): string {
  const text = bareText(model, type, given)
  return type.nullable && text !== 'mixed' ? `${text}|null` : text
}

function bareText(model: Model, type: Type, given: boolean): string {
  if (type.const !== undefined) return quoted(type.const)
  switch (type.kind) {
    case 'string':
      return 'string'
    case 'integer':
      return 'int'
    case 'number':
      return 'int|float'
    case 'boolean':
      return 'bool'
    case 'any':
      return 'mixed'
    case 'array':
      return `list<${typeText(model, type.items, given)}>`
    case 'map':
      return `array<string, ${typeText(model, type.values, given)}>`
    case 'ref': {
      const schema = model.schemas[type.name] as Schema
      if (schema.kind === 'enum') return given ? schema.values.map(quoted).join('|') : 'string'
      if (schema.kind === 'map')
        return bareText(model, { kind: 'map', values: schema.values, nullable: false }, given)
      if (schema.kind === 'union')
        return schema.of
          .map((name) => bareText(model, { kind: 'ref', name, nullable: false }, given))
          .join('|')
      return given ? shapeOf(model, schema.fields) : type.name
    }
  }
}

const shapeOf = (model: Model, fields: Field[]): string =>
  `array{${fields.map(({ name, required, type }) => `${name}${required ? '' : '?'}: ${typeText(model, type, true)}`).join(', ')}}`

/** How the records and maps in a value are found; null: it holds none. */
function readShape(model: Model, type: Type, records: string): string | null {
  if (type.kind === 'array') {
    const shape = readShape(model, type.items, records)
    return shape === null ? null : `[${shape}]`
  }
  if (type.kind === 'map') return `['*' => ${readShape(model, type.values, records) ?? 'null'}]`
  if (type.kind !== 'ref') return null
  const schema = model.schemas[type.name] as Schema
  if (schema.kind === 'map')
    return readShape(model, { kind: 'map', values: schema.values, nullable: false }, records)
  if (schema.kind === 'union')
    throw new Error(`the PHP SDK reads no union in answers yet: ${type.name}`)
  return schema.kind === 'object' ? `${records}${type.name}::class` : null
}

function printRecord(model: Model, name: string, isEvent: boolean): string {
  const schema = model.schemas[name] as Extract<Schema, { kind: 'object' }>
  const properties = schema.fields.map(({ name, required, description, type }) => {
    const text = typeText(model, required ? type : { ...type, nullable: true }, false)
    return ` * @property-read ${text} $${name} ${comment(description)}`.trimEnd()
  })
  const shapes = schema.fields.flatMap(({ name, type }) => {
    const shape = readShape(model, type, '')
    return shape === null ? [] : [`        ${quoted(name)} => ${shape},\n`]
  })
  const optional = schema.fields.filter(({ required }) => !required).map(({ name }) => quoted(name))
  const parts = [
    ...(shapes.length > 0 ? [`    protected const SHAPES = [\n${shapes.join('')}    ];\n`] : []),
    ...(optional.length > 0 ? [`    protected const OPTIONAL = [${optional.join(', ')}];\n`] : []),
  ]
  const base = isEvent ? 'AnyEvent' : 'Record'
  return `${head('Bursar\\Records')}${isEvent ? '' : '\nuse Bursar\\Record;\n'}
/**
 * ${comment(schema.description || 'A record.')}
 *
${properties.join('\n')}
 */
final class ${name} extends ${base}
{
${parts.join('')}}
`
}

const printAnyEvent = (model: Model): string => `${head('Bursar\\Records')}
use Bursar\\Record;

/**
 * An event. One of a type that this version knows is of the type's own class; of a later server's,
 * of this one.
 *
 * @property-read string $id The event: the same for each try, and for each of your endpoints.
 * @property-read string $type What happened.
 * @property-read string $timestamp When it happened.
 * @property-read mixed $payload The record as its own GET would have returned it at that moment.
 */
class AnyEvent extends Record
{
    protected const SHAPES = ['payload' => ['*' => null]];
    protected const VARIANTS = [
${model.events.map(({ type, schema }) => `        ${quoted(type)} => ${schema}::class,\n`).join('')}    ];
}
`

/**
 * The names of the fields, of what is given, that are maps of the caller's own: what they hold is
 * sent as it is.
 */
function printFields(model: Model): string {
  const maps = new Set<string>()
  const seen = new Set<string>()
  const visitType = (name: string, type: Type): void => {
    if (type.kind === 'map') maps.add(name)
    else if (type.kind === 'array') visitType(name, type.items)
    else if (type.kind === 'ref') visit(name, type.name)
  }
  const visit = (field: string, name: string): void => {
    const schema = model.schemas[name] as Schema
    if (schema.kind === 'map') maps.add(field)
    if (seen.has(name)) return
    seen.add(name)
    if (schema.kind === 'union') for (const one of schema.of) visit(field, one)
    if (schema.kind === 'object') for (const { name, type } of schema.fields) visitType(name, type)
  }
  for (const { body } of Object.values(model.resources).flat()) if (body) visit('', body.schema)
  return `${head('Bursar\\Generated')}
/** @internal */
final class Fields
{
    /** The fields, of what is given, that are maps: what they hold is sent as it is. */
    public const MAPS = [${[...maps].sort().map(quoted).join(', ')}];
}
`
}

function printOperations(model: Model): string {
  const cases = Object.values(model.resources)
    .flat()
    .map(({ id, http, path, answer, idempotent }) => {
      const shape =
        answer.kind === 'record'
          ? readShape(model, answer.type, 'Records\\')
          : answer.kind === 'list'
            ? readShape(model, { kind: 'array', items: answer.items, nullable: false }, 'Records\\')
            : answer.kind === 'page'
              ? readShape(model, answer.items, 'Records\\')
              : null
      const kind = answer.kind === 'record' || answer.kind === 'list' ? 'json' : answer.kind
      const parts = [
        `${quoted(http)}, ${quoted(path)}, ${quoted(kind)}`,
        ...(shape === null ? [] : [shape]),
        ...(idempotent ? ['keyed: true'] : []),
        ...(answer.kind === 'page' && answer.cursor ? ['cursor: true'] : []),
      ]
      return `            ${quoted(id)} => new Operation(${parts.join(', ')}),\n`
    })
  return `${head('Bursar\\Generated')}
use Bursar\\Operation;
use Bursar\\Records;

/** @internal */
final class Operations
{
    public static function of(string $id): Operation
    {
        return match ($id) {
${cases.join('')}        };
    }
}
`
}

function printClient(model: Model): string {
  const resources = Object.keys(model.resources)
  return `${head('Bursar\\Generated')}
use Bursar\\Client;
use Bursar\\Resources as R;

/** All the resources of the API. */
abstract class Resources
{
${resources.map((name) => `    public readonly R\\${pascal(name)} $${name};\n`).join('')}
    protected function __construct(Client $client)
    {
${resources.map((name) => `        $this->${name} = new R\\${pascal(name)}($client);\n`).join('')}    }
}
`
}

function printResource(model: Model, resource: string, methods: Method[]): string {
  const records = new Set<string>()
  for (const { answer } of methods)
    if (answer.kind === 'record') for (const name of refs(model, answer.type)) records.add(name)
    else if (answer.kind === 'list' || answer.kind === 'page')
      for (const name of refs(model, answer.items)) records.add(name)
  const uses = [
    'use Bursar\\Client;',
    ...(methods.some(({ answer }) => answer.kind === 'stream') ? ['use Bursar\\EventStream;'] : []),
    'use Bursar\\Generated\\Operations;',
    ...(methods.some(({ answer }) => answer.kind === 'page') ? ['use Bursar\\Page;'] : []),
    ...[...records]
      .sort()
      .map(
        (name) =>
          `use Bursar\\Records\\${name}${name === pascal(resource) ? ` as ${name}Record` : ''};`,
      ),
  ]
  return `${head('Bursar\\Resources')}
${uses.join('\n')}

final class ${pascal(resource)}
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

${methods.map((method) => printMethod(model, method, pascal(resource))).join('\n\n')}
}
`
}

const refs = (model: Model, type: Type): string[] => {
  if (type.kind === 'array') return refs(model, type.items)
  return type.kind === 'ref' && model.schemas[type.name]?.kind === 'object' ? [type.name] : []
}

function printMethod(model: Model, method: Method, own: string): string {
  const { answer, body, query } = method
  const schema = body ? (model.schemas[body.schema] as Schema) : null
  if (schema !== null && schema.kind !== 'object')
    throw new Error(`the body of ${method.id} is no object`)
  const given = [
    ...(schema ? [{ name: 'body', fields: schema.fields }] : []),
    ...(query.length > 0 ? [{ name: 'query', fields: query }] : []),
  ]
  const options = `array{${method.idempotent ? 'idempotency_key?: string, ' : ''}timeout?: float|int, max_retries?: int}`
  const parameters = [
    ...method.pathParameters.map(({ name }) => `string $${name}`),
    ...given.map(
      ({ name, fields }) =>
        `array $${name}${fields.some(({ required }) => required) ? '' : ' = []'}`,
    ),
    'array $options = []',
  ]
  const clash = method.pathParameters.find(({ name }) =>
    ['body', 'query', 'options'].includes(name),
  )
  if (clash) throw new Error(`${method.id} has two parameters ${clash.name}`)

  const item = (type: Type): string => {
    const text = typeText(model, type, false)
    return text === own ? `${own}Record` : text
  }
  const [returns, about] =
    answer.kind === 'page'
      ? ['Page', `Page<${item(answer.items)}>`]
      : answer.kind === 'stream'
        ? ['EventStream', null]
        : answer.kind === 'bytes'
          ? ['string', `string the file's bytes (${answer.contentType})`]
          : answer.kind === 'list'
            ? ['array', `list<${item(answer.items)}>`]
            : [item(answer.type), null]
  const lines = [
    `${comment(method.summary)}.`,
    ...(method.description ? ['', comment(method.description)] : []),
    '',
    ...method.pathParameters.map(
      ({ name, description }) => `@param string $${name} ${comment(description)}`,
    ),
    ...given.flatMap(({ name, fields }) => [
      `@param array{`,
      ...fields.map(
        ({ name, required, type }) =>
          `    ${quoted(name).slice(1, -1)}${required ? '' : '?'}: ${typeText(model, type, true)},`,
      ),
      `} $${name}`,
      ...fields.map(({ name, description }) => `  \`${name}\`: ${comment(description)}`),
    ]),
    `@param ${options} $options`,
    ...(about === null ? [] : ['', `@return ${about}`]),
  ]
  const path = method.pathParameters.map(({ name }) => `$${name}`).join(', ')
  const call = `$this->client->call(Operations::of(${quoted(method.id)}), [${path}], ${query.length > 0 ? '$query' : '[]'}, ${body ? '$body' : 'null'}, $options)`
  return `    /**
${lines.map((line) => `     * ${line}`.trimEnd()).join('\n')}
     */
    public function ${method.name}(${parameters.join(', ')}): ${returns}
    {
        return ${call};
    }`
}
