/** Which cell a request is for, by what it brings along. Nobody is asked. */
import { cellIn } from '../../lib/cells.ts'
import { sha256Hex } from '../../lib/secrets.ts'
import type { Cell } from './file.ts'

/**
 * @property path what the cell is asked for. @property names whether the request names the cell, or
 * is for any
 * @property locator what names one business of it, as a hash: that may have left the cell; null:
 * nothing does
 */
export type Choice = {
  letter: string
  path: string
  names: boolean
  sets: string | null
  locator: string | null
}

type Asked = { path: string; authorization: string; cookie: string }

export const cellCookie = 'bursar_cell'

/** How long the texts are that name a cell, without its letter. */
const key = /^Bearer (?:sk_(?:test|live)_([0-9A-Za-z]{33})|op_([0-9A-Za-z]{41}))$/i
const page = /^\/(?:pay|logos)\/([0-9A-Za-z]{25})(?![0-9A-Za-z])/
const logo = /^\/logos\/([a-z])[0-9A-Za-z]+/
const rail = /^\/rails\/([^/?]+)\//
const prefixed = /^\/cells\/([a-z])(\/[^?]*|$)/
const dashboard = /^\/dashboard(?:[/?]|$)/
const asked = /[?&]cell=([a-z])(?:&|$)/

/**
 * @param cells the first one has what names none, and texts of before there were cells
 * @returns null where it names a cell that there is not
 */
export function choose(
  cells: readonly Pick<Cell, 'letter' | 'accounts'>[],
  request: Asked,
): Choice | null {
  const first = (cells[0] as Pick<Cell, 'letter'>).letter
  const to = (letter: string, more: Partial<Choice> = {}): Choice | null =>
    cells.some((one) => one.letter === letter)
      ? { letter, path: request.path, names: true, sets: null, locator: null, ...more }
      : null
  const { path } = request
  const own = prefixed.exec(path)
  if (own) {
    const rest = path.slice(`/cells/${own[1]}`.length) || '/'
    return to(own[1] as string, { path: rest })
  }
  const account = rail.exec(path)?.[1]
  if (account !== undefined) {
    const name = decoded(account)
    const owner = cells.find(({ accounts }) => accounts.includes(name))
    return to(owner?.letter ?? first)
  }
  const slug = page.exec(path)?.[1]
  if (slug !== undefined) return to(cellIn(slug, 24) ?? first, { locator: sha256Hex(slug) })
  const picture = logo.exec(path)?.[1]
  if (picture !== undefined) return to(picture)
  if (dashboard.test(path)) {
    const wanted = asked.exec(path)?.[1]
    if (wanted !== undefined) return to(wanted, { sets: wanted })
    const kept = new RegExp(`(?:^|;\\s*)${cellCookie}=([a-z])(?:;|$)`).exec(request.cookie)?.[1]
    return to(kept ?? first) ?? to(first)
  }
  const [, made, operator] = key.exec(request.authorization) ?? []
  if (made !== undefined) return to(cellIn(made, 32) ?? first, { locator: sha256Hex(made) })
  if (operator !== undefined) return to(cellIn(operator, 40) ?? first)
  return to(first, { names: request.authorization !== '' })
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
