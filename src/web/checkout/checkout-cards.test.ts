import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  cards,
  chargesOf,
  goodCard,
  type Json,
  type Merchant,
  minute,
  newMerchant,
  newPayer,
  pathOf,
  unchanged,
} from '../../../test/support/actors.ts'
import { shareServer, type TestServer, until } from '../../../test/support/harness.ts'
import { isCardNumber } from '../../rails/reference/bank-numbers.ts'
import { testCards } from '../../rails/sandbox/cards.ts'
import { faultsOf, fieldOf } from './view/cards.ts'
import { en } from './view/words/en.ts'

let server: TestServer
let merchant: Merchant

describe('paying by card', () => {
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server)
  })
  after(() => server.stop())

  /** Has what is asked of the scheme half a minute later asked now. */
  const asked = async () => {
    await merchant.advance('31s')
  }
  for (const [number, brand] of [
    ['4242424242424242', 'visa'],
    ['5555 5555 5555 4444', 'mastercard'],
    ['5060-6666-6666-6666-666', 'verve'],
  ] as const)
    it(`succeeds with ${number}`, async () => {
      const before = await merchant.available()
      const payment = await merchant.openPayment()
      const payer = newPayer(payment)
      const { status, location } = await payer.post('card', { ...goodCard, number })
      assert.deepEqual([status, location], [303, `${pathOf(payment)}?method=card`])
      const paid = await merchant.readPayment(payment)
      assert.deepEqual(
        [
          paid.status,
          paid.method,
          paid.variance,
          paid.attempts,
          paid.failure_reason,
          paid.amount_received,
        ],
        ['completed', 'card', 'exact', 1, null, 1_000_000],
      )
      const last4 = number.slice(-4)
      const { data } = await server.call('GET', `/transactions/${paid.transaction}/verify`)
      assert.deepEqual(data.source, { brand, last4: number.replaceAll(/\D/g, '').slice(-4) })
      assert.equal(await merchant.available(), before + 985_000)
      assert.deepEqual(await merchant.eventTypesOf(payment), ['payment.completed'])
      const page = await payer.open('?method=card')
      assert.match(page.text, /Payment complete/)
      assert.ok(page.text.includes(data.source.last4) && last4.length === 4)
      await asked()
      assert.deepEqual(await merchant.readPayment(payment), paid)
    })

  it('takes an expiry as people write it', async () => {
    for (const expiry of ['12/34', '12/2034', '1234', '122034', ' 1/34 ', '01 / 34', '0134']) {
      const payment = await merchant.openPayment()
      await newPayer(payment).post('card', { ...goodCard, expiry })
      assert.equal((await merchant.readPayment(payment)).status, 'completed', expiry)
    }
  })

  for (const [number, reason, says] of [
    ['4000000000000002', 'declined', /declined this card/],
    ['4000000000009995', 'insufficient_funds', /not enough money/],
    ['4000000000000069', 'expired_card', /has expired/],
    ['4000000000000127', 'incorrect_cvc', /security code is not right/],
    ['4111111111111111', 'declined', /declined this card/],
  ] as const)
    it(`is declined with ${number} as ${reason}, and can be tried again`, async () => {
      const before = await merchant.available()
      const payment = await merchant.openPayment()
      const payer = newPayer(payment)
      const { status, location } = await payer.post('card', { ...goodCard, number })
      assert.deepEqual([status, location], [303, `${pathOf(payment)}?method=card`])
      const declined = await merchant.readPayment(payment)
      assert.deepEqual(
        [
          declined.status,
          declined.failure_reason,
          declined.attempts,
          declined.amount_received,
          declined.fee,
        ],
        ['pending', reason, 1, 0, 0],
      )
      assert.deepEqual(
        [await merchant.eventTypesOf(payment), await merchant.available()],
        [[], before],
      )
      const page = await payer.open('?method=card')
      assert.match(page.text, says)
      assert.ok(page.html.includes(`${pathOf(payment)}/card`))
      await payer.send('card', goodCard)
      const paid = await merchant.readPayment(payment)
      assert.deepEqual([paid.status, paid.attempts, paid.failure_reason], ['completed', 2, null])
    })

  it('fails the payment when the decline is for good', async () => {
    const payment = await merchant.openPayment()
    const payer = newPayer(payment)
    await payer.post('card', { ...goodCard, number: cards.fraudulent })
    const failed = await merchant.readPayment(payment)
    assert.deepEqual(
      [failed.status, failed.failure_reason, failed.attempts],
      ['failed', 'fraudulent', 1],
    )
    const { data } = await server.call('GET', '/events?type=payment.failed')
    assert.deepEqual(
      data.docs
        .filter((event: Json) => event.payload.id === payment.id)
        .map((event: Json) => event.payload),
      [failed],
    )
    assert.match((await payer.open()).text, /Payment failed/)
    const charges = await chargesOf(server)
    await payer.send('card', goodCard)
    assert.deepEqual(
      [await merchant.readPayment(payment), await chargesOf(server)],
      [failed, charges],
    )
  })

  describe('that the payer’s bank asks about', () => {
    const challenged = async (body: Record<string, unknown> = {}) => {
      const payment = await merchant.openPayment(body)
      const payer = newPayer(payment)
      await payer.post('card', { ...goodCard, number: cards.challenged })
      const page = await payer.open()
      assert.ok(
        page.html.includes(`${pathOf(payment)}/challenge`) && page.text.includes('Yes, pay'),
      )
      assert.deepEqual(
        await merchant.readPayment(payment).then((now) => [now.status, now.attempts]),
        ['pending', 1],
      )
      return { payment, payer }
    }

    it('is charged when the payer approves, once', async () => {
      const before = await merchant.available()
      const { payment, payer } = await challenged()
      // Nobody else's answer counts, and asking the scheme does not answer for the payer.
      await asked()
      assert.equal((await merchant.readPayment(payment)).status, 'pending')
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => payer.send('challenge', { answer: 'approve' })),
      )
      for (const { status, location } of answers) {
        assert.equal(status, 303)
        assert.ok(location.startsWith(pathOf(payment)))
      }
      const paid = await merchant.paymentEnded(payment)
      assert.deepEqual(
        [paid.status, paid.amount_received, paid.attempts],
        ['completed', 1_000_000, 1],
      )
      assert.equal(await merchant.available(), before + 985_000)
      assert.deepEqual(await merchant.eventTypesOf(payment), ['payment.completed'])
    })

    it('is not charged when the payer rejects, and can be tried again', async () => {
      const { payment, payer } = await challenged()
      await payer.send('challenge', { answer: 'reject' })
      assert.deepEqual(
        await merchant.readPayment(payment).then((now) => [now.status, now.failure_reason]),
        ['pending', 'challenge_failed'],
      )
      await payer.send('challenge', { answer: 'approve' })
      assert.equal((await merchant.readPayment(payment)).status, 'pending')
      assert.match((await payer.open('?method=card')).text, /was not confirmed/)
      await payer.send('card', goodCard)
      assert.equal((await merchant.readPayment(payment)).status, 'completed')
    })

    it('is not charged when the answer is anything else', async () => {
      const { payment, payer } = await challenged()
      await payer.send('challenge', {})
      assert.equal((await merchant.readPayment(payment)).failure_reason, 'challenge_failed')
    })

    it('takes no other card meanwhile', async () => {
      const { payment, payer } = await challenged()
      const { status } = await unchanged(server, () => payer.send('card', goodCard))
      assert.deepEqual([status, (await merchant.readPayment(payment)).attempts], [303, 1])
      await payer.send('challenge', { answer: 'reject' })
    })

    it('ends with the payment when nobody answers', async () => {
      const canceled = await challenged()
      assert.equal(
        (await server.call('POST', `/payments/${canceled.payment.id}/cancel`)).status,
        200,
      )
      const expiring = await challenged({
        expires_at: new Date(Date.now() + 24 * 60 * minute).toISOString(),
      })
      await merchant.advance('25h')
      assert.equal((await merchant.readPayment(expiring.payment)).status, 'expired')
      for (const { payment, payer } of [canceled, expiring]) {
        const now = await merchant.readPayment(payment)
        await unchanged(server, () => payer.send('challenge', { answer: 'approve' }))
        assert.deepEqual(await merchant.readPayment(payment), now)
        assert.equal(now.amount_received, 0)
      }
    })
  })

  it('completes by a job when the answer was lost', async () => {
    const before = await merchant.available()
    const payment = await merchant.openPayment()
    await newPayer(payment).post('card', { ...goodCard, number: cards.lostAnswer })
    const paid = await merchant.paymentEnded(payment)
    assert.deepEqual(
      [paid.status, paid.attempts, paid.amount_received],
      ['completed', 1, 1_000_000],
    )
    await asked()
    assert.equal(await merchant.available(), before + 985_000)
    assert.deepEqual(await merchant.eventTypesOf(payment), ['payment.completed'])
  })

  it('is not charged when the order was lost, and can be tried again', async () => {
    const payment = await merchant.openPayment()
    const payer = newPayer(payment)
    const charges = await chargesOf(server)
    await payer.post('card', { ...goodCard, number: cards.lostOrder })
    await until(
      async () => (await merchant.readPayment(payment)).failure_reason === 'processing_error',
    )
    assert.deepEqual(
      [(await merchant.readPayment(payment)).status, await chargesOf(server)],
      ['pending', charges],
    )
    assert.match((await payer.open('?method=card')).text, /could not be reached/)
    await payer.send('card', goodCard)
    assert.equal((await merchant.readPayment(payment)).status, 'completed')
  })

  it('charges once when the same form is sent ten times at once', async () => {
    for (const number of [goodCard.number, cards.lostAnswer]) {
      const [before, charges] = [await merchant.available(), await chargesOf(server)]
      const payment = await merchant.openPayment()
      const payer = newPayer(payment)
      await payer.open()
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => payer.send('card', { ...goodCard, number })),
      )
      for (const { status, location } of answers) {
        assert.equal(status, 303)
        assert.ok(location.startsWith(pathOf(payment)))
      }
      const paid = await merchant.paymentEnded(payment)
      assert.deepEqual([paid.attempts, paid.amount_received], [1, 1_000_000])
      assert.deepEqual(
        [await merchant.available(), await chargesOf(server)],
        [before + 985_000, charges + 1],
      )
      assert.deepEqual(await merchant.eventTypesOf(payment), ['payment.completed'])
    }
  })

  it('charges once when ten browsers pay at once', async () => {
    for (const number of [goodCard.number, cards.lostAnswer]) {
      const [before, charges] = [await merchant.available(), await chargesOf(server)]
      const payment = await merchant.openPayment()
      const payers = Array.from({ length: 10 }, () => newPayer(payment))
      await Promise.all(payers.map((payer) => payer.open()))
      await Promise.all(payers.map((payer) => payer.send('card', { ...goodCard, number })))
      const paid = await merchant.paymentEnded(payment)
      assert.deepEqual([paid.attempts, paid.amount_received], [1, 1_000_000])
      assert.deepEqual(
        [await merchant.available(), await chargesOf(server)],
        [before + 985_000, charges + 1],
      )
    }
  })

  it('does not charge again by a form that was declined', async () => {
    const payment = await merchant.openPayment()
    const payer = newPayer(payment)
    await payer.post('card', { ...goodCard, number: cards.declined })
    const old = payer.token
    const charges = await chargesOf(server)
    await unchanged(server, async () => {
      for (const number of ['4000000000000002', '4242424242424242']) {
        const { status } = await payer.send('card', { ...goodCard, number, token: old })
        assert.equal(status, 303)
      }
    })
    assert.deepEqual(
      await merchant.readPayment(payment).then((now) => [now.status, now.attempts]),
      ['pending', 1],
    )
    assert.equal(await chargesOf(server), charges)
  })

  it('shows which field is wrong, and asks no bank', async () => {
    const payment = await merchant.openPayment()
    const payer = newPayer(payment)
    await payer.open()
    const now = await merchant.now()
    const past = new Date(now - 40 * 86_400_000)
    const month = String(past.getUTCMonth() + 1).padStart(2, '0')
    const year = String(past.getUTCFullYear() % 100)
    const amex = '3782 822463 10005'
    await unchanged(server, async () => {
      for (const [fields, wrong, expiry] of [
        [{ number: '4242424242424241' }, ['number'], '12/34'],
        [{ number: '4242' }, ['number_length'], '12/34'],
        [{ number: '4242 4242 4242 42422' }, ['number_length'], '12/34'],
        [{ number: '5555 5555 5555 444' }, ['number_length'], '12/34'],
        [{ number: '' }, ['number_length'], '12/34'],
        [{ number: '4242x4242x4242x4242' }, ['number'], '12/34'],
        [{ expiry: `${month}/${past.getUTCFullYear()}` }, ['expired'], `${month}/${year}`],
        [{ expiry: '1/20' }, ['expired'], '01/20'],
        [{ expiry: '13/34' }, ['expiry'], ''],
        [{ expiry: '00/34' }, ['expiry'], ''],
        [{ expiry: '' }, ['expiry'], ''],
        [{ expiry: '12-34' }, ['expiry'], ''],
        // A number in the wrong field is not shown again either.
        [{ expiry: goodCard.number }, ['expiry'], ''],
        [{ cvc: '12' }, ['cvc'], '12/34'],
        [{ cvc: '1234' }, ['cvc'], '12/34'],
        [{ cvc: 'abc' }, ['cvc'], '12/34'],
        [{ number: amex, cvc: '123' }, ['cvc_four'], '12/34'],
        [{ number: '1', expiry: '1', cvc: '1' }, ['number_length', 'expiry', 'cvc'], ''],
        [{ expiry: '99/99', cvc: '' }, ['expiry', 'cvc'], ''],
      ] as const) {
        const typed = { ...goodCard, ...fields }
        const page = await payer.send('card', typed)
        assert.equal(page.status, 400)
        for (const fault of wrong) {
          assert.ok(page.text.includes(en.card.faults[fault]), `${fault}: ${page.text}`)
          const name = fieldOf(fault)
          const input = new RegExp(
            `<input id="${name}" [^>]*aria-describedby="${name}-error" aria-invalid="true"`,
          )
          assert.match(page.html, input)
        }
        assert.equal(page.html.match(/aria-invalid="true"/g)?.length, wrong.length)
        assert.match(page.html, /<input id="number" [^>]*autofocus>/)
        assert.match(page.html, /<title>Error: /)
        // The expiry stays. The number and the code are nowhere on the page.
        assert.ok(page.html.includes(`required value="${expiry}"`), `${typed.expiry}: ${expiry}`)
        const form = page.html.slice(page.html.indexOf('/card"'), page.html.indexOf('<aside'))
        for (const text of [typed.number, typed.number.replaceAll(/\D/g, '')])
          assert.ok(text.length < 12 || !form.includes(text), text)
        assert.doesNotMatch(form, /<input id="(number|cvc)" [^>]*value=/)
      }
    })
    // What is not wrong, and has to be typed again, says why.
    const page = await payer.send('card', { ...goodCard, cvc: '1' })
    assert.match(page.html, /<input id="number" [^>]*aria-describedby="number-hint"/)
    assert.match(page.text, /Type it again: card details are not kept here/)
    assert.equal((await merchant.readPayment(payment)).attempts, 0)
    // A card is good until the end of its month.
    const at = new Date(now)
    await payer.send('card', {
      ...goodCard,
      expiry: `${at.getUTCMonth() + 1}/${at.getUTCFullYear()}`,
    })
    assert.equal((await merchant.readPayment(payment)).status, 'completed')
  })

  it('is not taken when it may be somebody’s, and nothing of it is kept', async () => {
    const payment = await merchant.openPayment()
    const payer = newPayer(payment)
    await payer.open()
    // Numbers of ranges that banks were given; they pass the check, and are nobody's that we know
    // of.
    for (const [number, cvc] of [
      ['4539 1488 0343 6467', '123'],
      ['5399 8383 8383 8381', '123'],
      ['3782 822463 10005', '1234'],
      ['5061 0200 0000 0000 094', '123'],
    ] as const) {
      assert.ok(isCardNumber(number.replaceAll(' ', '')), number)
      const page = await unchanged(server, () => payer.send('card', { ...goodCard, number, cvc }))
      assert.deepEqual(
        [page.status, page.location],
        [303, `${pathOf(payment)}?method=card&wrong=card`],
      )
    }
    const page = await payer.open('?method=card&wrong=card')
    assert.match(page.text, /This is a test page: it takes test cards only/)
    assert.ok(!page.html.includes('6467'))
    assert.equal((await merchant.readPayment(payment)).attempts, 0)
    // Of the test range, any number will do.
    await payer.send('card', { ...goodCard, number: '4000 0000 0000 0010' })
    assert.deepEqual(
      await merchant.readPayment(payment).then((now) => [now.attempts, now.failure_reason]),
      [1, 'declined'],
    )
  })

  it('is tried twenty times at most', async () => {
    const payment = await merchant.openPayment()
    const payer = newPayer(payment)
    for (let i = 1; i <= 20; i++) {
      assert.equal((await payer.post('card', { ...goodCard, number: cards.declined })).status, 303)
      assert.equal((await merchant.readPayment(payment)).attempts, i)
    }
    await payer.open()
    const page = await unchanged(server, () => payer.send('card', goodCard))
    assert.deepEqual([page.status, page.location], [303, `${pathOf(payment)}?method=card`])
    assert.match((await payer.open('?method=card')).text, /tried with cards too often/)
    const body = { outcome: 'completed', method: 'card' }
    const refused = await unchanged(server, () =>
      server.call('POST', `/payments/${payment.id}/simulate`, body),
    )
    assert.deepEqual([refused.status, refused.code], [400, 'too_many_attempts'])
    // Other ways are still open.
    await payer.post('simulate', { outcome: 'completed', method: 'bank_transfer' })
    assert.equal((await merchant.readPayment(payment)).status, 'completed')
  })

  it('has test cards that pass for cards', () => {
    for (const number of Object.keys(testCards)) {
      assert.ok(isCardNumber(number), number)
      assert.deepEqual(faultsOf({ number, expiry: '12/34', cvc: '123' }, 3412), [], number)
    }
  })
})
