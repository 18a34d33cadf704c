/** The part of pino's interface that the server uses. */
export type Log = {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  isLevelEnabled(level: 'debug' | 'info' | 'warn' | 'error'): boolean
}
