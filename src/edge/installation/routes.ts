import { type Route, routesOf } from '../../core/route.ts'
import { healthOf } from './installation.ts'
import * as s from './schema.ts'

const route = routesOf('Operator')

export const installationRoutes: Route[] = [
  route.get('/operator/health', {
    id: 'getInstallationHealth',
    summary: 'Look for what is wrong with the installation',
    description:
      'What `bursar doctor` says, as the process that answers sees it. It asks the providers and the mail server, and can take half a minute when one does not answer. Changes and sends nothing.',
    schema: { data: s.InstallationHealth },
    message: 'Health',
    async read(ctx) {
      const findings = await healthOf(ctx)
      const count = (of: string): number => findings.filter(({ level }) => level === of).length
      return { healthy: count('fail') === 0, failures: count('fail'), warnings: count('warn'), findings }
    },
  }),
]
