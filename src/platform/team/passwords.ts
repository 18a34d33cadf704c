/** Password rules and hashes (Argon2id, on separate threads so that requests are not blocked). */
import { randomBytes } from 'node:crypto'
import { refuse as refuseGenerally } from '../../lib/errors.ts'
import { refuse } from './refusals.ts'

/**
 * OWASP's minimum for argon2id (Password Storage Cheat Sheet): 19 MiB, 2 iterations, 1 lane.
 * `algorithm` 2 is argon2id.
 */
const settings = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const settingsText = '$argon2id$v=19$m=19456,t=2,p=1$'

/** A process has four threads for hashes, files and DNS; half of them stay free for the others. */
const atOnce = 2
/** More queued hashes than this, of each kind, are rejected, because they would wait too long. */
const mostWaiting = 100

/** Whether the caller is known: by a session, a link, or a device that signed in before. */
export type Asker = 'known' | 'stranger'

const shortest = 10
const longest = 200
const fewestSigns = 5

/**
 * Common starts of passwords. Without its digits and signs, a password must not be one of these.
 */
const common =
  /^(?:password|passwort|passw?rd|qwerty(?:uiop)?|azerty|letmein|welcome|admin|bursar|iloveyou|abcdefghij?)+$/

let running = 0
const waiting: Record<Asker, (() => void)[]> = { known: [], stranger: [] }

/**
 * Runs few hashes at once, known callers first, so that a flood of strangers does not delay them.
 * @throws {Refusal} `overloaded`
 */
async function inTurn<T>(asker: Asker, work: () => Promise<T>): Promise<T> {
  if (running >= atOnce) {
    const queue = waiting[asker]
    if (queue.length >= mostWaiting) refuseGenerally('overloaded')
    await new Promise<void>((resolve) => queue.push(resolve))
  } else running++
  try {
    return await work()
  } finally {
    const next = waiting.known.shift() ?? waiting.stranger.shift()
    if (next) next()
    else running--
  }
}

// Loaded at the first sign-in, which many servers never have.
const argon2 = async () => (await import('@node-rs/argon2')).default

/** Normalises a password, so that it is the same from every keyboard: NIST SP 800-63B, 3.1.1.2. */
const normal = (password: string): string => password.normalize('NFKC')

/**
 * @param about what others know of the person: the email address, the name
 * @throws {Refusal} `password_refused`, with the reason
 */
export function checkPassword(password: string, about: readonly string[]): void {
  const text = normal(password)
  const length = [...text].length
  if (length < shortest)
    refuse('password_refused', `The password must have at least ${shortest} characters.`)
  if (length > longest)
    refuse('password_refused', `The password must have at most ${longest} characters.`)
  const lower = text.toLowerCase()
  if (
    new Set(lower).size < fewestSigns ||
    common.test(lower.replaceAll(/[^a-z]/g, '')) ||
    isRow(lower)
  )
    refuse(
      'password_refused',
      'Many use this password: take another, such as four words that do not belong together.',
    )
  const known = about
    .flatMap((one) => one.toLowerCase().split(/[\s@]+/))
    .filter((one) => one.length >= 4)
  if (known.some((one) => lower.includes(one)))
    refuse('password_refused', 'The password must not have your name or email address in it.')
}

/** Whether the text is only a row of keys or digits. */
const isRow = (text: string): boolean =>
  ['01234567890123456789', '98765432109876543210', 'qwertyuiopasdfghjklzxcvbnm'].some((row) =>
    row.includes(text),
  )

/**
 * Hashes the password of a known caller: argon2id in the PHC string format. @throws {Refusal}
 * `overloaded`
 */
export function hashPassword(password: string): Promise<string> {
  return inTurn('known', async () => (await argon2()).hash(normal(password), settings))
}

/** A hash of no password, so that a check without an account takes equally long. */
const standIn = `${settingsText}${[16, 32].map((length) => randomBytes(length).toString('base64').replaceAll('=', '')).join('$')}`

/**
 * Whether a password matches a hash. Without a hash it takes equally long and returns false.
 * @throws {Refusal} `overloaded`
 */
export async function isPassword(
  hash: string | null,
  password: string,
  asker: Asker,
): Promise<boolean> {
  // Longer passwords do not exist and would only take long to normalise.
  const typed = normal(password.slice(0, 4 * longest))
  const right = await inTurn(asker, async () => (await argon2()).verify(hash ?? standIn, typed))
  return right && hash !== null
}

/** Whether a hash was made with other settings than the current ones. */
export const isOutdated = (hash: string): boolean => !hash.startsWith(settingsText)
