/**
 * Every page that somebody at a business of many rows would look at: those of the menu, and of each
 * resource its list, what its list is narrowed to by its own controls, what is searched for, far
 * pages, and the page of a record.
 */
import { menu } from '../src/web/dashboard/menu.ts'
import { operatorMenu } from '../src/web/dashboard/operator/operator-pages.ts'
import { resources } from '../src/web/dashboard/resources.ts'

export type Asked = { name: string; path: string }
type Shown = (path: string) => Promise<string>

const day = 86_400_000
const dayText = (at: number): string => new Date(at).toISOString().slice(0, 10)

export async function pagesOf(shown: Shown, base: string, now: Date): Promise<Asked[]> {
  const pages: Asked[] = []
  const add = (name: string, path: string): void => {
    pages.push({ name, path })
  }
  for (const { items } of menu) for (const { path, title } of items) add(title, base + path)
  for (const { path, title } of resources)
    pages.push(...(await ofResource(shown, `${base}/${path}`, title, now)))
  const month = (back: number): string => {
    const at = new Date(now)
    at.setUTCDate(1)
    at.setUTCMonth(at.getUTCMonth() - back)
    return at.toISOString().slice(0, 7)
  }
  add('Reports, last month', `${base}/reports?month=${month(1)}`)
  add('Reports, ten months ago', `${base}/reports?month=${month(10)}`)
  for (const kind of ['fees', 'payouts', 'settlements']) {
    const range = `from=${month(1)}-01&to=${month(1)}-28`
    add(`Reports, ${kind}, this month`, `${base}/reports/${kind}`)
    add(`Reports, ${kind}, last month`, `${base}/reports/${kind}?${range}`)
    if (kind !== 'payouts')
      add(
        `Reports, ${kind}, a year by month`,
        `${base}/reports/${kind}?from=${month(11)}-01&to=${dayText(now.getTime())}&by=month`,
      )
    else
      add(
        `Reports, ${kind}, a year`,
        `${base}/reports/${kind}?from=${month(11)}-01&to=${dayText(now.getTime())}`,
      )
  }
  add('New payout', `${base}/payouts/-/new`)
  add('New invoice', `${base}/invoices/-/new`)
  add('Account', '/dashboard/account')
  for (const { items } of operatorMenu)
    for (const { path, title } of items) add(`Operator: ${title}`, `/dashboard/operator${path}`)
  const businesses = await shown('/dashboard/operator/businesses?search=marina')
  const found = /href="(\/dashboard\/operator\/businesses\/[0-9a-f]{24})"/.exec(businesses)?.[1]
  add('Operator: Businesses, search', '/dashboard/operator/businesses?search=marina')
  if (found) add('Operator: Businesses, a business', found)
  return pages
}

async function ofResource(shown: Shown, at: string, title: string, now: Date): Promise<Asked[]> {
  const list = await shown(at)
  const pages: Asked[] = []
  const add = (name: string, path: string): void => {
    pages.push({ name: `${title}, ${name}`, path })
  }
  // Its own controls: tabs, and the choices of its filters.
  const tabs = /<nav class="tabs".*?<\/nav>/s.exec(list)?.[0] ?? ''
  for (const [, query] of tabs.matchAll(/href="[^"?]*\?([^"]*)"/g))
    add(query as string, `${at}?${query}`)
  for (const [, name, options] of list.matchAll(
    /<select[^>]* name="(\w+)"[^>]*>(.*?)<\/select>/gs,
  )) {
    const chosen = [...(options as string).matchAll(/<option value="([^"]+)"/g)].map(
      ([, value]) => value,
    )
    for (const value of chosen.slice(0, name === 'type' ? 8 : 3))
      add(`${name}=${value}`, `${at}?${name}=${value}`)
  }
  if (/ name="from"/.test(list)) {
    const [from, to] = [now.getTime() - 60 * day, now.getTime() - 30 * day].map(dayText)
    add('a month', `${at}?from=${from}&to=${to}`)
    const status = /href="[^"?]*\?(status=[^"]*)"/.exec(tabs)?.[1]
    if (status) add(`a month, ${status}`, `${at}?from=${from}&to=${to}&${status}`)
  }
  // The page of a record: the newest, and one a quarter of a year old.
  const keyOf = (html: string): string | undefined =>
    new RegExp(`<tbody>.*?href="${at}/([^"/]+)"`, 's').exec(html)?.[1]
  const newest = keyOf(list)
  if (newest) add('a record', `${at}/${newest}`)
  const old = / name="to"/.test(list)
    ? keyOf(await shown(`${at}?to=${dayText(now.getTime() - 90 * day)}`))
    : undefined
  if (old) add('an old record', `${at}/${old}`)
  const record = await shown(`${at}/${old ?? newest}`)
  // What it leads to: the records of a customer, of a payment, of an endpoint.
  for (const [, href, of] of record.matchAll(
    /href="([^"]*\?(customer|payment|webhook_id|collection|actor)=[^"&]*)"/g,
  ))
    pages.push({
      name: `${title}, a record, all of its ${(href as string).replace(/\?.*/, '').replace(/.*\//, '')} by ${of}`,
      path: href as string,
    })
  const key = decodeURIComponent(old ?? newest ?? '')
  const id = /^[0-9a-f]{24}$/.test(key) ? key : /<code>([0-9a-f]{24})<\/code>/.exec(record)?.[1]
  const next = /rel="next"/.test(list)
  if (next && id) add('after an old record', `${at}?page=2&after=${id}`)
  if (next) {
    add('page 2', `${at}?page=2`)
    add('page 300', `${at}?page=300`)
  }
  if (/type="search"/.test(list)) {
    const customer =
      /customers\/[0-9a-f]{24}"[^>]*>(?:<bdi>)?([^<]+)</.exec(record)?.[1] ??
      /<h1[^>]*><span>(?:<bdi>)?([^<]+)</.exec(record)?.[1]
    const email = /[\w.-]+@[\w.-]+\.example/.exec(record)?.[0]
    const reference = /<code>(demo-[\w-]+)<\/code>/.exec(record)?.[1]
    const said = (what: string, text: string | undefined): void => {
      if (text) add(`search: ${what}`, `${at}?search=${encodeURIComponent(text)}`)
    }
    said('an id', id)
    said('a reference', reference)
    said('references that begin so', reference?.slice(0, 9))
    said('an email address', email)
    said('a name', customer)
    said('part of a name', customer?.slice(0, 3))
    said('an amount', '24,000.00')
    said('an account number', '0123456789')
    said('nothing', 'zzzzz')
  }
  const amount = / name="amount"/.test(list)
  if (amount) add('amount', `${at}?amount=24000`)
  if (/ name="email"/.test(list)) add('email', `${at}?email=ada.okafor%40customer.example`)
  return pages
}
