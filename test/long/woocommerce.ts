/**
 * The gateway for WooCommerce in a real WordPress, against a real server: WooCommerce itself is a
 * double of the functions that it uses.
 */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { runInNewContext } from 'node:vm'
import { deliveryHeaders } from '../../src/platform/webhooks/signing.ts'
import { newPayer, sender } from '../support/actors.ts'
import {
  type Json,
  listAll,
  must,
  startServer,
  type TestServer,
  until,
} from '../support/harness.ts'
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts'
import { lacksWordPress, startWordPress, type WordPress } from '../woocommerce/wordpress.ts'
import type { Check } from './check.ts'

const webhookPath = '/wp-json/bursar/v1/webhook'
const settingsPage = 'wp-admin/admin.php?page=wc-settings&tab=checkout&section=bursar'

export const woocommerceCheck: Check = {
  name: 'woocommerce',
  lacks: lacksWordPress,
  async run(dir) {
    const front = await startReceiver()
    const server = await startServer({
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      WEBHOOK_CA_FILE: front.caFile,
    })
    const wordpress = await startWordPress(dir)
    try {
      return await walk({ front, server, wordpress })
    } finally {
      await wordpress.stop()
      await server.stop()
      await front.stop()
    }
  },
}

type Shop = { front: Receiver; server: TestServer; wordpress: WordPress }

