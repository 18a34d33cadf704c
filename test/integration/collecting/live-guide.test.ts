/**
 * Goal: the way from an account at Paystack to the first naira, in docs/live.md, is what happens.
 * Method: its file of rails and its requests are taken from the page, and done over a double; what
 * it shows is held against what comes.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { accountsNow } from '../../../src/api/installation/installation.ts'
import { linesOf } from '../../../src/app/cli/rails.ts'
import { linesOf as reportOf } from '../../../src/app/cli/reconcile.ts'
import {
  findReconcilable,
  type ReconciledAccount,
  reconcile,
} from '../../../src/platform/reconciliation/reconciliation.ts'
import { paystackAt } from '../../../src/rails/paystack/paystack.ts'
import { type Double, startPaystack } from '../../doubles/paystack.ts'
import { newPayer } from '../../support/actors.ts'
import {
  type Call,
  type Json,
  must,
  startServer,
  type TestServer,
  until,
} from '../../support/harness.ts'
import { railsEnv } from '../../support/provider.ts'

const page = readFileSync(new URL('../../../docs/live.md', import.meta.url), 'utf8')
const guide =
  (/## From an account at Paystack to the first naira\n([\s\S]*?)\n## /.exec(page) ?? [])[1] ?? ''

/** The blocks of the guide, in order, each without the indentation of its step. */
const blocks = [...guide.matchAll(/^ {3}```(\w*)\n([\s\S]*?)^ {3}```$/gm)].map(
  ([, language, text]) => ({
    language,
    text: (text as string).replaceAll(/^ {3}/gm, '').trimEnd(),
  }),
)
const block = (holds: string): string => {
  const found = blocks.find(({ text }) => text.includes(holds))
  assert.ok(found, `the guide has no block with ${holds}`)
  return found.text
}
/** The body of a request as the guide has it. */
const bodyOf = (path: string): Json =>
  JSON.parse(/-d '(.*)'$/m.exec(block(`${path} -H`))?.[1] as string)

describe('the way to the first naira', () => {
  let server: TestServer
  let double: Double
  let live: Call
  let payment: Json
  before(async () => {
    double = await startPaystack({ tls: true })
    const provider = paystackAt({
      host: double.url,
      ca: double.ca as string,
      pagesHost: new URL(double.checkoutUrl).host,
      connectMs: 2_000,
      wholeMs: 5_000,
    })
    const env = {
      ...railsEnv(JSON.parse(block('"provider": "paystack"'))),
      PAYSTACK_SECRET_KEY: double.keys.live,
    }
    server = await startServer(env, [provider])
    live = server.callAs(server.liveKey)
    double.live.events.url = `${server.url}/rails/paystack/live/webhook`
  })
  after(async () => {
    await server.stop()
    await double.stop()
  })

  const differenceNow = async (): Promise<string> => {
    const account = findReconcilable(server.app, true, 'paystack') as ReconciledAccount
    return reportOf(await reconcile(server.app, account)).at(-1) as string
  }

  it('shows how the account stands, and where webhooks go', async () => {
    const [account] = (await accountsNow(server.app)).filter(({ mode }) => mode === 'live')
    assert.ok(account)
    const shown = linesOf(account)
      .join('\n')
      .replace(/(?<=\/approve\/)\S+/, '<...>')
    assert.equal(shown, block('live  paystack  at'))
    assert.match(block('npm start'), /BASE_URL=https:\/\/pay\.example\.com/)
  })

  it('begins with books that agree', async () => {
    assert.equal(await differenceNow(), block('difference '))
  })

  it('takes the first naira on Paystack’s page', async () => {
    const opened = await must(live('POST', '/payments', bodyOf('/payments')))
    const payer = newPayer({
      checkout_url: `${server.url}${new URL(opened.checkout_url).pathname}`,
    })
    await payer.open()
    await payer.send('leave')
    const { reference } = await until(async () => double.live.books.transactions.at(-1))
    double.live.payer.pay(reference)
    await double.live.events.deliver()
    payment = await until(async () => {
      const read = await must(live('GET', `/payments/${opened.id}`))
      return read.status !== 'pending' && read
    })
    assert.match((await payer.open()).text, new RegExp(block('Payment complete')))
    const { data } = JSON.parse(block('"message":"Payment"').replace(',<...>', ''))
    assert.deepEqual(
      Object.fromEntries(Object.keys(data).map((name) => [name, payment[name]])),
      data,
    )
  })

  it('gives it back, and the books agree', async () => {
    const body = JSON.parse(JSON.stringify(bodyOf('/refunds')).replace('<id>', payment.id))
    const refund = await must(live('POST', '/refunds', body))
    const there = await until(async () => double.live.books.refunds.at(-1))
    double.live.refund.begin(there.id)
    double.live.refund.process(there.id)
    await double.live.events.deliver()
    await until(
      async () => (await must(live('GET', `/refunds/${refund.id}`))).status === 'completed',
    )
    assert.equal(await differenceNow(), block('difference '))
  })
})
