/**
 * The server of `npm run demo -- --live-double`: a server as any, but for its composition, which is given where the double of Paystack
 * is: no setting could point a live account there. It speaks to its parent by the channel between them, so that no key is printed.
 */
import { createBusiness } from '../src/books/businesses/businesses.ts'
import { linesOf } from '../src/edge/cli/reconcile.ts'
import { open, serve } from '../src/edge/main.ts'
import { readConfig } from '../src/lib/config.ts'
import { type ReconciledAccount, reconcile, reconciled } from '../src/platform/reconciliation/reconciliation.ts'
import { paystackAt } from '../src/rails/paystack/paystack.ts'

/** What the parent gives first: where the double and its pages are, and whose certificates they show. */
export type Start = { host: string; ca: string; pagesHost: string }
export type Started = { url: string; databaseUrl: string; liveKey: string }
/** What it is told whenever it says anything else. */
export type Reconciled = { lines: string[]; difference: string; findings: number }

process.once('message', async (start: Start) => {
  const provider = paystackAt({ ...start, connectMs: 5_000, wholeMs: 15_000 })
  const opened = await open(readConfig(process.env), 'all', undefined, undefined, [provider])
  const running = await serve(opened)
  const { live_key: liveKey } = await createBusiness(opened.app, 'Ada’s Books')
  process.send?.({ url: running.url, databaseUrl: opened.url, liveKey } satisfies Started)
  process.on('message', async () => {
    const account = reconciled(opened.app, true, 'paystack') as ReconciledAccount
    const report = await reconcile(opened.app, account)
    const { difference, findings } = report
    const said = { lines: linesOf(report), difference: String(difference), findings: findings.length }
    process.send?.(said satisfies Reconciled)
  })
  process.once('disconnect', async () => {
    await running.stop()
    await opened.close()
  })
})
