/**
 * A server with a live account at the double of a provider, in a process of its own, so that it can
 * be killed. For tests.
 */
import { open, serve } from '../../src/app/main.ts'
import { later } from '../../src/lib/clock.ts'
import { readConfig } from '../../src/lib/config.ts'
import { bridgeAt } from '../../src/rails/bridge/bridge.ts'
import { paystackAt } from '../../src/rails/paystack/paystack.ts'
import { stripeAt } from '../../src/rails/stripe/stripe.ts'
import { testProvider } from './provider.ts'

const {
  env,
  host,
  ca,
  aheadMs,
  provider = 'paystack',
} = JSON.parse(process.argv[2] as string) as {
  env: Record<string, string>
  provider?: 'paystack' | 'stripe' | 'bridge'
  host: string
  ca?: string | null
  aheadMs: number
}
const reach = { host, connectMs: 1_000, wholeMs: 60_000 }
const made = {
  paystack: () => paystackAt({ ...reach, ...(ca ? { ca } : {}) }),
  stripe: () => stripeAt(reach),
  bridge: () => bridgeAt({ live: reach, test: reach }),
}
const providers = [made[provider](), testProvider().provider]
const clock = { now: () => later(new Date(), aheadMs) }
const { url } = await serve(await open(readConfig(env), 'all', { clock, providers }))
console.log(`listening on ${url}`)
