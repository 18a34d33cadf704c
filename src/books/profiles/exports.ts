/**
 * The export of a list: a file for people and their spreadsheets.
 */
import type { TObject } from 'typebox'
import type { Ctx } from '../../core/outside.ts'
import { type CsvColumns, csvOf } from '../../lib/csv.ts'
import { CsvFile, exportQuery, type Static } from '../../lib/schema.ts'
import { timeZoneOf } from './profiles.ts'

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
