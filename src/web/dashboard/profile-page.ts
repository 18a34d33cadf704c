/**
 * The page of the business as payers see it: every field of its profile, and what a hosted page
 * looks like with it.
 */
import type { AnswerOf, BodyOf } from '../../core/operations.ts'
import type { PageAnswer } from '../../core/route.ts'
import { inkOn } from '../../lib/colors.ts'
import { Refusal, refuseInput } from '../../lib/errors.ts'
import { type Html, html } from '../../lib/html.ts'
import { readPhone } from '../../lib/phone.ts'
import { keyForm } from './acts.ts'
import type { BusinessPage, Visit } from './place.ts'
import { profileWords as words } from './profile-words.ts'
import { countries, locales, timeZones } from './regions.ts'
import type { Values } from './resource.ts'
import { page } from './view/layout.ts'
import { messagePage } from './view/message.ts'
import { type Field, fact, facts, field, form, keyInput, notice } from './view/parts.ts'
import { en } from './view/strings.ts'

const path = '/profile'
const { title } = words

const of = (name: string, kind: Field['kind'], more: Partial<Field> = {}): Field => {
  const [label, hint] = words.fields[name] as readonly [string, string?]
  return { name, label, kind, ...(hint !== undefined && { hint }), ...more }
}

const groups: readonly (readonly [title: string, fields: readonly Field[]])[] = [
  [
    words.groups.known,
    [
      of('name', 'text', { required: true, maxLength: 200 }),
      of('color', 'color'),
      of('statement_name', 'text', { maxLength: 22 }),
    ],
  ],
  [
    words.groups.reached,
    [
      of('support_email', 'email', { maxLength: 254 }),
      of('support_phone', 'phone', { maxLength: 30 }),
      of('terms_url', 'text'),
    ],
  ],
  [
    words.groups.seller,
    [
      of('address.line1', 'area', { rows: 2, maxLength: 200 }),
      of('address.city', 'text', { maxLength: 200 }),
      of('address.state', 'text', { maxLength: 200 }),
      of('address.postal_code', 'text', { maxLength: 200 }),
      of('address.country', 'select', { options: [['', en.noCountry], ...countries] }),
      of('tax_id', 'text', { maxLength: 50 }),
      of('registration_number', 'text', { maxLength: 50 }),
    ],
  ],
  [
    words.groups.shown,
    [
      of('locale', 'select', { required: true, options: locales }),
      of('time_zone', 'select', { required: true, options: timeZones }),
      of('receipts', 'check'),
    ],
  ],
]
const fields = groups.flatMap(([, some]) => some)

type Business = AnswerOf<'getBusiness'>

/** What buttons have without a colour of the business's own. An input of colours cannot be empty. */
const defaultColor = '#1c4fd6'

const valueAt = (business: Business, name: string): string => {
  const value = name
    .split('.')
    .reduce<unknown>((at, part) => (at as Record<string, unknown> | null)?.[part], business)
  if (value === null || value === undefined) return name === 'color' ? defaultColor : ''
  return String(value)
}

/**
 * What a payer sees at the head and foot of a hosted page. Colours are attributes of pictures: the
 * policy forbids styles of a page's own.
 */
function preview({ name, logo, color, support_email, support_phone }: Business): Html {
  const main = color ?? defaultColor
  const ways = [support_email, support_phone].filter((way) => way !== null).join(' · ')
  return html`<section class="sheet"><h2>${words.preview}</h2><div class="preview">
<p class="who">${logo && html`<img src="${new URL(logo.url).pathname}" height="40" alt="${words.logoOf(name)}">`}<bdi>${name}</bdi></p>
<svg viewBox="0 0 320 48" role="img" aria-label="${words.buttonOf(main)}"><rect width="320" height="48" rx="10" fill="${main}"/><text x="160" y="30" text-anchor="middle" font-size="16" font-weight="600" fill="${inkOn(main)}">${words.pay}</text></svg>
${ways !== '' && html`<p class="hint"><bdi>${ways}</bdi></p>`}</div></section>`
}

type Wrong = { values: Values; errors: Values; status: number }

