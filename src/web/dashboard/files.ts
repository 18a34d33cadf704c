/** Files of pages: the links to tables as files, and the file of a form. */
import type { PageRequest } from '../../core/route.ts'
import { decodeText, EncodingFault } from '../../lib/encoding.ts'
import { type Html, html } from '../../lib/html.ts'
import type { Values } from './resource.ts'
import { icons } from './view/icons.ts'
import { en } from './view/strings.ts'

/** The links to a table as CSV, for programs and for Excel. @param href may have a query */
export const csvLinks = (href: string): Html =>
  html`<a class="button second" href="${href}">${icons.file} ${en.csv}</a>
<a class="button second" href="${href}${href.includes('?') ? '&' : '?'}spreadsheet=true">${icons.file} ${en.csvForExcel}</a>`

/** What a page that answers a file hands on to the operation. */
export const fileQuery = ({ spreadsheet }: Record<string, string>): { spreadsheet?: string } =>
  spreadsheet === 'true' ? { spreadsheet } : {}

/** The most bytes of one file, of which a form may hold more. */
const mostOfFile = 2 * 1024 * 1024

/**
 * Puts the text of a file in the place of its field's, and of no other, or says at that field why
 * it cannot be read.
 */
export function readFile(
  field: string | undefined,
  files: PageRequest['files'],
  form: Values,
): { typed: Values; errors: Record<string, string> } {
  const bytes = field === undefined ? undefined : files[`${field}_file`]
  if (field === undefined || bytes === undefined || bytes?.length === 0)
    return { typed: form, errors: {} }
  if (bytes === null || bytes.length > mostOfFile)
    return { typed: form, errors: { [field]: en.fileTooLarge } }
  try {
    return { typed: { ...form, [field]: decodeText(bytes) }, errors: {} }
  } catch (error) {
    if (!(error instanceof EncodingFault)) throw error
    return { typed: form, errors: { [field]: error.message } }
  }
}
