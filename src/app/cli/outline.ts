/**
 * What the operator's commands are called and take, without loading them: `outline.json`, which
 * `npm run docs` makes of the commands themselves. Help and completions are made of it.
 */
import type { Command } from 'commander'

export type Outline = {
  [name: string]: {
    description: string
    arguments: string
    options: Record<string, string>
    commands: Outline
  }
}

/** The outline of a command's subcommands. */
export function outlineOf({ commands }: Command): Outline {
  return Object.fromEntries(
    commands.map((command) => [
      command.name(),
      {
        description: command.description(),
        arguments: command.registeredArguments
          .map((one) => `${one.name()}${one.variadic ? '...' : ''}`)
          .map((name, i) => (command.registeredArguments[i]?.required ? `<${name}>` : `[${name}]`))
          .join(' '),
        options: Object.fromEntries(
          command.options.map(({ flags, description }) => [flags, description]),
        ),
        commands: outlineOf(command),
      },
    ]),
  )
}

/** Adds commands that do nothing, of an outline. */
export function graft(program: Command, outline: Outline): void {
  program.commandsGroup('To run a server:')
  const add = (to: Command, of: Outline): void => {
    for (const [name, { description, options, commands, ...given }] of Object.entries(of)) {
      const command = to.command(name).description(description)
      if (given.arguments !== '') command.arguments(given.arguments)
      for (const [flags, text] of Object.entries(options)) command.option(flags, text)
      add(command, commands)
    }
  }
  add(program, outline)
}
