import type { Ctx } from '../../core/outside.ts'
import { named, routesOf } from '../../core/route.ts'
import {
  Body,
  IdText,
  OneOf,
  Page,
  pageQuery,
  rangeQuery,
  type Static,
  Type,
} from '../../lib/schema.ts'
import { AuditRecord, actions, exported, getChange, listChanges, toLine } from '../audit/audit.ts'
import { csvExport, rangeOf } from '../profiles/profiles.ts'

const route = routesOf('Business')

const AuditQuery = Body({
  ...pageQuery,
  action: Type.Optional(OneOf(actions, { description: 'Only this action.' })),
  actor: Type.Optional(IdText('Only what this key or this person did.')),
  ...rangeQuery,
})

const list = async (ctx: Ctx, query: Static<typeof AuditQuery>) =>
  listChanges(ctx, query, await rangeOf(ctx, query))

export const businessRoutes = named({
  listAuditEntries: route.get('/audit', {
    scope: 'manage',
    summary: 'List who changed what',
    description:
      'The audit log of the key’s mode, newest first: keys, webhook endpoints, limits, the team and the business’s profile, changed by requests, by people and by the operator’s commands. Needs a key with the scope `manage`.',
    schema: {
      query: AuditQuery,
      data: Page(AuditRecord),
    },
    message: 'Audit log',
    read: (ctx, { query }) => list(ctx, query),
  }),
  exportAuditEntries: route.get(
    '/audit/export',
    csvExport('audit entries', {
      scope: 'manage',
      query: AuditQuery,
      columns: exported,
      list: async (ctx, query) => ({ docs: (await list(ctx, query)).docs.map(toLine) }),
    }),
  ),
})

/** An audit entry for dashboard pages; `GET /audit` returns all of it. */
export const auditOperations = named({
  getAuditEntry: route.get('/audit/{id}', {
    scope: 'manage',
    summary: 'Get an entry of the audit log',
    schema: { params: Body({ id: Type.String({ description: 'The entry.' }) }), data: AuditRecord },
    message: 'Entry',
    read: (ctx, { params }) => getChange(ctx, params.id),
  }),
})
