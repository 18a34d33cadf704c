/**
 * Commands in the process of a test: parsed and answered as by the command line, without the time
 * that a process takes to start.
 */
import { Command, CommanderError } from 'commander'
import type { CommandContext } from '../../src/app/cli/context.ts'
import { addIntegratorCommands } from '../../src/app/cli/integrators.ts'
import { addOperatingCommands, isKnown } from '../../src/app/cli/operating.ts'
import { UserError } from '../../src/app/cli/terminal.ts'
import { open } from '../../src/app/open.ts'
import type { App } from '../../src/core/app.ts'
import { readConfig } from '../../src/lib/config.ts'

export type Output = { code: number | null; out: string; err: string }

type Print = (line: string) => void

/** Adds commands that print by functions: to standard output, and to standard error. */
export type AddCommands = (program: Command, print: Print, say: Print) => void

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
  const print = (line: string): void => {
    output.out += `${line}\n`
  }
  const say = (line: string): void => {
    output.err += `${line}\n`
  }
  add(program, print, say)
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
  runAddedCommand(
    (program, print, say) =>
      addOperatingCommands(
        program,
        {},
        { withApp: (work) => work(app), withAcceptingApp: (work) => work(app), print, say },
      ),
    args,
  )

/** Runs a command of the operator's that opens the application itself, with settings of its own. */
export const runCommandWith = (env: Record<string, string>, args: string[]): Promise<Output> =>
  runAddedCommand((program, print, say) => {
    // As the command line opens it, but without its handlers of signals, which belong to the
    // process of the tests.
    const withApp = async (
      work: (app: App) => Promise<void>,
      bringUp?: Parameters<CommandContext['withApp']>[1],
    ): Promise<void> => {
      const { app, close } = await open({ ...readConfig(env), LOG_LEVEL: 'silent' }, 'tool', {
        bringUp,
      })
      await work(app).finally(close)
    }
    addOperatingCommands(program, { ...env }, { withApp, print, say })
  }, args)

/**
 * Runs a command of those who integrate, which has an API key and an address from its environment.
 */
export const runIntegratorCommand = (
  env: Record<string, string>,
  args: string[],
): Promise<Output> =>
  runAddedCommand(
    (program, print) => addIntegratorCommands(program, env, () => program, print),
    args,
  )
