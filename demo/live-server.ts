/**
 * The server of `npm run demo -- --live-double`: a server as any, but for its composition, which is given where the double of Paystack
 * is. No setting could point a live account there. Speaks to its parent by the channel between them, so that no key is ever printed.
 */
import { createBusiness } from '../src/books/businesses/businesses.ts'
import { open, serve } from '../src/edge/main.ts'
import { readConfig } from '../src/lib/config.ts'
import { paystackAt } from '../src/rails/paystack/paystack.ts'

/** What a parent gives with `start`: where the double and its pages are, and whose certificates they show. */
export type Start = { host: string; ca: string; pagesHost: string }
export type Started = { url: string; databaseUrl: string; liveKey: string }

process.once('message', async (start: Start) => {
  const provider = paystackAt({ ...start, connectMs: 5_000, wholeMs: 15_000 })
  const opened = await open(readConfig(process.env), 'all', undefined, undefined, [provider])
  const running = await serve(opened)
  const { live_key: liveKey } = await createBusiness(opened.app, 'Ada Books')
  process.send?.({ url: running.url, databaseUrl: opened.url, liveKey } satisfies Started)
  process.once('disconnect', async () => {
    await running.stop()
    await opened.close()
  })
})