async function show(visit: Visit, wrong: Wrong | null = null): Promise<PageAnswer> {
  const business = await visit.api.getBusiness()
  const { errors = {}, values = null, status = 200 } = wrong ?? {}
  const may = visit.allowed('updateBusiness')
  const logoError = errors.logo ?? null
  const one = (each: Field): Html =>
    field(each, values?.[each.name] ?? valueAt(business, each.name), errors[each.name] ?? null)
  const logo = html`<div class="field${logoError !== null && ' bad'}"><label for="f-logo">${words.logo} <small>${en.optional}</small></label>
<input type="file" id="f-logo" name="logo" accept="image/png,image/jpeg,image/webp" aria-describedby="${logoError !== null && 'f-logo-error '}f-logo-hint"${logoError !== null && html` aria-invalid="true"`}><p class="hint" id="f-logo-hint">${words.logoHint}</p>${logoError !== null && html`<p class="wrong" id="f-logo-error">${logoError}</p>`}</div>
${business.logo && field({ name: 'without_logo', label: words.withoutLogo, kind: 'check' })}`
  const content = may
    ? form(
        visit.session.csrf,
        visit.path,
        html`${keyInput()}${groups.map(
          ([heading, some], i) =>
            html`<section class="sheet fields"><h2>${heading}</h2>${some.map(one)}${i === 0 && logo}</section>`,
        )}<div class="buttons"><button name="step" value="do">${words.save}</button></div>`,
        html` enctype="multipart/form-data"`,
      )
    : groups.map(
        ([heading, some]) =>
          html`<section class="sheet"><h2>${heading}</h2>${facts(some.map(({ name, label, kind }) => fact(label, kind === 'check' ? (valueAt(business, name) === 'true' ? en.yes : en.no) : html`<bdi>${valueAt(business, name) || en.none}</bdi>`)))}</section>`,
      )
  const main = html`<div class="narrow"><div class="head"><div><h1>${title}</h1><p class="hint">${words.about[visit.mode]}</p></div></div>
${visit.request.query.done === 'saved' && notice('good', words.saved)}${wrong && notice('bad', errors[''] ?? en.mend)}
${preview(business)}${content}</div>`
  return { html: page(visit, { title: wrong ? en.wrong(title) : title, main }), status }
}

/**
 * What was typed, as the API takes it: what is left empty is cleared, and a logo stays that is
 * neither given nor taken away.
 */
function bodyOf(
  typed: Values,
  logo: Uint8Array | undefined,
  country: string,
): BodyOf<'updateBusiness'> {
  const textOf = (name: string): string | null => {
    const text = (typed[name] ?? '').trim()
    if (name === 'color' && text === defaultColor) return null
    // What is no phone number is refused as it was typed.
    return (name === 'support_phone' && readPhone(text, country)) || text || null
  }
  const flat = fields.filter(({ name, kind }) => kind !== 'check' && !name.startsWith('address.'))
  const parts = fields.flatMap(({ name }) => {
    const text = name.startsWith('address.') ? textOf(name) : null
    return text === null ? [] : [[name.slice('address.'.length), text] as const]
  })
  return {
    ...Object.fromEntries(
      flat.map(({ name, required }) => [name, textOf(name) ?? (required ? '' : null)]),
    ),
    address: parts.length > 0 ? Object.fromEntries(parts) : null,
    receipts: typed.receipts === 'true',
    ...(logo && logo.length > 0
      ? { logo: Buffer.from(logo).toString('base64') }
      : typed.without_logo === 'true' && { logo: null }),
  }
}

/** What is refused, at the fields that it is about, in the words of the form. */
function errorsOf({ data, message }: Refusal): Values {
  const issues = Array.isArray(data) ? (data as { path: string; message: string }[]) : []
  const errors: Values = {}
  for (const issue of issues) {
    const label =
      issue.path === 'logo' ? words.logo : fields.find(({ name }) => name === issue.path)?.label
    const name = label === undefined ? '' : issue.path
    const isOfIt = label !== undefined && issue.message.startsWith(`${issue.path} `)
    errors[name] ??= isOfIt ? `${label}${issue.message.slice(issue.path.length)}` : issue.message
  }
  return issues.length === 0 ? { '': message } : errors
}

/** The pages of the profile. */
export const profilePages: BusinessPage[] = [
  { method: 'GET', path, handler: (visit) => show(visit) },
  {
    method: 'POST',
    path,
    takesFile: true,
    async handler(visit) {
      if (!visit.allowed('updateBusiness')) return messagePage('not_allowed', visit.session, visit)
      const { form: typed, files } = visit.request
      if (!keyForm.test(typed.key ?? '')) return messagePage('out_of_date', visit.session, visit)
      try {
        if (files.logo === null)
          refuseInput([{ path: 'logo', message: words.logoTooLarge, location: 'body' }])
        await visit.api.updateBusiness(
          { body: bodyOf(typed, files.logo, typed['address.country'] || visit.country) },
          typed.key,
        )
        return { redirect: `${visit.path}?done=saved` }
      } catch (error) {
        if (!(error instanceof Refusal) || error.status >= 500 || error.code === 'scope_missing')
          throw error
        return show(visit, {
          values: { receipts: 'false', ...typed },
          errors: errorsOf(error),
          status: Math.max(400, error.status),
        })
      }
    },
  },
]
