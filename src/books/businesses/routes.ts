import { type Route, routesOf } from '../../core/route.ts'
import { Body, OneOf, Page, pageQuery, rangeQuery, Type } from '../../lib/schema.ts'
import { AuditRecord, actions, listChanges } from '../audit/audit.ts'
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
