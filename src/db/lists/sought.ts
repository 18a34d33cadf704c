/**
 * Rows that are looked for by what is in them: an amount, an email address, the beginning of a
 * reference, or a text that may be any of these. Each match reads its index up to a bound, so the
 * cost does not grow with the list. What is answered is right: where the rows within the bounds
 * cannot say what comes next, the request is refused.
 */
import { Refusal, refuse } from '../../lib/errors.ts'
import { type Queryable, replanned } from '../db.ts'
import {
  type Cursor,
  cursorCondition,
  facetConditions,
  isInIdOrder,
  type Listed,
  type Match,
  orderOf,
  ownConditions,
  parametersOf,
  statement,
  timeConditions,
} from './conditions.ts'

/** So many rows of each match are looked at, and counted. */
export const soughtRows = 10_000

/** So many of the newest rows are looked through for what has no index. */
const recentRows = 50_000

/**
 * More rows than are made in one millisecond: what is as old as the last row that is read is not
 * known whole.
 */
const atOnce = 1_000n

export type Page = { limit: number; offset: bigint; after?: Cursor }

/**
 * `total` is exact up to `soughtRows`; `ids` are those of the page, and one more where it is not
 * the last.
 */
export type Found = { ids: string[]; total: number }

/**
 * Finds the ids of a page: by the filters, or the first of what is sought, and where that is too
 * much, by the next.
 * @throws {Refusal} `search_too_broad`
 */
export async function findSought(db: Queryable, listed: Listed, page: Page): Promise<Found> {
  const given = (listed.filters ?? []).filter(isGiven).map(asMatch)
  const sought = [...given, ...(listed.sought ?? [])].filter((one) => one !== undefined)
  let refused: unknown
  for (const matches of sought)
    try {
      return await findBy(
        db,
        listed,
        { matches, others: sought.filter((one) => one !== matches) },
        page,
      )
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refused ??= error
    }
  throw refused
}

/** What rows are found by, and what they are looked at for. */
type Aim = { matches: Match[]; others: Match[][] }

async function findBy(db: Queryable, listed: Listed, aim: Aim, page: Page): Promise<Found> {
  const isFull = (found: Scanned): boolean => !found.isCut || found.ids.length > page.limit
  const last = page.offset + BigInt(page.limit)
  const first = await scan(db, listed, aim, page, { rows: BigInt(soughtRows) })
  if (isFull(first)) return first
  if (!page.after && last < soughtRows) return refuseMore()
  // Past what is counted: from the cursor on, or as deep as the page is.
  const rows = last < soughtRows ? BigInt(soughtRows) : last + atOnce
  const deep = await scan(db, listed, aim, page, { rows, fromCursor: true })
  return isFull(deep) ? { ids: deep.ids, total: first.total } : refuseMore()
}

const isGiven = ([, value]: [string, unknown]): boolean => value !== undefined
const asMatch = ([each, value]: [string, unknown]): Match[] => [{ each, values: [value] }]

type Scanned = Found & { isCut: boolean }
type Bound = { rows: bigint; fromCursor?: true }

