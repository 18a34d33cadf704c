import { named, routesOf } from '../../core/route.ts'
import { paginate } from '../../db/lists/list.ts'
import { Page } from '../../lib/schema.ts'
import { closeIt, incidentOf, incidentsOf, requireIncident } from './incidents.ts'
import { accountsNow, healthOf } from './installation.ts'
import { queuesOf } from './queues.ts'
import * as s from './schema.ts'
import { getVerification, listVerifications, startVerification } from './verifications.ts'

const route = routesOf('Operator')

export const installationRoutes = named({
  getInstallationHealth: route.get('/operator/health', {
    scope: 'operator',
    summary: 'Look for what is wrong with the installation',
    description:
      'What `bursar doctor` says, as the process that answers sees it. It asks the providers and the mail server, and can take half a minute when one does not answer. Changes and sends nothing.',
    schema: { data: s.InstallationHealth },
    message: 'Health',
    async read(ctx) {
      const findings = await healthOf(ctx)
      const count = (of: string): number => findings.filter(({ level }) => level === of).length
      return {
        healthy: count('fail') === 0,
        failures: count('fail'),
        warnings: count('warn'),
        findings,
      }
    },
  }),
  getRails: route.get('/operator/rails', {
    scope: 'operator',
    summary: 'List the accounts at providers',
    description:
      'Those of RAILS_FILE, with what goes to each, and how it stands: as `bursar rails status` shows it. The providers are asked; one that gives no answer within 15 seconds is a warning.',
    schema: { data: s.RailAccounts },
    message: 'Accounts',
    async read(ctx) {
      const accounts = await accountsNow(ctx)
      return {
        accounts: accounts.map(({ serves, balances, approval: _secret, ...account }) => ({
          ...account,
          businesses: serves === '*' ? null : [...serves],
          balances: Object.entries(balances).map(([currency, amount]) => ({ currency, amount })),
        })),
      } as never
    },
  }),
  listIncidents: route.get('/operator/incidents', {
    scope: 'operator',
    summary: 'List incidents',
    description:
      'What a person must look at, at the accounts at providers: those that are open, then the newest of those that were closed. At most 1,000 of each.',
    schema: { query: s.IncidentQuery, data: Page(s.IncidentRecord) },
    message: 'Incidents',
    read: async ({ db }, { query: { status, ...query } }) =>
      paginate(await incidentsOf(db, status), query) as never,
  }),
  getIncident: route.get('/operator/incidents/{id}', {
    scope: 'operator',
    summary: 'Get an incident',
    schema: { params: s.IncidentParams, data: s.IncidentRecord },
    message: 'Incident',
    read: async ({ db }, { params }) => incidentOf(await requireIncident(db, params.id)) as never,
  }),
  closeIncident: route.post('/operator/incidents/{id}/close', {
    scope: 'operator',
    summary: 'Close an incident',
    description:
      'Once a person has looked. It moves no money; found again after that, another is opened. One that is closed stays as it is.',
    example: { note: 'The provider has mended it.' },
    schema: { params: s.IncidentParams, body: s.IncidentClosing, data: s.IncidentRecord },
    message: 'Incident closed',
    prepare: async ({ clock }, { params, body }) => ({
      clock,
      id: params.id,
      note: body.note ?? null,
    }),
    run: async (work, order) => incidentOf(await closeIt(work, order)) as never,
  }),
  getQueues: route.get('/operator/queues', {
    scope: 'operator',
    summary: 'Look at what waits, and who does not answer',
    description:
      'Due work that has not started, webhooks of providers that are not applied, failing endpoints of businesses, and how far networks are followed.',
    schema: { data: s.Queues },
    message: 'Queues',
    read: async (ctx) => (await queuesOf(ctx)) as never,
  }),
  listLedgerVerifications: route.get('/operator/ledger-verifications', {
    scope: 'operator',
    summary: 'List verifications of the ledger',
    description: 'The newest 100.',
    schema: { query: s.VerificationQuery, data: Page(s.VerificationRecord) },
    message: 'Verifications',
    read: async (ctx, { query }) => paginate(await listVerifications(ctx), query) as never,
  }),
  startLedgerVerification: route.post('/operator/ledger-verifications', {
    scope: 'operator',
    summary: 'Verify the ledger',
    description:
      'What `bursar ledger verify` does, by a worker: it recomputes every balance from its opening balance and the postings since the ledger was last closed (`closed_at`), and compares every open or changed record with them. It does not read what was closed before: `bursar ledger verify --whole` does. It changes nothing. One at a time: while one runs, the answer is that one.',
    status: 201,
    schema: { data: s.VerificationRecord },
    message: 'Verification started',
    run: async (work) => (await startVerification(work)) as never,
  }),
  getLedgerVerification: route.get('/operator/ledger-verifications/{id}', {
    scope: 'operator',
    summary: 'Get a verification of the ledger',
    description: 'How far it is, and what it found.',
    schema: { params: s.VerificationParams, data: s.VerificationRecord },
    message: 'Verification',
    read: async (ctx, { params }) => (await getVerification(ctx, params.id)) as never,
  }),
})
