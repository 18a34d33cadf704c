import { named, routesOf } from '../../core/route.ts'
import { Page } from '../../lib/schema.ts'
import { getRequest, listRequests } from './requests.ts'
import { RequestParams, RequestQuery, RequestRecord } from './schema.ts'

const route = routesOf('Requests')

export const requestRoutes = named({
  listRequests: route.get('/requests', {
    scope: 'manage',
    summary: 'List requests',
    description:
      'What was asked with the keys of this mode, newest first, for seven days unless the operator says otherwise; each shows about a second after its answer. A list looks through 10,000 requests (with `failed=true`, `code` or a `status` from 400 on: through 10,000 failed ones), and `totalDocs` counts among these: for older ones give `to` or `after`. Asking here is not recorded. Needs a key with the scope `manage`.',
    schema: { query: RequestQuery, data: Page(RequestRecord) },
    message: 'Requests',
    read: (ctx, { query }) => listRequests(ctx, query),
  }),
  getRequest: route.get('/requests/{id}', {
    scope: 'manage',
    summary: 'Get a request',
    description: 'By the `X-Request-Id` of its answer.',
    schema: { params: RequestParams, data: RequestRecord },
    message: 'Request',
    read: (ctx, { params }) => getRequest(ctx, params.id),
  }),
})
