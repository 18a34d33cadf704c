/** The logger's interface: pino's, of which only this is used. */
export type Log = {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  isLevelEnabled(level: 'debug' | 'info' | 'warn' | 'error'): boolean
}
