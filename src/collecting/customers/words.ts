/**
 * The words a customer is found by. Names and searches are folded alike.
 */
import { emailSpellings } from '../../lib/email.ts'
import { foldLetters, withoutInvisible, wordsOfName } from '../../rails/reference/person-names.ts'

const maxWords = 50
const maxLength = 100

/** A text by the parts that a blank divides. */
const partsOf = (text: string): string[] => withoutInvisible(text).split(/\s+/)

/** An address in one form, without what precedes its first letter or digit. */
const addressIn = (part: string): string => foldLetters(part).replace(/^[^\p{L}\p{N}]+/u, '')
const isAddress = (part: string): boolean => part.includes('@')

/**
 * Distinct, none empty, none longer than the index takes; counted in code points, so that none is
 * cut in two.
 */
function tidy(words: string[]): string[] {
  const cut = words
    .filter((word) => word !== '')
    .map((word) => [...word].slice(0, maxLength).join(''))
  return [...new Set(cut)].slice(0, maxWords)
}

/**
 * The words of a customer: of the name, of the email address, and that address as a whole. At most
 * 50.
 */
export function wordsOf({ name, email }: { name: string; email: string }): string[] {
  const names = partsOf(name)
  const addresses = partsOf(email).flatMap(emailSpellings)
  // The pieces of the address come last: when there are too many words, the address as a whole
  // still finds it.
  return tidy([
    ...[...addresses, ...names].filter(isAddress).map(addressIn),
    ...names.flatMap(wordsOfName),
    ...addresses.flatMap(wordsOfName),
  ])
}

/**
 * What a search asks for: each must be the beginning of a word. What looks like an address is
 * sought as a whole.
 */
export function termsOf(search: string): string[] {
  return tidy(
    partsOf(search).flatMap((part) => (isAddress(part) ? [addressIn(part)] : wordsOfName(part))),
  )
}
