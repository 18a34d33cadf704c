/**
 * Commands in the process of a test: parsed and answered as by the command line, without the time that a process takes to start.
 */
import { Command, CommanderError } from 'commander'
import type { App } from '../../src/core/app.ts'
import { addOperatingCommands, isKnown } from '../../src/edge/cli/operating.ts'
import { UserError } from '../../src/edge/cli/terminal.ts'

export type Output = { code: number | null; out: string; err: string }

/** Adds commands that print by a function. */
export type AddCommands = (program: Command, print: (line: string) => void) => void

/**
 * Runs a command. Of several at once, only what is thrown reaches the exit code of the right one.
 * @throws what the command line would print with a stack: a bug
 */
export async function runAddedCommand(add: AddCommands, args: string[]): Promise<Output> {
  const output: Output = { code: 0, out: '', err: '' }
  const program = new Command('bursar').exitOverride().configureOutput({
    writeOut(text) {
      output.out += text
    },
    writeErr(text) {
      output.err += text
    },
  })
  add(program, (line) => {
    output.out += `${line}\n`
  })
  const before = process.exitCode
  try {
    process.exitCode = 0
    await program.parseAsync(args, { from: 'user' })
    output.code = Number(process.exitCode ?? 0)
  } catch (error) {
    if (error instanceof CommanderError) return { ...output, code: error.exitCode }
    if (!isKnown(error)) throw error
    output.err += `bursar: ${error.message}\n`
    output.code = error instanceof UserError ? error.status : 1
  } finally {
    process.exitCode = before
  }
  return output
}

/** Runs a command of the operator's on an application, such as a server's. */
export const runCommand = (app: App, args: string[]): Promise<Output> =>
  runAddedCommand((program, print) => addOperatingCommands(program, {}, { withApp: (work) => work(app), print }), args)
