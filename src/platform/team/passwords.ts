/**
 * Passwords: what may be one, and how it is kept. Argon2id on threads of its own, so that nothing
 * else waits for it.
 */
import { randomBytes } from 'node:crypto'
import { refuse as refuseGenerally } from '../../lib/errors.ts'
import { refuse } from './refusals.ts'

/**
 * OWASP's least for argon2id (Password Storage Cheat Sheet): 19 MiB, twice, in one lane.
 * `algorithm` 2 is argon2id.
 */
const settings = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const settingsText = '$argon2id$v=19$m=19456,t=2,p=1$'

/**
 * A process has four threads for this, for files and for names: half of them are left to the
 * others.
 */
const atOnce = 2
/** More than these, of each kind, are turned away: each would wait longer than anybody does. */
const mostWaiting = 100

/** Whether who asks is known: by a session, a link, or a device that signed in before. */
export type Asker = 'known' | 'stranger'

const shortest = 10
const longest = 200
const fewestSigns = 5

/**
 * What many begin with who must think of something: once figures and signs are taken away, a
 * password must be another.
 */
const common =
  /^(?:password|passwort|passw?rd|qwerty(?:uiop)?|azerty|letmein|welcome|admin|bursar|iloveyou|abcdefghij?)+$/

let running = 0
const waiting: Record<Asker, (() => void)[]> = { known: [], stranger: [] }

/**
 * Runs few at once, those who are known first: a flood of strangers takes no place of theirs.
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

// Loaded by the first sign-in: many servers have none.
const argon2 = async () => (await import('@node-rs/argon2')).default

/** The same letters on every keyboard: NIST SP 800-63B, 3.1.1.2. */
const normal = (password: string): string => password.normalize('NFKC')

/**
 * @param about what others know of the person: the e-mail address, the name
 * @throws {Refusal} `password_refused`, which says why
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
    refuse('password_refused', 'The password must not have your name or e-mail address in it.')
}

/** Whether it is a row of keys or figures, and nothing else. */
const isRow = (text: string): boolean =>
  ['01234567890123456789', '98765432109876543210', 'qwertyuiopasdfghjklzxcvbnm'].some((row) =>
    row.includes(text),
  )

/**
 * What is kept of a password of who is known: argon2id in the PHC string format. @throws {Refusal}
 * `overloaded`
 */
export function hashPassword(password: string): Promise<string> {
  return inTurn('known', async () => (await argon2()).hash(normal(password), settings))
}

/** Of no password: it takes as long to see that. */
const standIn = `${settingsText}${[16, 32].map((length) => randomBytes(length).toString('base64').replaceAll('=', '')).join('$')}`

/**
 * Whether a password is the one of a hash. Where there is no hash, it takes as long as where there
 * is one, and is none.
 * @throws {Refusal} `overloaded`
 */
export async function isPassword(
  hash: string | null,
  password: string,
  asker: Asker,
): Promise<boolean> {
  // More than this is nobody's, and would only take long to read.
  const typed = normal(password.slice(0, 4 * longest))
  const right = await inTurn(asker, async () => (await argon2()).verify(hash ?? standIn, typed))
  return right && hash !== null
}

/** Whether a hash was made with other settings than those of today. */
export const isOutdated = (hash: string): boolean => !hash.startsWith(settingsText)
