/**
 * The server's log for people: a line of text instead of a line of JSON.
 */
import { styleText } from 'node:util'

const levels: Record<number, [label: string, color: Parameters<typeof styleText>[0]]> = {
  10: ['TRACE', 'gray'],
  20: ['DEBUG', 'gray'],
  30: ['INFO ', 'green'],
  40: ['WARN ', 'yellow'],
  50: ['ERROR', 'red'],
  60: ['FATAL', 'red'],
}

/**
 * Returns time, level, message, fields and stack of a line that pino wrote. Returns any other line
 * as it is.
 */
export function formatLogLine(line: string): string {
  const entry = parse(line)
  const [label, color] = levels[entry?.level] ?? []
  if (label === undefined || color === undefined) return line
  const { level: _, time, msg, err, ...fields } = entry
  const shown = Object.entries(fields).map(
    ([name, value]) => ` ${styleText('cyan', name)}=${textOf(value)}`,
  )
  const stack = err === undefined ? '' : `\n${err.stack ?? textOf(err)}`.replaceAll('\n', '\n    ')
  return `${new Date(time).toTimeString().slice(0, 8)} ${styleText(color, label)} ${msg}${shown.join('')}${stack}`
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

// biome-ignore lint/suspicious/noExplicitAny: a line of the log has any fields
function parse(line: string): any {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
