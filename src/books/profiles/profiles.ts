/**
 * What a business is to people: its name, and how and where its amounts and days are read.
 */
import type { TObject } from 'typebox'
import type { Scope } from '../../core/app.ts'
import type { View, Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import type { Tx } from '../../db/db.ts'
import { type CsvColumns, csvOf } from '../../lib/csv.ts'
import { isTimeZone, startOfDay } from '../../lib/days.ts'
import { refuseInput } from '../../lib/errors.ts'
import { toJson } from '../../lib/json.ts'
import { CsvFile, exportQuery, type Static } from '../../lib/schema.ts'
import { recordChange } from '../audit/audit.ts'
import type { BusinessIn, BusinessRecord } from './schema.ts'
import { insertProfile, lockProfile, type ProfileRow, selectProfile, updateProfile } from './sql.ts'

export type Business = Static<typeof BusinessRecord>

/** Gives a new business its profile in a mode. */
export async function openProfile(tx: Tx, { businessId, livemode, now }: Scope, name: string): Promise<void> {
  await tx.rows(insertProfile, [businessId, livemode, name, now])
}

export async function getBusiness(view: View): Promise<Business> {
  return toBusiness(await profileOf(view), view.scope)
}

/** @throws {Refusal} `validation_failed` for a locale or a time zone that there is none of */
export async function updateBusiness(work: Work, input: Static<typeof BusinessIn>): Promise<Business> {
  const before = audited((await work.row(lockProfile)) as ProfileRow)
  const { name, metadata } = input
  const locale = input.locale === undefined ? undefined : readLocale(input.locale)
  const timeZone = input.time_zone
  if (timeZone !== undefined && !isTimeZone(timeZone))
    refuseBody('time_zone', `is no time zone: name one of the IANA database, such as Africa/Lagos or UTC`)
  const row = await work.row(updateProfile, [
    ...[name ?? null, locale ?? null, timeZone ?? null, metadata === undefined ? null : toJson(metadata)],
    work.scope.now,
  ])
  const after = audited(row as ProfileRow)
  await recordChange(work, { action: 'business.changed', subject: work.scope.businessId, before, after })
  return toBusiness(row as ProfileRow, work.scope)
}

/** What the audit log says of it. */
function audited({ name, locale, time_zone }: ProfileRow) {
  return { name, locale, time_zone }
}

/** What payers and customers know the business by. */
export async function businessName(view: View): Promise<string> {
  return (await profileOf(view)).name
}

/**
 * How a list is exported as CSV, newest first, made while it is sent: what `route.get` takes for it.
 * @param records what is listed, as people say it: `virtual accounts`
 * @param query what the list takes: what narrows it narrows the file
 * @param list the list's own function; what it refuses is refused
 */
export function csvExport<Query extends TObject>(
  records: string,
  query: Query,
  columns: CsvColumns,
  list: (ctx: Ctx, query: Static<Query>) => Promise<{ docs: object[] }>,
) {
  const slug = records.replaceAll(' ', '-')
  return {
    id: `export${records.replaceAll(/(?:^| )(\w)/g, (_, first: string) => first.toUpperCase())}`,
    summary: `Export ${records} as CSV`,
    description:
      'What the list gives for the same filters, newest first: amounts in minor and in major units, times in UTC and in your business’s time zone.',
    file: { contentType: 'text/csv; charset=utf-8', name: `${slug}.csv` },
    schema: { query: exportQuery(query), data: CsvFile },
    message: `${records.slice(0, 1).toUpperCase()}${records.slice(1)}`,
    read: async (ctx: Ctx, { query: narrowed }: { query: object }) =>
      csvOf(
        columns,
        await timeZoneOf(ctx),
        async (batch) => (await list(ctx, { ...narrowed, ...batch } as Static<Query>)).docs,
      ),
  }
}

/** Where its days and months begin: the name of an IANA time zone. */
export async function timeZoneOf(view: View): Promise<string> {
  return (await profileOf(view)).time_zone
}

/**
 * The moments that a list is asked for, from the first up to the last, which is not in it.
 * @param from a time, or a day of the business's time zone
 * @param to a time, or a day, which is included whole
 * @throws {Refusal} `validation_failed` for what has the form of a time and is none
 */
export async function rangeOf(
  view: View,
  { from, to }: { from?: string | undefined; to?: string | undefined },
): Promise<{ from: Date | undefined; to: Date | undefined }> {
  const timeZone = [from, to].some(isDay) ? await timeZoneOf(view) : 'UTC'
  const read = (path: string, text: string | undefined, ahead: number): Date | undefined =>
    text === undefined ? undefined : readMoment(path, text, (day) => startOfDay(day, timeZone, ahead))
  return { from: read('from', from, 0), to: read('to', to, 1) }
}

const isDay = (text: string | undefined): boolean => text?.length === 10

/** Other years are not written with four digits, which not all that reads times can take. */
const firstMoment = new Date('0001-01-01T00:00:00.000Z')
const lastMoment = new Date('9999-12-31T23:59:59.999Z')

function readMoment(path: string, text: string, startOf: (day: string) => Date): Date {
  const moment = momentOf(text, startOf)
  if (moment === null)
    refuseInput([{ path, message: `${path} must be a time, or a day, of the years 1 to 9999`, location: 'query' }])
  return moment
}

function momentOf(text: string, startOf: (day: string) => Date): Date | null {
  const known = (moment: Date): boolean => moment >= firstMoment && moment <= lastMoment
  if (!isDay(text)) {
    const moment = new Date(text)
    return known(moment) ? moment : null
  }
  // Of a day that there is, elsewhere may be another year.
  if (!known(new Date(text))) return null
  const moment = startOf(text)
  return known(moment) ? moment : moment < firstMoment ? firstMoment : lastMoment
}

async function profileOf(view: View): Promise<ProfileRow> {
  const row = await view.row(selectProfile)
  if (!row) throw new Error(`business ${view.scope.businessId} has no profile`)
  return row
}

function readLocale(text: string): string {
  try {
    return Intl.getCanonicalLocales(text)[0] as string
  } catch {
    return refuseBody('locale', 'is no language tag: write it as BCP 47 does, such as en-NG')
  }
}

function refuseBody(path: string, problem: string): never {
  refuseInput([{ path, message: `${path} ${problem}`, location: 'body' }])
}

const toBusiness = (row: ProfileRow, { businessId, livemode }: Scope): Business =>
  ({ id: businessId, livemode, ...row }) as Business