async function walk({ front, server, wordpress }: Shop): Promise<string> {
  let steps = 0
  const step = async <T>(name: string, run: () => Promise<T>): Promise<T> => {
    try {
      const result = await run()
      steps++
      return result
    } catch (error) {
      throw new Error(name, { cause: error })
    }
  }
  /**
   * What came by the front, and how WordPress answered it. Ends TLS, as a shop's own web server
   * does.
   */
  const answers: { event: Json; status: number; post: Received }[] = []
  let reaches = true
  front.answer = (post: Received, response: ServerResponse) => {
    const event = JSON.parse(post.body.toString())
    if (!reaches) return answered(503)
    function answered(status: number): void {
      answers.push({ event, status, post })
      response.writeHead(status).end()
    }
    redeliver(post).then(answered, () => answered(502))
  }
  const redeliver = async ({ headers, body }: Received): Promise<number> => {
    const passed = Object.entries(headers).filter(([name]) =>
      /^(content-type|user-agent|x-|webhook-)/.test(name),
    )
    const answer = await fetch(wordpress.url + webhookPath, {
      method: 'POST',
      headers: Object.fromEntries(passed) as Record<string, string>,
      body,
    })
    return answer.status
  }
  const order = (id: number, change: Json = {}): Promise<Json> =>
    wordpress.ask('order', { order: id, ...change })
  const buy = async (total: string): Promise<{ id: number; payment: Json }> => {
    const bought = await wordpress.ask('checkout', { total })
    assert.equal(bought.result, 'success', JSON.stringify(bought))
    return { id: bought.order, payment: await paymentOf(bought.order) }
  }
  const paymentOf = async (id: number): Promise<Json> =>
    must(server.call('GET', `/payments/${(await order(id)).meta._bursar_payment_id}`))
  const simulate = (payment: Json, outcome: string, method = 'card'): Promise<Json> =>
    must(server.call('POST', `/payments/${payment.id}/simulate`, { outcome, method }))
  const delivered = (type: string, id: string): Promise<{ status: number; post: Received }> =>
    until(async () =>
      answers.findLast(({ event }) => event.type === type && event.payload.id === id),
    )
  const lastNote = async (id: number): Promise<string> => (await order(id)).notes.at(-1) ?? ''

  const nonce = (page: string): string => /name="_wpnonce" value="(\w+)"/.exec(page)?.[1] ?? ''
  const save = async (fields: Record<string, string>): Promise<string> => {
    const named = Object.entries(fields).map(([name, value]) => [
      `woocommerce_bursar_${name}`,
      value,
    ])
    return wordpress.admin(settingsPage, {
      ...Object.fromEntries(named),
      _wpnonce: nonce(await wordpress.admin(settingsPage)),
    })
  }
  const set = { enabled: '1', title: 'Pay online', description: 'By card.', url: `${server.url}/` }

  const events = await step('the settings page says what to do', async () => {
    const page = await wordpress.admin(settingsPage)
    assert.match(page, /Not set up yet/)
    assert.match(page, /type="password" name="woocommerce_bursar_api_key"/)
    assert.ok(page.includes(`${wordpress.url}${webhookPath}`), page)
    assert.equal((await wordpress.ask('checkout', { total: '10' })).result, 'unavailable')
    const [named = ''] = /payment\.completed[\w., ]+/.exec(page) ?? []
    return named.replace(/\.$/, '').split(', ')
  })
  const webhook = await must(
    server.call('POST', '/webhooks', { url: front.url + webhookPath, events }),
  )
  await step('settings are saved and checked against the server', async () => {
    assert.match(
      await save({ ...set, api_key: 'nonsense', webhook_secret: 'weh_x' }),
      /Not set up yet/,
    )
    const page = await save({ ...set, api_key: server.testKey, webhook_secret: webhook.secret })
    assert.match(page, /Test mode: no real money moves\. Connected to Test Business\./)
    assert.match(
      await save({ ...set, api_key: 'sk_test_wrong', webhook_secret: webhook.secret }),
      /Test mode.*[Kk]ey/,
    )
    await save({ ...set, api_key: server.testKey, webhook_secret: webhook.secret })
  })
  await step('the blocks checkout is given the method', async () => {
    const { methods, declared } = await wordpress.ask('blocks')
    assert.deepEqual(declared, { custom_order_tables: true, cart_checkout_blocks: true })
    assert.equal(methods.bursar.active, true)
    assert.equal(methods.bursar.data.title, 'Pay online')
    assert.deepEqual(methods.bursar.data.supports, ['products', 'refunds'])
    const script = await fetch(methods.bursar.scripts[0])
    assert.equal(script.status, 200)
    const registered: Json[] = []
    const window = {
      wc: {
        wcBlocksRegistry: { registerPaymentMethod: (method: Json) => registered.push(method) },
        wcSettings: {
          getSetting: (name: string) => (name === 'bursar_data' ? methods.bursar.data : null),
        },
      },
      wp: {
        element: { createElement: (...args: Json[]) => args },
        htmlEntities: { decodeEntities: (text: string) => text },
      },
    }
    runInNewContext(await script.text(), { window })
    assert.deepEqual(
      registered.map(({ name, label, canMakePayment }) => [name, label, canMakePayment()]),
      [['bursar', 'Pay online', true]],
    )
  })

  const first = await step(
    'a customer is sent to the hosted checkout, for the amount in minor units',
    async () => {
      const bought = await wordpress.ask('checkout', { total: '1234.50' })
      const payment = await paymentOf(bought.order)
      assert.equal(bought.redirect, payment.checkout_url)
      const { order_key } = await order(bought.order)
      const { reference, amount, currency, email, metadata, redirect_url, cancel_url } = payment
      assert.deepEqual(
        { reference, amount, currency, email, metadata },
        {
          reference: order_key,
          amount: 123_450,
          currency: 'ngn',
          email: 'ada@example.com',
          metadata: { order_id: String(bought.order), order_key },
        },
      )
      assert.match(redirect_url, /order-received=\d+&key=wc_order_/)
      assert.match(cancel_url, /pay_for_order=true/)
      const again = await Promise.all(
        [1, 2].map(() => wordpress.ask('checkout', { order: bought.order })),
      )
      assert.deepEqual(
        again.map(({ redirect }) => redirect),
        [bought.redirect, bought.redirect],
      )
      assert.equal((await listAll(server.call, '/payments')).length, 1)
      return { id: bought.order as number, payment }
    },
  )
  await step('amounts of many sizes are exact', async () => {
    for (const [total, amount] of [
      ['0.29', 29],
      ['19.9', 1_990],
      ['1000000', 100_000_000],
      ['99999999.99', 9_999_999_999],
    ] as const)
      assert.equal((await buy(total)).payment.amount, amount)
    for (const total of ['0', '1.005', '-5', '1e3'])
      assert.equal((await wordpress.ask('checkout', { total })).result, 'failure', total)
  })
  const paid = await step(
    'the customer pays by card on the hosted page, and the signed webhook completes the order',
    async () => {
      await newPayer(first.payment).payByCard()
      const { payment } = first
      const { status, post } = await delivered('payment.completed', payment.id)
      assert.equal(status, 204)
      const now = await order(first.id)
      assert.deepEqual(
        [now.status, now.transaction_id, now.completions],
        ['processing', payment.id, 1],
      )
      assert.match(now.notes.at(-1), /Paid with Bursar: NGN 1234\.50 .*Test mode/)
      return { payment, post, now }
    },
  )
  await step('replays change nothing, one after another and at once', async () => {
    assert.equal(await redeliver(paid.post), 204)
    assert.deepEqual(
      await Promise.all([1, 2, 3, 4].map(() => redeliver(paid.post))),
      [204, 204, 204, 204],
    )
    assert.deepEqual(await order(first.id), paid.now)
    const again = await wordpress.ask('checkout', { order: first.id })
    assert.match(again.redirect, /order-received/)
    assert.deepEqual(await order(first.id), paid.now)
  })
  await step('what Bursar did not sign changes nothing', async () => {
    const { id, payment } = await buy('50')
    const body = paid.post.body.toString().replaceAll(first.payment.id, payment.id)
    const signed = (secret: string, ageSeconds = 0, text = body): Received => {
      const sentAt = new Date(Date.now() - ageSeconds * 1_000)
      const one = {
        event_id: payment.id,
        type: 'payment.completed',
        body: text,
        attempt: 1,
        sample: false,
      }
      const headers = deliveryHeaders(one, [secret], sentAt)
      const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
      return { path: '', headers: Object.fromEntries(lower), body: Buffer.from(text) }
    }
    const good = signed(webhook.secret)
    assert.equal(await redeliver({ ...good, body: Buffer.from(`${body} `) }), 401)
    assert.equal(await redeliver(signed('weh_another')), 401)
    assert.equal(await redeliver(signed(webhook.secret, 400)), 401)
    assert.equal(await redeliver(signed(webhook.secret, -400)), 401)
    assert.equal(await redeliver({ ...good, headers: { 'content-type': 'application/json' } }), 401)
    assert.equal(
      await redeliver(signed(webhook.secret, 0, '{"type":"payment.completed","payload":{}}')),
      204,
    )
    assert.equal((await order(id)).status, 'pending')
  })
  const secret = await step('both signatures of a rolled secret are taken', async () => {
    const rolled = await must(server.call('POST', `/webhooks/${webhook.id}/roll-secret`))
    const { id, payment } = await buy('60')
    await simulate(payment, 'completed')
    assert.equal((await delivered('payment.completed', payment.id)).status, 204)
    await save({ ...set, api_key: server.testKey, webhook_secret: rolled.standard_secret })
    const second = await buy('61')
    await simulate(second.payment, 'completed')
    assert.equal((await delivered('payment.completed', second.payment.id)).status, 204)
    assert.deepEqual(
      [(await order(id)).status, (await order(second.id)).status],
      ['processing', 'processing'],
    )
    return rolled.standard_secret as string
  })
  await step('too much, too little and another amount put the order on hold', async () => {
    const over = await buy('100')
    await simulate(over.payment, 'overpaid', 'bank_transfer')
    await delivered('payment.completed', over.payment.id)
    assert.equal((await order(over.id)).status, 'on-hold')
    assert.match((await order(over.id)).notes.join('\n'), /for an order of NGN 100.*difference/)

    const under = await buy('100')
    await simulate(under.payment, 'underpaid', 'bank_transfer')
    await must(server.call('POST', `/payments/${under.payment.id}/cancel`))
    await delivered('payment.canceled', under.payment.id)
    assert.equal((await order(under.id)).status, 'on-hold')
    assert.match(await lastNote(under.id), /Only NGN .* came/)

    const changed = await buy('100')
    await order(changed.id, { total: '150' })
    await simulate(changed.payment, 'completed')
    await delivered('payment.completed', changed.payment.id)
    assert.equal((await order(changed.id)).status, 'on-hold')
    assert.match(
      await lastNote(changed.id),
      /NGN 100\.00 came by payment .* the order is for NGN 150/,
    )
  })
  await step('a test payment completes no order of a shop that has gone live', async () => {
    const { id, payment } = await buy('100')
    reaches = false
    await simulate(payment, 'completed')
    const { post } = await delivered('payment.completed', payment.id)
    reaches = true
    assert.match(
      await save({ ...set, api_key: server.liveKey, webhook_secret: secret }),
      /Live mode: real money moves/,
    )
    assert.equal(await redeliver(post), 204)
    assert.equal((await order(id)).status, 'on-hold')
    await save({ ...set, api_key: server.testKey, webhook_secret: secret })
  })
  await step('an order that changed its amount is paid by a payment of its own', async () => {
    const { id, payment } = await buy('100')
    await order(id, { total: '120.01' })
    await wordpress.ask('checkout', { order: id })
    const second = await paymentOf(id)
    assert.deepEqual([second.amount, second.reference], [12_001, `${payment.reference}-2`])
    assert.equal((await must(server.call('GET', `/payments/${payment.id}`))).status, 'canceled')
  })
  await step('a decline fails the order, and it can be paid again', async () => {
    const { id, payment } = await buy('70')
    await simulate(payment, 'failed')
    await delivered('payment.failed', payment.id)
    assert.equal((await order(id)).status, 'failed')
    await wordpress.ask('checkout', { order: id })
    const second = await paymentOf(id)
    assert.equal(second.reference, `${payment.reference}-2`)
    await simulate(second, 'completed')
    await delivered('payment.completed', second.id)
    assert.equal((await order(id)).status, 'processing')
  })
  await step(
    'an order that is cancelled cancels its payment; what came before is for a person',
    async () => {
      const idle = await buy('80')
      await order(idle.id, { status: 'cancelled' })
      assert.equal(
        (await must(server.call('GET', `/payments/${idle.payment.id}`))).status,
        'canceled',
      )
      assert.equal((await delivered('payment.canceled', idle.payment.id)).status, 204)
      assert.equal((await order(idle.id)).status, 'cancelled')

      const late = await buy('81')
      reaches = false
      await simulate(late.payment, 'completed')
      const { post } = await delivered('payment.completed', late.payment.id)
      reaches = true
      await order(late.id, { status: 'cancelled' })
      assert.match(
        (await order(late.id)).notes.join('\n'),
        /was not cancelled, and may still be paid/,
      )
      assert.equal(await redeliver(post), 204)
      assert.equal((await order(late.id)).status, 'on-hold')
      assert.match(await lastNote(late.id), /NGN 81\.00 came by payment .* was cancelled/)
    },
  )
  await step('who comes back as the webhook comes finds the order paid, once', async () => {
    const { id, payment } = await buy('90')
    const back = async (): Promise<string> => (await fetch(payment.redirect_url)).text()
    assert.match(await back(), /Order pending.*not confirmed yet/s)
    reaches = false
    await simulate(payment, 'completed')
    const { post } = await delivered('payment.completed', payment.id)
    reaches = true
    await Promise.all([back(), redeliver(post), back(), redeliver(post), redeliver(post)])
    assert.match(await back(), /Order processing/)
    const { notes, status, completions } = await order(id)
    assert.equal(completions, 1)
    assert.equal(
      notes.filter((note: string) => note.includes('Paid with Bursar')).length,
      1,
      notes.join('\n'),
    )
    assert.equal(status, 'processing')
    const stranger = payment.redirect_url.replace(/key=\w+/, 'key=wc_order_guess')
    assert.doesNotMatch(await (await fetch(stranger)).text(), /Order processing/)
  })
  await step('a refund goes out from the order, once, and its end is noted', async () => {
    const refund = (amount: string, reason = ''): Promise<string> =>
      wordpress.ask('refund', { order: first.id, amount, reason })
    const refunds = (): Promise<Json[]> =>
      listAll(server.call, `/refunds?payment=${first.payment.id}`)
    assert.equal(await refund('34.50', 'Too large'), 'refunded')
    const [made] = await refunds()
    assert.deepEqual(
      [made.amount, made.reason, made.metadata.order_id],
      [3_450, 'Too large', String(first.id)],
    )
    assert.match((await order(first.id)).notes.join('\n'), /Bursar sends NGN 34\.50 back/)
    await delivered('refund.completed', made.id)
    assert.match(await lastNote(first.id), /has got NGN 34\.50 back/)
    assert.match(await refund('9999999'), /[Rr]efund/)
    assert.equal(await refund('1200'), 'refunded')
    assert.deepEqual(
      (await refunds()).map(({ amount }) => amount),
      [120_000, 3_450],
    )
  })
  await step('a refund that was made in Bursar, and one that failed, are noted', async () => {
    const { id, payment } = await buy('300')
    await simulate(payment, 'completed')
    await delivered('payment.completed', payment.id)
    const made = await must(
      server.call('POST', '/refunds', { payment: payment.id, amount: 10_000 }),
    )
    const { post } = await delivered('refund.completed', made.id)
    // A 404 that does not say that there is no such payment is no answer: it comes again.
    await save({
      ...set,
      api_key: server.testKey,
      webhook_secret: secret,
      url: `${server.url}/elsewhere`,
    })
    assert.equal(await redeliver(post), 503)
    await save({ ...set, api_key: server.testKey, webhook_secret: secret })
    assert.match(await lastNote(id), /NGN 100\.00 back .*book it on this order/)
    await must(server.call('POST', `/refunds/${made.id}/simulate`, { outcome: 'returned' }))
    await delivered('refund.failed', made.id)
    assert.match(await lastNote(id), /refund of NGN 100\.00 has failed/)
    assert.equal((await order(id)).status, 'processing')
  })
  await step(
    'a payment that is told of after its refund does not mark its order paid',
    async () => {
      const { id, payment } = await buy('310')
      reaches = false
      await simulate(payment, 'completed')
      const { post } = await delivered('payment.completed', payment.id)
      reaches = true
      const made = await must(
        server.call('POST', '/refunds', { payment: payment.id, amount: payment.amount }),
      )
      assert.equal((await delivered('refund.completed', made.id)).status, 204)
      assert.equal(await redeliver(post), 204)
      const { status, completions } = await order(id)
      assert.deepEqual([status, completions ?? 0], ['on-hold', 0])
    },
  )
  await step('an address that is plain http is not taken, and the one before stays', async () => {
    const current = { api_key: server.testKey, webhook_secret: secret }
    const page = await save({ ...set, ...current, url: 'http://pay.example.com' })
    assert.ok(!page.includes('http://pay.example.com'), page)
    await buy('12')
  })
  await step('money that comes after the end puts the order on hold', async () => {
    const { id, payment } = await buy('95')
    await newPayer(payment).post('transfer')
    const account = (await listAll(server.call, '/virtual-accounts')).find(
      (one) => one.payment === payment.id,
    )
    await must(server.call('POST', `/payments/${payment.id}/cancel`))
    await delivered('payment.canceled', payment.id)
    assert.equal((await order(id)).status, 'failed')
    await must(
      server.call('POST', `/virtual-accounts/${account.id}/simulate-deposit`, {
        amount: 9_500,
        sender,
      }),
    )
    const { event } = await until(async () =>
      answers.findLast(
        ({ event }) => event.type === 'virtual_account.deposit' && event.payload.late,
      ),
    )
    assert.equal(event.payload.related.payment, payment.id)
    assert.equal((await order(id)).status, 'on-hold')
    assert.match(await lastNote(id), /NGN 95\.00 came after payment/)
  })
  await step(
    'a server that does not answer is told to the customer and the shop, and nothing is made twice',
    async () => {
      const { id, payment } = await buy('200')
      await simulate(payment, 'completed')
      await delivered('payment.completed', payment.id)
      const current = { api_key: server.testKey, webhook_secret: secret }
      await save({ ...set, ...current, url: 'http://127.0.0.1:9' })
      const refused = await wordpress.ask('checkout', { total: '10' })
      assert.equal(refused.result, 'failure')
      assert.match(refused.notices[0], /cannot be started now/)
      assert.match(await wordpress.ask('refund', { order: id, amount: '5' }), /cannot be reached/)
      await save({ ...set, ...current })
      assert.equal((await wordpress.ask('checkout', { order: refused.order })).result, 'success')
      assert.equal(await wordpress.ask('refund', { order: id, amount: '5' }), 'refunded')
      assert.equal((await listAll(server.call, `/refunds?payment=${payment.id}`)).length, 1)
    },
  )
  await step('it is taken off without leaving a secret, and PHP complains of nothing', async () => {
    assert.match(await wordpress.php('uninstall.php'), /"gone"/)
    assert.deepEqual(wordpress.complaints(), [])
  })
  await server.assertBooksClean()
  return `${steps} steps in a real WordPress`
}
