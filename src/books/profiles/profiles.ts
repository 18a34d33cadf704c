/** The public profile of a business: name, logo, contacts, language and time zone. */
import type { TObject } from 'typebox'
import type { App, Scope } from '../../core/app.ts'
import type { View, Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import type { OperationScope } from '../../core/scopes.ts'
import type { Tx } from '../../db/db.ts'
import { newLocator } from '../../lib/cells.ts'
import { endOfTime } from '../../lib/clock.ts'
import { type CsvColumns, type CsvOptions, csvOf, readerOf } from '../../lib/csv.ts'
import { isTimeZone, startOfDay } from '../../lib/days.ts'
import { refuseInput } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import { type ImageType, readImage } from '../../lib/images.ts'
import { toJson } from '../../lib/json.ts'
import { type Address, CsvFile, exportQuery, type Static } from '../../lib/schema.ts'
import { sha256 } from '../../lib/secrets.ts'
import { recordChange } from '../audit/audit.ts'
import type { BusinessIn, BusinessRecord } from './schema.ts'
import type { ProfileFields, ProfileRow } from './sql.ts'
import * as statements from './sql.ts'

declare module '../../core/app.ts' {
  interface Strategies {
    /** Returns names of customers by id, for exports; deleted customers are left out. */
    customerNames(view: View, ids: readonly Id[]): Promise<ReadonlyMap<Id, string>>
  }
}

/** The profile as the API and other modules show it. */
export type Business = Static<typeof BusinessRecord>

const logoLimits = { bytes: 256 * 1_024, least: 32, most: 1_024 }
const logoSlugLength = 24

/** Creates the profile of a new business in a mode. */
export async function openProfile(
  tx: Tx,
  { businessId, livemode, now }: Scope,
  name: string,
): Promise<void> {
  await tx.rows(statements.insertProfile, [businessId, livemode, name, now])
}

export async function getBusiness(view: View): Promise<Business> {
  return toBusiness(view, await profileOf(view))
}

/**
 * Changes the given fields.
 * @throws {Refusal} `validation_failed` for an invalid locale, time zone, URL or logo
 */
export async function updateBusiness(
  work: Work,
  input: Static<typeof BusinessIn>,
): Promise<Business> {
  const before = (await work.row(statements.lockProfile)) as ProfileRow
  checkFields(input)
  const { logo, ...given } = input
  const fields: ProfileFields = { ...before, ...given }
  if (given.locale !== undefined) fields.locale = readLocale(given.locale)
  if (given.terms_url) fields.terms_url = readTerms(given.terms_url)
  await work.rows(statements.updateProfile, [
    fields.name,
    fields.locale,
    fields.time_zone,
    fields.color,
    fields.statement_name,
    fields.support_email,
    fields.support_phone,
    fields.address && toJson(fields.address),
    fields.tax_id,
    fields.registration_number,
    fields.terms_url,
    fields.receipts,
    toJson(fields.metadata),
    work.scope.now,
  ])
  if (logo !== undefined) await changeLogo(work, before.logo_hash, logo)
  const after = await profileOf(work)
  const change = { action: 'business.changed', subject: work.scope.businessId } as const
  await recordChange(work, { ...change, before: audited(before), after: audited(after) })
  return toBusiness(work, after)
}

/** Returns the audit log's view: a logo by its hash. */
function audited({ metadata, created_at, updated_at, ...row }: ProfileRow) {
  const { logo_slug, logo_hash: logo, logo_media_type, logo_width, logo_height, ...fields } = row
  return { ...fields, logo }
}

/** A new image gets a new address, because browsers cache the old one. */
async function changeLogo(work: Work, known: string | null, base64: string | null): Promise<void> {
  const image = base64 === null ? null : readImage(Buffer.from(base64, 'base64'), logoLimits)
  if (typeof image === 'string') refuseBody('logo', image)
  const hash = image && sha256(image.content).toString('hex')
  if (hash === known) return
  await work.rows(statements.deleteLogo)
  if (image === null) return
  const { type, width, height, content } = image
  const slug = newLocator(logoSlugLength)
  await work.rows(statements.insertLogo, [slug, hash, type, width, height, content, work.scope.now])
}

/** Returns the logo for print and mail, or null. */
export function logoOf(
  view: View,
): Promise<{ hash: string; media_type: ImageType; content: Buffer } | null> {
  return view.row(statements.selectLogo)
}

/** Returns the logo at an address, or null. */
export function logoAt(
  { db }: App,
  slug: string,
): Promise<{ media_type: ImageType; content: Buffer } | null> {
  return db.row(statements.findLogo, [slug])
}

/** Returns the name that payers and customers see. */
export async function businessName(view: View): Promise<string> {
  return (await profileOf(view)).name
}

/** Returns the account name that payers see when they send money. */
export async function statementName(view: View): Promise<string> {
  const { statement_name, name } = await profileOf(view)
  return statement_name ?? name
}

/** The seller on documents: what an invoice stores. */
export type Seller = Pick<Business, 'name' | 'address' | 'tax_id' | 'registration_number'>

export const sellerOf = ({ name, address, tax_id, registration_number }: Business): Seller => ({
  name,
  address,
  tax_id,
  registration_number,
})

/** Returns the seller's numbers with their labels. */
export function numbersOf({
  tax_id,
  registration_number,
}: Omit<Seller, 'name' | 'address'>): string[] {
  return [registration_number, tax_id !== null && `Tax ID ${tax_id}`].filter(
    (one) => typeof one === 'string',
  )
}

/** Returns the last lines of a mail: the name of the business, its address, numbers and contacts. */
export function signatureLines(business: Business, livemode: boolean): string[] {
  const { support_email, support_phone, terms_url } = business
  const place = addressLines(business.address).join(', ')
  const ways = [support_email, support_phone].filter((way) => way !== null)
  return [
    business.name,
    ...(place === '' ? [] : [place]),
    ...numbersOf(business),
    ...(ways.length === 0 ? [] : [`Questions? ${ways.join(' or ')}`]),
    ...(terms_url === null ? [] : [`Terms: ${terms_url}`]),
    ...(livemode ? [] : ['', '(Test mode: no real money moves.)']),
    '',
  ]
}

/** Returns the name of a country, or its code if it is unknown. */
function countryName(country: string, language: string): string {
  const letters = country.toUpperCase()
  if (!/^[A-Z]{2}$/.test(letters)) return letters
  return new Intl.DisplayNames([language], { type: 'region' }).of(letters) ?? letters
}

/** Returns an address as in letters, with its country's name in a language. */
export function addressLines(
  address: Address | Record<string, string | null> | null,
  language = 'en',
): string[] {
  if (!address) return []
  const { line1, city, state, postal_code, country } = address
  const place = [postal_code, city, state].filter(Boolean).join(' ').replaceAll(/\s+/g, ' ').trim()
  const streets = line1?.split(/[\r\n]+/).map((line) => line.trim()) ?? []
  return [...streets, place, country && countryName(country, language)].filter(
    (part): part is string => Boolean(part),
  )
}

/**
 * Declares the CSV export of a list, newest first, streamed.
 * @param records the plural name of the rows: `virtual accounts`
 * @param of `query`: the list's filters, which the export shares; `list`: the list's function,
 * whose refusals apply; `byTaxRate`: columns and rows for `by_tax_rate`, if supported
 */
export function csvExport<Query extends TObject>(
  records: string,
  {
    query,
    columns,
    list,
    byTaxRate,
    scope = 'read',
  }: {
    query: Query
    columns: CsvColumns
    list(ctx: Ctx, query: Static<Query>): Promise<{ docs: object[] }>
    byTaxRate?: { columns: CsvColumns; rowsOf: NonNullable<CsvOptions['rowsOf']> }
    scope?: OperationScope
  },
) {
  const slug = records.replaceAll(' ', '-')
  return {
    scope,
    summary: `Export ${records} as CSV`,
    description: `The list, by the same filters: amounts in major (\`_decimal\`) and minor units (\`_minor\`), times in UTC and your time zone.${byTaxRate ? ' With `by_tax_rate`, a row for each tax rate.' : ''}`,
    file: { contentType: 'text/csv; charset=utf-8', name: `${slug}.csv` },
    schema: { query: exportQuery(query, byTaxRate !== undefined), data: CsvFile },
    message: `${records.slice(0, 1).toUpperCase()}${records.slice(1)}`,
    read: async (
      ctx: Ctx,
      {
        query: { spreadsheet = false, by_tax_rate = false, ...narrowed },
      }: { query: { spreadsheet?: boolean; by_tax_rate?: boolean } },
    ) => {
      const rated = by_tax_rate ? byTaxRate : undefined
      return csvOf(
        withNameColumn(rated?.columns ?? columns),
        await timeZoneOf(ctx),
        async (batch) => {
          const { docs } = await list(ctx, { ...narrowed, ...batch } as Static<Query>)
          return 'customer' in columns ? withCustomerNames(ctx, docs) : docs
        },
        { reader: readerOf(spreadsheet), rowsOf: rated?.rowsOf },
      )
    },
  }
}

const withNameColumn = (columns: CsvColumns): CsvColumns =>
  Object.fromEntries(
    Object.entries(columns).flatMap(([name, kind]) =>
      name === 'customer'
        ? [[name, kind] as const, ['customer_name', 'text'] as const]
        : [[name, kind] as const],
    ),
  )

/** Adds the names of customers beside their ids. */
async function withCustomerNames(ctx: Ctx, docs: { customer?: Id | null }[]): Promise<object[]> {
  const ids = [...new Set(docs.flatMap(({ customer }) => customer ?? []))]
  const names = ids.length === 0 ? null : await ctx.strategies.customerNames(ctx, ids)
  return docs.map((doc) => ({
    ...doc,
    customer_name: (doc.customer && names?.get(doc.customer)) ?? null,
  }))
}

/** Returns the BCP 47 locale in which its people write amounts and days. */
export async function localeOf(view: Pick<View, 'row' | 'scope'>): Promise<string> {
  return (await profileOf(view)).locale
}

/** Returns the IANA time zone of its days and months. */
export async function timeZoneOf(view: Pick<View, 'row' | 'scope'>): Promise<string> {
  return (await profileOf(view)).time_zone
}

/**
 * Returns the period of a list with an exclusive end.
 * @param from a time, or a day of the business's time zone
 * @param to a time, or a day, which is included whole
 * @param ofDays a time zone other than the business's
 * @param named the prefix of the query's fields: `completed_`
 * @throws {Refusal} `validation_failed` for an invalid time or day
 */
export async function rangeOf(
  view: View,
  { from, to }: { from?: string | undefined; to?: string | undefined },
  ofDays?: string,
  named = '',
): Promise<{ from: Date | undefined; to: Date | undefined }> {
  const timeZone = ofDays ?? ([from, to].some(isDay) ? await timeZoneOf(view) : 'UTC')
  const read = (path: string, text: string | undefined, ahead: number): Date | undefined =>
    text === undefined
      ? undefined
      : readMoment(path, text, (day) => startOfDay(day, timeZone, ahead))
  return { from: read(`${named}from`, from, 0), to: read(`${named}to`, to, 1) }
}

const isDay = (text: string | undefined): boolean => text?.length === 10

/** Years outside of four digits have another notation, which not all readers of times support. */
const firstMoment = new Date('0001-01-01T00:00:00.000Z')

function readMoment(path: string, text: string, startOf: (day: string) => Date): Date {
  const moment = momentOf(text, startOf)
  if (moment === null)
    refuseInput([
      {
        path,
        message: `${path} must be a time, or a day, of the years 1 to 9999`,
        location: 'query',
      },
    ])
  return moment
}

function momentOf(text: string, startOf: (day: string) => Date): Date | null {
  const known = (moment: Date): boolean => moment >= firstMoment && moment <= endOfTime
  if (!isDay(text)) {
    const moment = new Date(text)
    return known(moment) ? moment : null
  }
  // A valid day can be in another year in another time zone.
  if (!known(new Date(text))) return null
  const moment = startOf(text)
  return known(moment) ? moment : moment < firstMoment ? firstMoment : endOfTime
}

async function profileOf(view: Pick<View, 'row' | 'scope'>): Promise<ProfileRow> {
  const row = await view.row(statements.selectProfile)
  if (!row) throw new Error(`business ${view.scope.businessId} has no profile`)
  return row
}

function checkFields({ time_zone: timeZone }: Static<typeof BusinessIn>): void {
  if (timeZone !== undefined && !isTimeZone(timeZone))
    refuseBody(
      'time_zone',
      `is no time zone: name one of the IANA database, such as Africa/Lagos or UTC`,
    )
}

function readLocale(text: string): string {
  try {
    return Intl.getCanonicalLocales(text)[0] as string
  } catch {
    return refuseBody('locale', 'is no language tag: write it as BCP 47 does, such as en-NG')
  }
}

function readTerms(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '')
    return refuseBody('terms_url', 'must be an https URL')
  return url.href
}

function refuseBody(path: string, problem: string): never {
  refuseInput([{ path, message: `${path} ${problem}`, location: 'body' }])
}

function toBusiness({ scope, origin }: View, row: ProfileRow): Business {
  const { logo_slug, logo_hash, logo_media_type, logo_width, logo_height, ...fields } = row
  const logo = logo_slug && {
    url: `${origin.url}/logos/${logo_slug}`,
    type: logo_media_type,
    width: logo_width,
    height: logo_height,
    sha256: logo_hash,
  }
  return {
    id: scope.businessId,
    livemode: scope.livemode,
    ...fields,
    logo: logo || null,
  } as Business
}
