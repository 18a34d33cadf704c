/**
 * The dashboard: pages for the people of a business, under `/dashboard`. It is a client of the API
 * in process: what a page shows or does, an operation of the API gave or did, by the same checks.
 */
import type { App } from '../../core/app.ts'
import type { OperationId } from '../../core/operations.ts'
import type { Operations, PageRoute, Pages } from '../../core/route.ts'
import { isUnavailable } from '../../db/db.ts'
import { Refusal } from '../../lib/errors.ts'
import { actionPages } from './acts.ts'
import { approvalPages } from './approvals-page.ts'
import { assetRoutes } from './assets.ts'
import { bankOrdersPage } from './batches/bank-orders.ts'
import { templatePage } from './batches/batch-file.ts'
import { linesPage } from './batches/batch-lines-page.ts'
import { progressPage } from './batches/batch-progress.ts'
import { bulkPages } from './bulk.ts'
import { detailPage } from './details.ts'
import { emptyPages } from './empty-page.ts'
import { entryOf } from './entry.ts'
import { evidencePages } from './evidence-page.ts'
import { homePage } from './home.ts'
import { limitPages } from './limits-page.ts'
import { listPages } from './lists.ts'
import { liveEventPages } from './live-events.ts'
import { needsPages } from './needs-page.ts'
import { operatorMenu, operatorPages } from './operator/operator-pages.ts'
import { peopleRoutes } from './people/people.ts'
import { teamPages } from './people/team-pages.ts'
import type { BusinessPage } from './place.ts'
import { profilePages } from './profile-page.ts'
import { reportPages } from './reports.ts'
import { resources } from './resources.ts'
import { searchPage } from './search-page.ts'
import { testToolPages } from './test-tools.ts'
import { messagePage } from './view/message.ts'
import { en } from './view/strings.ts'
import { isSignedIn, makeGuards } from './visit.ts'

/** A record on paper. */
const pdfOf = (path: string, name: string, operation: OperationId): BusinessPage => ({
  method: 'GET',
  path: `/${path}/{key}/pdf`,
  async handler({ file, request }) {
    const id = request.params.key
    const content = await file(operation, { params: { id } })
    return { file: content, contentType: 'application/pdf', name: `${name}-${id}.pdf` }
  },
})

export const businessPages: BusinessPage[] = [
  homePage,
  ...needsPages,
  searchPage,
  ...resources.flatMap((one) => [
    ...listPages(one),
    ...bulkPages(one),
    detailPage(one),
    ...actionPages(one),
  ]),
  templatePage,
  bankOrdersPage,
  linesPage,
  progressPage,
  pdfOf('invoices', 'invoice', 'getInvoicePdf'),
  pdfOf('credit-notes', 'credit-note', 'getCreditNotePdf'),
  ...evidencePages,
  ...teamPages,
  ...approvalPages,
  ...limitPages,
  ...profilePages,
  ...emptyPages,
  ...reportPages,
  ...liveEventPages,
  ...testToolPages,
]

/** The pages of a process. */
export function dashboardPages(operations: Operations): Pages<App> {
  const guards = makeGuards(operations)
  const { personal, ofBusiness, ofOperator } = guards
  const get = (path: string, handler: PageRoute<App>['handler']): PageRoute<App> => ({
    method: 'GET',
    path,
    counted: 'no',
    handler,
  })
  const routes: PageRoute<App>[] = [
    get('/dashboard', personal(entryOf(operations))),
    ...peopleRoutes(guards),
    ...assetRoutes,
    ...businessPages.map(ofBusiness),
    ...operatorPages.map(ofOperator(operatorMenu)),
    get(
      '/dashboard/*',
      personal(async (_app, _request, session) => messagePage('not_found', session)),
    ),
  ]
  return {
    root: '/dashboard',
    formLimit: 32 * 1024,
    ofSessions: { known: isSignedIn, session: 256 * 1024, file: 4 * 1024 * 1024 },
    takesJson: true,
    takesFiles: true,
    referrerPolicy: 'same-origin',
    contentSecurityPolicy: [
      "default-src 'none'",
      "style-src 'self'",
      "script-src 'self'",
      "img-src 'self'",
      "manifest-src 'self'",
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    routes: withAnswers(routes, get, guards),
    failed(error) {
      if (isUnavailable(error)) return messagePage('unavailable', null)
      const status =
        error instanceof Refusal
          ? error.status
          : ((error as { statusCode?: number }).statusCode ?? 500)
      if (status === 413) return messagePage('refused', null, null, en.tooLarge)
      return messagePage(
        status === 404
          ? 'not_found'
          : status === 429
            ? 'too_many'
            : status < 500
              ? 'refused'
              : 'error',
        null,
      )
    },
  }
}

/** Adds the addresses of kept answers to forms that have no page of their own. */
function withAnswers(
  routes: PageRoute<App>[],
  get: (path: string, handler: PageRoute<App>['handler']) => PageRoute<App>,
  { personal }: Pick<ReturnType<typeof makeGuards>, 'personal'>,
): PageRoute<App>[] {
  const shown = new Set(routes.filter(({ method }) => method === 'GET').map(({ path }) => path))
  const lacking = routes.filter(({ method, path }) => method === 'POST' && !shown.has(path))
  const gone = personal(async (_app, _request, session) => messagePage('not_found', session))
  return [...routes, ...lacking.map(({ path }) => get(path, gone))]
}
