/**
 * A server with a live account at the double of Paystack, in a process of its own, so that it can be killed. For tests.
 */
import { open, serve } from '../src/edge/main.ts'
import { later } from '../src/lib/clock.ts'
import { readConfig } from '../src/lib/config.ts'
import { paystackAt } from '../src/rails/paystack/paystack.ts'
import { testProvider } from './provider.ts'

const { env, host, ca, aheadMs } = JSON.parse(process.argv[2] as string) as {
  env: Record<string, string>
  host: string
  ca?: string | null
  aheadMs: number
}
const providers = [
  paystackAt({ host, connectMs: 1_000, wholeMs: 60_000, ...(ca ? { ca } : {}) }),
  testProvider().provider,
]
const clock = { now: () => later(new Date(), aheadMs) }
const { url } = await serve(await open(readConfig(env), 'all', clock, undefined, providers))
console.log(`listening on ${url}`)
