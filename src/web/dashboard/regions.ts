/** Countries, time zones and languages to choose from, by their names. */

type Options = readonly (readonly [value: string, text: string])[]

const letters = [...'abcdefghijklmnopqrstuvwxyz']
/** Codes with a name that are no country of an address. */
const noCountries = [
  'ac',
  'cp',
  'cq',
  'dg',
  'ea',
  'eu',
  'ez',
  'ic',
  'qo',
  'ta',
  'un',
  'xa',
  'xb',
  'zz',
]
const regionNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

const byName = (a: readonly [string, string], b: readonly [string, string]): number =>
  a[1].localeCompare(b[1], 'en')

/** Every country, by name. A code that another has replaced is left out. */
export const countries: Options = letters
  .flatMap((first) => letters.map((second) => first + second))
  .flatMap((code): (readonly [string, string])[] => {
    const region = code.toUpperCase()
    const name = regionNames.of(region)
    const isCurrent = new Intl.Locale(`und-${region}`).region === region
    return name !== undefined && isCurrent && !noCountries.includes(code) ? [[code, name]] : []
  })
  .sort(byName)

/** Every time zone, by its name in the database of time zones. */
export const timeZones: Options = [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC'])]
  .sort()
  .map((zone) => [zone, zone.replaceAll('_', ' ')])

const tags =
  'ar-AE ar-EG ar-MA de-DE en-CA en-GB en-GH en-IE en-IN en-KE en-NG en-RW en-TZ en-UG en-US en-ZA es-ES fr-BE fr-BJ fr-CA fr-CI fr-CM fr-FR fr-SN fr-TG ha-NG ig-NG it-IT nl-NL pt-AO pt-BR pt-MZ pt-PT sw-KE sw-TZ yo-NG'
const languageNames = new Intl.DisplayNames('en', { type: 'language', languageDisplay: 'standard' })

/** The languages and regions that most businesses write amounts and times by. */
export const locales: Options = tags
  .split(' ')
  .map((tag) => [tag, languageNames.of(tag) ?? tag] as const)
  .toSorted(byName)

/** Returns the options with the present value, which none of them may be. */
export const withPresent = (options: Options, present: string): Options =>
  present === '' || options.some(([value]) => value === present)
    ? options
    : [...options, [present, present]]
