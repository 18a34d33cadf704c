/** Reads phone numbers as people type them. */
import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js'

/**
 * Returns a typed phone number in E.164 form, such as `+2348031234567`, or null if it is none.
 * @param country two letters: where a number without a country's code is dialled
 */
export function readPhone(text: string, country: string): string | null {
  const code = country.toUpperCase()
  const home: CountryCode | undefined = isSupportedCountry(code) ? code : undefined
  const parsed = parsePhoneNumberFromString(text, home)
  return parsed?.isPossible() ? parsed.number : null
}
