/**
 * The product's payouts with a transaction for each request: the same kernel, rules and statements, but nothing is gathered. What
 * a lone client is measured against. Prints its address.
 */
import type { AddressInfo } from 'node:net'
import type { Ctx } from '../src/core/context.ts'
import type { Route } from '../src/core/route.ts'
import { transaction } from '../src/db/db.ts'
import { makeServer } from '../src/edge/http/server.ts'
import { open } from '../src/edge/main.ts'
import { readConfig } from '../src/lib/config.ts'
import type { Static } from '../src/lib/schema.ts'
import { create as createPayout, lookUp } from '../src/paying-out/payouts/payouts.ts'
import { payoutRoutes } from '../src/paying-out/payouts/routes.ts'
import type { PayoutIn } from '../src/paying-out/payouts/schema.ts'

type Order = Static<typeof PayoutIn>

const { app } = await open(readConfig(process.env), 'api')
const { batch: _batch, ...create } = payoutRoutes.find(
  ({ path, method }) => path === '/payouts' && method === 'POST',
) as Route<Ctx>
const server = await makeServer(app, {
  routes: [
    {
      ...create,
      handler: async (ctx, { body }) => {
        // Asked before the transaction, as the product does.
        const looked = await lookUp(ctx, body as Order)
        return {
          message: 'Payout created',
          data: await transaction(ctx.db, (tx) => createPayout({ ...ctx, tx }, body as Order, looked)),
        }
      },
    },
  ],
  publicRoutes: [],
  pages: null,
  metrics: { contentType: 'text/plain', read: async () => '' },
  document: null,
})
await server.listen({ port: app.config.PORT, host: app.config.HOST })
console.log(`http://localhost:${(server.server.address() as AddressInfo).port}`)
