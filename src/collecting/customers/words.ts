/** The words that a search finds customers by. Names and searches are folded alike. */
import { emailSpellings } from '../../lib/email.ts'
import { foldLetters, withoutInvisible, wordsOfName } from '../../rails/reference/person-names.ts'

const maxWords = 50
const maxLength = 100

/** Splits a text at white space. */
const partsOf = (text: string): string[] => withoutInvisible(text).split(/\s+/)

/** Normalises an address, without any signs before its first letter or digit. */
const addressIn = (part: string): string => foldLetters(part).replace(/^[^\p{L}\p{N}]+/u, '')
const isAddress = (part: string): boolean => part.includes('@')

/**
 * Removes duplicates and empty words, and cuts words to the index's limit by code points, so that
 * no character is cut in two.
 */
function tidy(words: string[]): string[] {
  const cut = words
    .filter((word) => word !== '')
    .map((word) => [...word].slice(0, maxLength).join(''))
  return [...new Set(cut)].slice(0, maxWords)
}

/**
 * Returns a customer's words: of the name, of the email address, and the whole address. At most 50.
 */
export function wordsOf({ name, email }: { name: string; email: string }): string[] {
  const names = partsOf(name)
  const addresses = partsOf(email).flatMap(emailSpellings)
  // Parts of the address come last, so that with too many words the whole address still matches.
  return tidy([
    ...[...addresses, ...names].filter(isAddress).map(addressIn),
    ...names.flatMap(wordsOfName),
    ...addresses.flatMap(wordsOfName),
  ])
}

/**
 * Returns a search's terms: each must be the start of a word. An address is searched as a whole.
 */
export function termsOf(search: string): string[] {
  return tidy(
    partsOf(search).flatMap((part) => (isAddress(part) ? [addressIn(part)] : wordsOfName(part))),
  )
}
