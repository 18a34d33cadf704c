import type { App } from '../../core/app.ts'
import type { migrateAsOwner } from '../../db/schema/migrate.ts'
import type { Config } from '../../lib/config.ts'

/** What the operator's commands work with. Tests pass their own parts. */
export type CommandContext = {
  /**
   * Opens the application for one command, and closes it afterwards.
   * @param bringUp brings the schema up to this version
   */
  withApp(work: (app: App) => Promise<void>, bringUp?: typeof migrateAsOwner): Promise<void>
  /** Opens the application of the cell that accepts new businesses, for one command. */
  withAcceptingApp(work: (app: App) => Promise<void>): Promise<void>
  /** Reads the settings. @throws {ConfigError} */
  config(): Config
  /** Prints a line to standard output. */
  print(line: string): void
  /** Prints a line to standard error. */
  say(line: string): void
  /** Waits between two questions of `bursar rails check`. */
  wait?(ms: number): Promise<void>
}
