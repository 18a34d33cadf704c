/**
 * The product's payouts with a transaction for each request: the same kernel, rules and statements,
 * but nothing is gathered. What a lone client is measured against. Prints its address.
 */
import type { AddressInfo } from 'node:net'
import { makeOperations } from '../src/api/http/operations.ts'
import { makeServer } from '../src/api/http/server.ts'
import { open } from '../src/app/main.ts'
import type { WriteRoute } from '../src/core/route.ts'
import { readConfig } from '../src/lib/config.ts'
import { payoutRoutes } from '../src/paying-out/payouts/routes.ts'

const { app } = await open(readConfig(process.env), 'api')
const { together: _together, ...create } = payoutRoutes.createPayout as WriteRoute
const server = await makeServer(app, {
  operations: makeOperations(app, [create]),
  publicRoutes: [],
  pages: [],
  providerWebhooks: null,
  recorder: null,
  metrics: null,
  documents: {},
})
await server.listen({ port: app.config.PORT, host: app.config.HOST })
console.log(`http://localhost:${(server.server.address() as AddressInfo).port}`)
