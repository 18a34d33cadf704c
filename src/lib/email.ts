/**
 * Email addresses as people type them, domains in their own letters included.
 */
import { domainToASCII, domainToUnicode } from 'node:url'

/** The form of an address, in linear time: whether there is such a mailbox, a mail shows. */
const addressForm = /^[^\s@<>()[\]\\,;:"\p{C}]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,8}$/iu

/**
 * Returns the address with its domain in ASCII (`ada@xn--bcher-kva.example` for
 * `ada@bücher.example`; RFC 5891), as mail servers and providers take it. A domain that has no such
 * form stays, and so does the part before the `@`.
 */
export function asciiEmail(email: string): string {
  const at = email.lastIndexOf('@')
  const domain = email.slice(at + 1)
  // The parser of hosts drops line breaks, cuts at a slash and decodes percents: it is asked about
  // letters, digits and points alone.
  if (at < 0 || /^[a-z0-9.-]*$/i.test(domain) || !/^[\p{L}\p{M}\p{N}.-]+$/u.test(domain))
    return email
  return `${email.slice(0, at)}@${domainToASCII(domain) || domain}`
}

/**
 * Returns the address with its domain in its own letters, in small ones; a domain in ASCII stays as
 * it is written.
 */
export function tidyEmail(email: string): string {
  return asciiEmail(email) === email ? email : inOwnLetters(email)
}

/**
 * Returns the spellings in which an address may be kept, their case aside: with its domain in its
 * own letters, and in ASCII.
 */
export function emailSpellings(email: string): string[] {
  const own = inOwnLetters(email)
  return own === email && asciiEmail(email) === email
    ? [email]
    : [...new Set([own, asciiEmail(own)])]
}

function inOwnLetters(email: string): string {
  const ascii = asciiEmail(email)
  const at = ascii.lastIndexOf('@')
  const domain = ascii.slice(at + 1)
  // What is no such form has no letters of its own.
  const own = /^(?:[a-z0-9-]+\.)*xn--[a-z0-9.-]+$/i.test(domain) ? domainToUnicode(domain) : ''
  return own === '' ? ascii : `${ascii.slice(0, at)}@${own}`
}

/**
 * Whether a text has the form of an address: of at most 254 characters, in ASCII or with a domain
 * that has a form in ASCII.
 */
export function isEmail(text: string): boolean {
  const address = asciiEmail(text)
  return text.length <= 254 && address.length <= 254 && addressForm.test(address)
}
