/** Detects misspelt settings, which would silently keep their defaults. */
import { readFileSync } from 'node:fs'

/** Variables of the integrators' commands, the SDKs and the WooCommerce plugin. */
const elsewhere = ['BURSAR_URL', 'BURSAR_KEY', 'BURSAR_WEBHOOK_SECRET']

const lettersOf = (name: string): string => name.toUpperCase().replace(/[^A-Z0-9]/g, '')
const wordsOf = (name: string): string => name.toUpperCase().split('_').sort().join('_')

/** Shorter names resemble too many others. */
const shortest = 7

/**
 * Returns warnings about variables that seem to be meant for this server, with corrections.
 * Variables that Kubernetes sets for a service named `bursar`, such as `BURSAR_SERVICE_HOST`, are
 * ignored.
 * @param settings the known names
 * @param secrets those that can also be given as `NAME_FILE`
 * @param named variables named in settings files, such as `env:BURSAR_PAYSTACK_KEY` in RAILS_FILE
 */
export function unknownSettings(
  env: Readonly<Record<string, string | undefined>>,
  settings: readonly string[],
  secrets: readonly string[],
  named: readonly string[],
): string[] {
  const taken = new Set([
    ...settings,
    ...secrets.map((name) => `${name}_FILE`),
    ...elsewhere,
    ...named,
  ])
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (taken.has(name) || value.trim() === '' || isOfKubernetes(name, value)) return []
    const of = name.replace(/^BURSAR_/i, '')
    const whole = nearest(of, settings)
    if (whole !== undefined) return [`${name} is no setting: write ${whole}`]
    const held = /_FILE$/.test(of) ? nearest(of.slice(0, -5), settings) : undefined
    if (held !== undefined)
      return [
        secrets.includes(held)
          ? `${name} is no setting: write ${held}_FILE`
          : `${name} is no setting: ${held} is not read from a file`,
      ]
    return /^BURSAR_/.test(name) ? [`${name} is no setting and has no effect`] : []
  })
}

/**
 * Returns the variables that a settings file names as `env:NAME`; none if it cannot be read, which
 * is reported elsewhere.
 */
export function namedIn(file: string | null): string[] {
  try {
    return file === null
      ? []
      : Array.from(
          readFileSync(file, 'utf8').matchAll(/"env:(\w+)"/g),
          ([, name]) => name as string,
        )
  } catch {
    return []
  }
}

const isOfKubernetes = (name: string, value: string): boolean =>
  /_SERVICE_(HOST|PORT)|_PORT_\d+_(TCP|UDP)/.test(name) || /^(tcp|udp):\/\//.test(value)

/**
 * Returns the setting that a misspelt name most likely means: other case, another order of words,
 * or one slip.
 */
function nearest(name: string, settings: readonly string[]): string | undefined {
  return (
    settings.find((setting) => setting === name) ??
    settings.find(
      (setting) => lettersOf(setting) === lettersOf(name) || wordsOf(setting) === wordsOf(name),
    ) ??
    settings.find(
      (setting) =>
        setting.length >= shortest && !/\d/.test(name) && isOneSlip(setting, name.toUpperCase()),
    )
  )
}

/**
 * Whether the texts differ by one letter added, removed or replaced, or by two swapped neighbours.
 */
function isOneSlip(one: string, other: string): boolean {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  const [left, right] = [one.slice(at), other.slice(at)]
  return (
    left.slice(1) === right.slice(1) ||
    left.slice(1) === right ||
    left === right.slice(1) ||
    (left.slice(2) === right.slice(2) && left[0] === right[1] && left[1] === right[0])
  )
}
