/**
 * The dashboard: pages for the people of a business, under `/dashboard`. It is a client of the API in process: what a page shows or does,
 * an operation of the API gave or did, by the same checks.
 */
import type { App } from '../../core/app.ts'
import type { Operations, PageRoute, Pages } from '../../core/route.ts'
import { isUnavailable } from '../../db/db.ts'
import { Refusal } from '../../lib/errors.ts'
import { html } from '../../lib/html.ts'
import { actionPages } from './acts.ts'
import { assetRoutes } from './assets.ts'
import { detailPage } from './details.ts'
import { homePage } from './home.ts'
import { listPages } from './lists.ts'
import { peopleRoutes } from './people/people.ts'
import type { BusinessPage } from './place.ts'
import { resources } from './resources.ts'
import { barePage } from './view/layout.ts'
import { messagePage } from './view/message.ts'
import { en } from './view/strings.ts'
import { type Guards, makeGuards } from './visit.ts'

/** An invoice as a file. */
const invoiceFile: BusinessPage = {
  method: 'GET',
  path: '/invoices/{key}/pdf',
  async handler({ operate, request }) {
    const id = request.params.key
    const file = await operate('getInvoicePdf', { params: { id } })
    return { file, contentType: 'application/pdf', name: `invoice-${id}.pdf` }
  },
}

const businessPages: BusinessPage[] = [
  homePage,
  ...resources.flatMap((one) => [...listPages(one), detailPage(one), ...actionPages(one)]),
  invoiceFile,
]

/** Where who signs in is brought: the business that he has, or the choice of several. */
const entry: Parameters<Guards['personal']>[0] = async (_app, _request, session) => {
  const [first, ...others] = session.memberships
  if (first && others.length === 0) return { redirect: `/dashboard/${first.businessId}/live` }
  const list = html`<ul class="choices">${session.memberships.map(
    ({ businessId, name }) => html`<li><a href="/dashboard/${businessId}/live"><bdi>${name}</bdi></a></li>`,
  )}</ul>`
  const main = html`<h1>${en.businesses}</h1>${first ? list : html`<p>${en.noBusiness}</p>`}`
  return { html: barePage({ title: en.businesses, main, session }) }
}

/** The pages of a process. */
export function dashboardPages(operations: Operations): Pages<App> {
  const guards = makeGuards(operations)
  const { personal, ofBusiness } = guards
  const get = (path: string, handler: PageRoute<App>['handler']): PageRoute<App> => ({
    method: 'GET',
    path,
    counted: 'no',
    handler,
  })
  return {
    root: '/dashboard',
    formLimit: 1024 * 1024,
    takesJson: true,
    referrerPolicy: 'same-origin',
    contentSecurityPolicy: [
      "default-src 'none'",
      "style-src 'self'",
      "script-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    routes: [
      get('/dashboard', personal(entry)),
      ...peopleRoutes(guards),
      ...assetRoutes,
      ...businessPages.map(ofBusiness),
      get(
        '/dashboard/*',
        personal(async (_app, _request, session) => messagePage('not_found', session)),
      ),
    ],
    failed(error) {
      if (isUnavailable(error)) return messagePage('unavailable', null)
      const status = error instanceof Refusal ? error.status : ((error as { statusCode?: number }).statusCode ?? 500)
      return messagePage(
        status === 404 ? 'not_found' : status === 429 ? 'too_many' : status < 500 ? 'refused' : 'error',
        null,
      )
    },
  }
}
