/**
 * Goal: several records of a list are changed at once, each on its own, after a review; what is
 * refused of one changes nothing of it. Method: people over HTTP, as browsers without scripts.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, type Merchant, newBusiness, newMerchant } from '../../../test/support/actors.ts'
import { hiddenOf, shown, signedIn, type Visitor } from '../../../test/support/dashboard.ts'
import { bankPayout, shareServer, type TestServer } from '../../../test/support/harness.ts'

const textOf = (html: string): string => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

describe('an action on several records', () => {
  let server: TestServer
  let merchant: Merchant
  let person: Visitor
  before(async () => {
    server = // Payouts wait until a test says how they end.
      server = await shareServer({ SANDBOX_DELAY: '1h' })
    merchant = newMerchant(server, { price: 500_000 })
    person = await signedIn(server)
    await server.fund('ngn', 100_000_000)
  })
  after(() => server.stop())

  const reviewed = (list: string, action: string, keys: string[]) => {
    const query = new URLSearchParams({ do: action })
    for (const key of keys) query.set(`pick.${key}`, 'true')
    return person.get(`/${list}/-/bulk?${query}`)
  }
  const statusOf = async (invoice: Json): Promise<string> =>
    (await merchant.readInvoice(invoice)).status

  it('is reviewed with its sum, done to each, and done once', async () => {
    const [first, second, draft] = [
      await merchant.openInvoice(),
      await merchant.openInvoice(),
      await merchant.draftInvoice(),
    ]
    const list = await shown(person.get('/invoices'))
    for (const { id } of [first, second, draft]) assert.ok(list.includes(`name="pick.${id}"`))
    assert.match(list, /name="do" value="void">Void invoices</)
    const review = await shown(reviewed('invoices', 'void', [first.id, second.id, draft.id]))
    assert.match(textOf(review), /Not possible now for 1 invoice of your selection/)
    assert.match(textOf(review), /Void invoices: 2 invoices, ₦10,000\.00/)
    const sent = hiddenOf(review)
    assert.ok(!(`pick.${draft.id}` in sent))
    assert.deepEqual([await statusOf(first), await statusOf(second)], ['open', 'open'])
    for (let n = 0; n < 2; n++) {
      assert.match(
        textOf(await shown(person.post('/invoices/-/bulk', sent))),
        /Done for 2 invoices/,
      )
      assert.deepEqual([await statusOf(first), await statusOf(second)], ['void', 'void'])
    }
    assert.equal(await statusOf(draft), 'draft')
    for (const invoice of [first, second]) {
      const types = (await merchant.eventsOf(invoice)).map(({ type }) => type)
      assert.equal(types.filter((type) => type === 'invoice.voided').length, 1)
    }
  })

  it('says which were refused in the meantime, and changes the others', async () => {
    const [paid, open] = [await merchant.openInvoice(), await merchant.openInvoice()]
    const review = await shown(reviewed('invoices', 'void', [paid.id, open.id]))
    await merchant.simulate(paid.payment, 'completed', 'card')
    const text = textOf(await shown(person.post('/invoices/-/bulk', hiddenOf(review))))
    assert.match(text, /Done for 1 invoice\..*These were refused and stay as they are: .*paid/)
    assert.deepEqual([await statusOf(paid), await statusOf(open)], ['paid', 'void'])
  })

  it('gives the money of canceled payouts back', async () => {
    const before = await merchant.balance()
    for (const reference of ['rent-1', 'rent-2'])
      await merchant.payOut(bankPayout(reference, 50_000))
    assert.notDeepEqual(await merchant.balance(), before)
    const review = await shown(reviewed('payouts', 'cancel', ['rent-1', 'rent-2']))
    assert.match(textOf(review), /Cancel payouts: 2 payouts, ₦1,000\.00/)
    await shown(person.post('/payouts/-/bulk', hiddenOf(review)))
    assert.deepEqual(await merchant.balance(), before)
  })

  it('says before it is confirmed what the server lacks', async () => {
    const live = await signedIn(server, 'owner', 'live')
    const draft = await newMerchant(server, { call: server.callAs(server.liveKey) }).draftInvoice()
    const review = await live.get(`/invoices/-/bulk?do=finalize&pick.${draft.id}=true`)
    assert.match(textOf(review.html), /Not possible now for 1 invoice of your selection/)
    assert.match(review.html, /href="\/docs\/live#what-needs-a-rail"/)
    assert.doesNotMatch(review.html, new RegExp(`name="pick.${draft.id}"`))
  })

  it('is for those alone who may do it to one, in their own business', async () => {
    const open = await merchant.openInvoice()
    const viewer = await signedIn(server, 'viewer')
    assert.doesNotMatch(await shown(viewer.get('/invoices')), /name="pick\./)
    const query = `do=void&pick.${open.id}=true`
    assert.equal((await viewer.get(`/invoices/-/bulk?${query}`)).status, 403)
    const sent = hiddenOf(await shown(reviewed('invoices', 'void', [open.id])))
    assert.equal(
      (await viewer.post('/invoices/-/bulk', { ...sent, csrf: viewer.csrf })).status,
      403,
    )
    const stranger = newMerchant(server, { call: await newBusiness(server) })
    const theirs = await stranger.openInvoice()
    assert.equal((await reviewed('invoices', 'void', [theirs.id])).status, 400)
    await person.post('/invoices/-/bulk', { ...sent, [`pick.${theirs.id}`]: 'true' })
    assert.equal((await stranger.readInvoice(theirs)).status, 'open')
    const none = await reviewed('invoices', 'void', [])
    assert.equal(none.status, 400)
    assert.match(textOf(none.html), /Select at least one/)
    assert.equal((await reviewed('invoices', 'edit', [open.id])).status, 303)
    assert.equal((await person.post('/invoices/-/bulk', { ...sent, key: 'x' })).status, 400)
  })
})
