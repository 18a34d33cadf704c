/** Arguments and options of commands that are declared in tables. */
import type { Command } from 'commander'

/** The help text of an argument or option, and how its text is read. */
export type Parameter =
  | string
  | {
      text: string
      /** Of an option. */
      isRequired?: true
      /** Of an argument. */
      isOptional?: true
      default?: string
      /** False: it fills no field of an operation; `operation`, `fields` or `lines` reads it. */
      isField?: false
      /** @throws {UserError} */
      read?(text: string): unknown
    }

type Parameters = Readonly<Record<string, Parameter>>

export type Declared = {
  arguments?: Parameters
  /** By their flags: `--amount <minor>`. */
  options?: Parameters
}

/** Arguments and options by the names of their fields: `after_refusal`. */
export type Values = Readonly<Record<string, unknown>>

/** Reads the text of a parameter that has no reader of its own. @throws {UserError} */
export type TextReader = (label: string, text: string, field: string) => unknown

/** Declares the arguments and options of a command. */
export function declareParameters(command: Command, declared: Declared): void {
  for (const [name, parameter] of Object.entries(declared.arguments ?? {})) {
    const isOptional = typeof parameter !== 'string' && parameter.isOptional
    command.argument(isOptional ? `[${name}]` : `<${name}>`, textOf(parameter))
  }
  for (const [flags, parameter] of Object.entries(declared.options ?? {})) {
    const { isRequired, default: initial } = typeof parameter === 'string' ? {} : parameter
    if (isRequired) command.requiredOption(flags, textOf(parameter))
    else command.option(flags, textOf(parameter), initial)
  }
}

const textOf = (parameter: Parameter): string =>
  typeof parameter === 'string' ? parameter : parameter.text

/** Returns what the command line gave for each argument and option, before it is read. */
export function givenTo(parsed: Command): Values {
  const positional = parsed.registeredArguments.map((one, i) => [
    one.name(),
    parsed.processedArgs[i],
  ])
  const options = parsed.options.map((one) => [
    fieldOf(one.flags),
    parsed.getOptionValue(one.attributeName()),
  ])
  return Object.fromEntries([...positional, ...options])
}

const labelOf = (flags: string): string => flags.split(' ')[0] as string

/** Returns the name of the field that an option fills. */
export const fieldOf = (flags: string): string => labelOf(flags).slice(2).replaceAll('-', '_')

/** Reads what was given. Flags without a text stay as they are. @throws {UserError} */
export function readValues(declared: Declared, given: Values, readText: TextReader): Values {
  const parameters = [
    ...Object.entries(declared.arguments ?? {}).map((one) => [`<${one[0]}>`, ...one] as const),
    ...Object.entries(declared.options ?? {}).map(
      ([flags, parameter]) => [labelOf(flags), fieldOf(flags), parameter] as const,
    ),
  ]
  const values = parameters.flatMap(([label, field, parameter]) => {
    const text = given[field]
    if (typeof text !== 'string') return text === undefined ? [] : [[field, text]]
    const read = typeof parameter === 'string' ? undefined : parameter.read
    return [[field, read ? read(text) : readText(label, text, field)]]
  })
  return Object.fromEntries(values)
}
