/** Commands without an operation of the API, as rows of a table: what each takes, does and prints. */
import type { Command } from 'commander'
import { toJson } from '../../lib/json.ts'
import {
  type Declared,
  declareParameters,
  givenTo,
  type Parameter,
  readValues,
} from './parameters.ts'
import { printable, reportRefusals } from './terminal.ts'

/** The lines that a command prints; the JSON that it prints instead if it was given `--json`. */
export type Report = {
  json?: unknown
  lines: string[]
  /** The command ends with status 1. */
  isFailure?: boolean
}

/** A command that works with a `Context`, such as the open application. */
export type CommandRow<Context> = Declared & {
  description: string
  run(context: Context, values: never): Promise<Report>
}

type ReadBy<Declaration> = Declaration extends { read(text: string): infer Value } ? Value : string

type ArgumentValue<Declaration> =
  | ReadBy<Declaration>
  | (Declaration extends { isOptional: true } ? undefined : never)

type OptionValue<Flags, Declaration> = Flags extends `${string}...>`
  ? string[] | undefined
  : Flags extends `${string}>`
    ?
        | ReadBy<Declaration>
        | (Declaration extends { isRequired: true } | { default: string } ? never : undefined)
    : true | undefined

type Underscored<Name extends string> = Name extends `${infer Word}-${infer Rest}`
  ? `${Word}_${Underscored<Rest>}`
  : Name

type FieldOf<Flags> = Flags extends `--${infer Name} <${string}`
  ? Underscored<Name>
  : Flags extends `--${infer Name}`
    ? Underscored<Name>
    : never

/** The values of arguments by their names, and of options by the names of their fields. */
export type ValuesOf<Arguments, Options> = {
  [Name in keyof Arguments]: ArgumentValue<Arguments[Name]>
} & { [Flags in keyof Options as FieldOf<Flags>]: OptionValue<Flags, Options[Flags]> }

type Parameters = Readonly<Record<string, Parameter>>
type None = Record<never, Parameter>

/** Returns the function that declares commands of a context. It types their values by the flags. */
export const commandsWith =
  <Context>() =>
  <const Arguments extends Parameters = None, const Options extends Parameters = None>(row: {
    description: string
    arguments?: Arguments
    options?: Options
    /** @throws {UserError} or {Refusal}: the message is printed as one line */
    run(context: Context, values: ValuesOf<Arguments, Options>): Promise<Report>
  }): CommandRow<Context> =>
    row as CommandRow<Context>

/** `open` makes the context for one command, and closes it afterwards. */
type Environment<Context> = {
  open(work: (context: Context) => Promise<void>): Promise<void>
  print(line: string): void
}

/** Adds commands to a group such as `bursar keys`. */
export function addCommands<Context>(
  group: Command,
  rows: Readonly<Record<string, CommandRow<Context>>>,
  { open, print }: Environment<Context>,
): void {
  for (const [name, row] of Object.entries(rows)) {
    const added = group.command(name).description(row.description)
    declareParameters(added, row)
    added.action(() =>
      open(async (context) => {
        const values = readValues(row, givenTo(added), (_label, text) => text)
        const report = await reportRefusals(() => row.run(context, values as never))
        if (report.isFailure) process.exitCode = 1
        if (values.json) print(toJson(report.json))
        else for (const line of report.lines) print(printable(line))
      }),
    )
  }
}
