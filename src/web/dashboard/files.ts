/**
 * Tables as files: the links to them, and for whom one is.
 */
import { type Html, html } from '../../lib/html.ts'
import { icons } from './view/icons.ts'
import { en } from './view/strings.ts'

/** The links to a table as CSV, for programs and for Excel. @param href may have a query */
export const csvLinks = (href: string): Html =>
  html`<a class="button second" href="${href}">${icons.file} ${en.csv}</a>
<a class="button second" href="${href}${href.includes('?') ? '&' : '?'}spreadsheet=true">${icons.file} ${en.csvForExcel}</a>`

/** What a page that answers a file hands on to the operation. */
export const fileQuery = ({ spreadsheet }: Record<string, string>): { spreadsheet?: string } =>
  spreadsheet === 'true' ? { spreadsheet } : {}
