import { type Route, routesOf } from '../../core/route.ts'
import { Body, OneOf, Page, pageQuery, rangeQuery, Type } from '../../lib/schema.ts'
import { AuditRecord, actions, getChange, listChanges } from '../audit/audit.ts'
import { rangeOf } from '../profiles/profiles.ts'

const route = routesOf('Business')

export const businessRoutes: Route[] = [
  route.get('/audit', {
    id: 'listAuditEntries',
    summary: 'List who changed what',
    description:
      'The audit log of the key’s mode, newest first: keys, webhook endpoints and the business’s profile, changed by requests and by the operator’s commands. Needs a key with the scope `manage`.',
    schema: {
      query: Body({
        ...pageQuery,
        action: Type.Optional(OneOf(actions, { description: 'Only this action.' })),
        ...rangeQuery,
      }),
      data: Page(AuditRecord),
    },
    message: 'Audit log',
    read: async (ctx, { query }) => listChanges(ctx, query, await rangeOf(ctx, query)),
  }),
]

/** An entry as a page shows it: `GET /audit` has all of it too. */
export const auditOperations: Route[] = [
  route.get('/audit/{id}', {
    id: 'getAuditEntry',
    summary: 'Get an entry of the audit log',
    schema: { params: Body({ id: Type.String({ description: 'The entry.' }) }), data: AuditRecord },
    message: 'Entry',
    read: (ctx, { params }) => getChange(ctx, params.id),
  }),
]
