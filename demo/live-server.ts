/**
 * The server of `npm run demo -- --live-double`: a server as any, but for its composition, which is
 * given where the doubles are: no setting could point a live account there. It speaks to its parent
 * by the channel between them, so that no key is printed.
 */

import { linesOf } from '../src/app/cli/reconcile.ts'
import { open, serve } from '../src/app/main.ts'
import { createBusiness } from '../src/books/businesses/businesses.ts'
import { readConfig } from '../src/lib/config.ts'
import {
  findReconcilable,
  type ReconciledAccount,
  reconcile,
} from '../src/platform/reconciliation/reconciliation.ts'
import { bridgeAt } from '../src/rails/bridge/bridge.ts'
import { paystackAt } from '../src/rails/paystack/paystack.ts'
import { stripeAt } from '../src/rails/stripe/stripe.ts'

/**
 * What the parent gives first: where the doubles and their pages are, and whose certificates
 * Paystack’s shows.
 */
export type Start = { host: string; ca: string; pagesHost: string; stripe: string; bridge: string }
export type Started = { url: string; databaseUrl: string; liveKey: string }
/** What it is told whenever it says anything else. */
export type Reconciled = { lines: string[]; difference: string; findings: number }

process.once('message', async (start: Start) => {
  const { stripe, bridge, ...paystack } = start
  const waits = { connectMs: 5_000, wholeMs: 15_000 }
  const providers = [
    paystackAt({ ...paystack, ...waits }),
    stripeAt({ host: stripe, ...waits }),
    bridgeAt({ live: { host: bridge, ...waits }, test: { host: bridge, ...waits } }),
  ]
  const opened = await open(readConfig(process.env), 'all', { providers })
  const running = await serve(opened)
  const { live_key: liveKey } = await createBusiness(opened.app, 'Ada’s Books')
  process.send?.({ url: running.url, databaseUrl: opened.url, liveKey } satisfies Started)
  process.on('message', async () => {
    const reports: Reconciled[] = []
    for (const rail of ['paystack', 'stripe', 'bridge']) {
      const report = await reconcile(
        opened.app,
        findReconcilable(opened.app, true, rail) as ReconciledAccount,
      )
      const { difference, findings } = report
      reports.push({
        lines: linesOf(report),
        difference: String(difference),
        findings: findings.length,
      })
    }
    process.send?.(reports)
  })
  process.once('disconnect', async () => {
    await running.stop()
    await opened.close()
  })
})
