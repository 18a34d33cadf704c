/**
 * Commands made from the operator's operations. A command names its operation; arguments and
 * options fill the fields of the same name, and the operation's schema says how each is read.
 */
import type { Command } from 'commander'
import type { TSchema } from 'typebox'
import type { App } from '../../core/app.ts'
import type { AnswerOf, OperationId } from '../../core/operations.ts'
import { outside } from '../../core/outside.ts'
import type { OperationInput, Operations, Route } from '../../core/route.ts'
import { toJson } from '../../lib/json.ts'
import { maxAmount } from '../../lib/money.ts'
import { operatorScope } from '../../platform/operator/operator.ts'
import type { CommandContext } from './context.ts'
import {
  type Declared,
  declareParameters,
  fieldOf,
  givenTo,
  readValues,
  type Values,
} from './parameters.ts'
import { printable, reportRefusals, UserError } from './terminal.ts'
import { readName, readText } from './texts.ts'

/** The records of a list; any other answer as it is. */
type ShownOf<Id extends OperationId> =
  AnswerOf<Id> extends { docs: infer Records } ? Records : AnswerOf<Id>

export type OperationCommand<Id extends OperationId> = Declared & {
  description: string
  operation: Id | ((values: Values) => Id)
  /**
   * Returns fields beyond those that arguments and options fill.
   * @throws {UserError} for options that do not go together
   */
  fields?(values: Values): Record<string, unknown>
  /** Returns the answer as lines for a person; null, or left out: it is printed as JSON. */
  lines?(shown: ShownOf<Id>, values: Values): string[] | null
}

// biome-ignore lint/suspicious/noExplicitAny: `command` has checked each against its operation
export type AnyOperationCommand = OperationCommand<any>

/** Declares a command, typed by the schemas of its operation. */
export const command = <Id extends OperationId>(
  declared: OperationCommand<Id>,
): AnyOperationCommand => declared

/** Adds commands to a group such as `bursar disputes`. */
export function addOperationCommands(
  group: Command,
  commands: Readonly<Record<string, AnyOperationCommand>>,
  context: Pick<CommandContext, 'withApp' | 'print'>,
): void {
  for (const [name, declared] of Object.entries(commands)) {
    const added = group.command(name).description(declared.description)
    declareParameters(added, declared)
    if (declared.lines) added.option('--json', 'print JSON')
    added.action(() => context.withApp((app) => runCommand(app, declared, added, context.print)))
  }
}

async function runCommand(
  app: App,
  declared: AnyOperationCommand,
  parsed: Command,
  print: CommandContext['print'],
): Promise<void> {
  const { operationsOf } = await import('../main.ts')
  const operations = operationsOf(app)
  const { operation, lines, fields } = declared
  const given = givenTo(parsed)
  const id = typeof operation === 'string' ? operation : operation(given)
  const route = operations.route(id)
  const schemas = fieldsOf(route)
  const values = readValues(declared, given, (label, text, field) =>
    readField(label, text, schemas[field]),
  )
  const input = inputOf(route, { ...filling(declared, values), ...fields?.(values) })
  const by = typeof values.by === 'string' ? values.by : undefined
  const shown = await reportRefusals(() => callAsOperator(app, operations, { route, input, by }))
  const lineTexts = given.json ? null : (lines?.(shown, values) ?? null)
  if (lineTexts === null) return print(toJson(shown))
  for (const line of lineTexts) print(printable(line))
}

/** Reads a text by the schema of its field. @throws {UserError} */
function readField(label: string, text: string, schema: FieldSchema | undefined): unknown {
  if (schema?.enum && !schema.enum.includes(text))
    throw new UserError(`${label} '${text}': must be one of ${schema.enum.join(', ')}.`)
  if (schema?.type === 'integer') return readAmount(label, text)
  if (schema?.maxLength === undefined) return text
  const read = schema['x-line'] ? readName : readText
  return read(label, text, schema.maxLength)
}

function readAmount(label: string, text: string): number {
  if (!/^[1-9]\d{0,15}$/.test(text) || BigInt(text) > maxAmount)
    throw new UserError(`${label} must be a whole number of minor units, such as 450000.`)
  return Number(text)
}

type FieldSchema = { type?: string; enum?: string[]; maxLength?: number; 'x-line'?: true }

const parts = ['params', 'query', 'body'] as const

const propertiesOf = (schema: TSchema | undefined): Record<string, FieldSchema> =>
  (schema as { properties?: Record<string, FieldSchema> } | undefined)?.properties ?? {}

const fieldsOf = ({ schema }: Route): Record<string, FieldSchema> =>
  Object.assign({}, ...parts.map((part) => propertiesOf(schema[part])))

/** The values that fill fields. A name that `--by` gives is the actor's. */
function filling(declared: AnyOperationCommand, values: Values): Values {
  const others = [
    ...Object.entries(declared.arguments ?? {}),
    ...Object.entries(declared.options ?? {}).map(([flags, one]) => [fieldOf(flags), one] as const),
  ].flatMap(([name, one]) => (typeof one !== 'string' && one.isField === false ? [name] : []))
  const left = new Set(['by', ...others])
  return Object.fromEntries(Object.entries(values).filter(([name]) => !left.has(name)))
}

/**
 * Puts each value into the part of the input that has a field of its name.
 * @throws {UserError} for a value that no part has a field for
 */
function inputOf(route: Route, values: Values): OperationInput {
  const { schema } = route
  const known = fieldsOf(route)
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && !(name in known))
      throw new UserError(`${route.id} takes no ${name}, so nothing was done.`)
  const filled = parts.map((part) => {
    const own = Object.entries(values).filter(([name]) => name in propertiesOf(schema[part]))
    return [part, Object.fromEntries(own)]
  })
  return Object.fromEntries(filled)
}

type RecordPage = { docs: unknown[]; hasNextPage: boolean }

/** `by`: the person's name, which records and the audit log keep. */
type OperatorCall = {
  route: Route
  input: OperationInput
  by: string | undefined
}

/**
 * Calls an operation as the operator.
 * @returns the answer; of a list, its records
 */
async function callAsOperator(
  app: App,
  operations: Operations,
  { route, input, by }: OperatorCall,
): Promise<unknown> {
  const now = app.clock.now()
  const name = by === undefined ? {} : { name: by }
  const ctx = outside(app, operatorScope(now, { type: 'operator', at: now, ...name }))
  if (!('limit' in propertiesOf(route.schema.query)))
    return operations.operate(ctx, route.id, input)
  const records: unknown[] = []
  for (let page = 1; ; page++) {
    const query = { ...input.query, limit: '100', page: String(page) }
    const answer = (await operations.operate(ctx, route.id, { ...input, query })) as RecordPage
    records.push(...answer.docs)
    if (!answer.hasNextPage) return records
  }
}