async function scan(
  db: Queryable,
  listed: Listed,
  { matches, others }: Aim,
  { limit, offset, after }: Page,
  { rows, fromCursor }: Bound,
): Promise<Scanned> {
  const possible = matches.filter(({ values }) => values.length > 0)
  if (possible.length === 0) return { ids: [], total: 0, isCut: false }
  const { params, say } = parametersOf(listed)
  const order = orderOf(listed)
  const own = ownConditions(listed)
  const times = timeConditions(listed, say)
  const cursor = after ? [cursorCondition(listed, after, say)] : []
  const fits = [
    ...times,
    ...facetConditions(listed, say),
    ...others.map((any) => anyOf(any, say)),
  ].join(' and ')
  const most = say(rows)
  const age = isInIdOrder(listed.table) ? 'id' : 'created_at'
  const columns = age === 'id' ? 'id' : 'id, created_at'
  const newest = `order by ${order} limit ${most}::bigint + 1`
  const parts = possible.map((match, i) => {
    const read = (conditions: string[], how: string): string =>
      `select ${columns}, ${fits || 'true'} as fits from ${listed.table} where ${conditions.join(' and ')} ${how}`
    if ('recent' in match) {
      const [value = ''] = match.values.map(say)
      const range = `select id, ${match.of} from ${listed.table} where ${[...own, ...times].join(' and ')} order by id desc limit ${say(recentRows)}`
      const within = [match.recent.replaceAll('?', value), ...(fromCursor ? cursor : [])].join(
        ' and ',
      )
      const ids = `select id from (${range}) newest where ${within} ${newest}`
      if (!fits) return `select id, true as fits from (${ids}) recent`
      return read([...own, `id = any (array(${ids}))`], newest)
    }
    if ('all' in match) {
      const conditions = [...own, allOf(match, say)]
      const few = isCountedFirst(match) ? [`(select n from n${i}) <= ${most}`] : []
      return read([...conditions, ...few], `order by ${match.by} limit ${most}::bigint + 1`)
    }
    const of = (value: string): string =>
      read(
        [...own, match.each.replaceAll('?', value), ...times, ...(fromCursor ? cursor : [])],
        newest,
      )
    if (match.values.length === 1) return of(say(match.values[0]))
    return `select found.* from ${valuesOf(match, say)} cross join lateral (${of('one.value')}) found ${newest}`
  })
  // A match that is refused costs no more than its count, which its index has without the rows.
  const counts = possible.flatMap((match, i) =>
    isCountedFirst(match)
      ? [
          `n${i} as materialized (select count(*) as n from (select from ${listed.table}
             where ${[...own, allOf(match, say)].join(' and ')} limit ${most}::bigint + 1) counted)`,
        ]
      : [],
  )
  // Of a match that has more rows than are read, what is as old as the last of them is not known
  // whole.
  const cuts = possible.flatMap((match, i) =>
    'all' in match ? [] : [`(select ${age} from m${i} order by ${order} offset ${most} limit 1)`],
  )
  const cut =
    cuts.length > 0
      ? `greatest(${cuts.join(', ')})`
      : `null::${age === 'id' ? 'text' : 'timestamptz'}`
  const text = `
    with ${[...counts, ...parts.map((part, i) => `m${i} as materialized (${part})`)].join(', ')},
    found as materialized (${parts.map((_, i) => `select * from m${i}`).join(' union ')}),
    cut as materialized (select ${cut} as at)
    select array[${possible.map((match, i) => (isCountedFirst(match) ? `(select n from n${i})` : `(select count(*) from m${i})`)).join(', ')}] as counts, cut.at is not null as cut,
           (select count(*) from found where fits) as total,
           array(select id::text from found where ${['fits', `(cut.at is null or ${age} > cut.at)`, ...cursor].join(' and ')}
                  order by ${order} limit ${say(limit + 1)} offset ${say(offset)}) as ids
      from cut`
  // Planned for its values: which index finds them depends on how many there are of each.
  const found = await db.row(
    replanned(statement<{ counts: string[]; cut: boolean; total: bigint; ids: string[] }>(text)),
    params,
  )
  if (!found) throw new Error('a search gave no row')
  for (const [i, match] of possible.entries())
    if ('all' in match && BigInt(found.counts[i] as string) > rows) refuseBroad(match.words)
  return { ids: found.ids, total: Math.min(Number(found.total), soughtRows), isCut: found.cut }
}

/** Whether its index alone can count it: one of ids by words is made of other rows. */
const isCountedFirst = (match: Match): match is AllOf => 'all' in match && match.by !== 'id'

type AllOf = Extract<Match, { all: string }>

function allOf({ all, values }: AllOf, say: (value: unknown) => string): string {
  const said = values.map(say)
  return all.replaceAll(/\?(\d)/g, (_, number) => said[Number(number) - 1] as string)
}

const valuesOf = (
  { values, type = 'text' }: Extract<Match, { each: string }>,
  say: (value: unknown) => string,
) => `unnest(${say(values)}::${type}[]) as one (value)`

/** That a row is one of the matches. */
function anyOf(matches: Match[], say: (value: unknown) => string): string {
  const conditions = matches
    .filter(({ values }) => values.length > 0)
    .map((match) => {
      if ('all' in match) return `(${allOf(match, say)})`
      if ('recent' in match) return match.recent.replaceAll('?', say(match.values[0]))
      return `exists (select from ${valuesOf(match, say)} where ${match.each.replaceAll('?', 'one.value')})`
    })
  return conditions.length > 0 ? `(${conditions.join(' or ')})` : 'false'
}

/** @throws {Refusal} `search_too_broad` */
export function refuseBroad(words: string, most = soughtRows): never {
  refuse('search_too_broad', `More than ${most.toLocaleString('en')} ${words}. Give more of it.`)
}

function refuseMore(): never {
  refuse(
    'search_too_broad',
    `Among the ${soughtRows.toLocaleString('en')} newest that were looked at too few match all filters. Give \`from\` and \`to\`, or look for less.`,
  )
}
