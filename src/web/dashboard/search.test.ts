/**
 * Goal: one search finds records of all kinds, pages and actions, for whoever may see them; lists
 * have tabs for what is overdue, refunded and underpaid. Method: people over HTTP, as browsers
 * without scripts.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Merchant, must, newBusiness, newMerchant } from '../../../test/support/actors.ts'
import { shown, signedIn, type Visitor } from '../../../test/support/dashboard.ts'
import { bankPayout, shareServer, type TestServer } from '../../../test/support/harness.ts'

const textOf = (html: string): string => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
const foundIn = (html: string): string => textOf(html.slice(html.indexOf('<div id="found">')))

describe('search and tabs of the dashboard', () => {
  let server: TestServer
  let merchant: Merchant
  let person: Visitor
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server)
    person = await signedIn(server, 'owner')
    await server.fund('ngn', 100_000_000)
  })
  after(() => server.stop())

  const search = async (q: string, who = person): Promise<string> =>
    foundIn(await shown(who.get(`/search?q=${encodeURIComponent(q)}`)))

  it('finds records of all kinds by parts of references and last four digits', async () => {
    await merchant.openPayment({ reference: 'order-grace-17' })
    await merchant.payOut(bankPayout('wage-grace-11', 50_000))
    await merchant.addCustomer({ name: 'Grace Eze', email: 'grace@example.com' })
    const found = await search('grace')
    for (const part of ['Payments', 'order-grace-17', 'Payouts', 'wage-grace-11', 'Grace Eze'])
      assert.ok(found.includes(part), `${part}: ${found}`)
    const { destination } = await must(server.call('GET', '/payouts/wage-grace-11'))
    assert.match(await search(destination.account_number.slice(-4)), /wage-grace-11/)
    const card = await merchant.takePayment('card')
    const [attempt] = await server.app.db.query<{ last4: string }>(
      'select last4 from payment_attempts where payment_id = $1',
      [card.id],
    )
    const byCard = await must(server.call('GET', `/payments?search=${attempt?.last4 ?? '4242'}`))
    assert.equal(byCard.totalDocs, attempt ? 1 : 0)
    assert.match(await search('nothing has this'), /Nothing was found/)
    const stranger = await newBusiness(server)
    assert.equal((await must(stranger('GET', '/payouts?search=grace'))).totalDocs, 0)
  })

  it('finds pages and actions that the visitor may use', async () => {
    assert.match(await search('new inv'), /Pages and actions New invoice/)
    const viewer = await signedIn(server, 'viewer')
    assert.doesNotMatch(await search('new inv', viewer), /New invoice/)
    assert.match(await search('payouts', viewer), /Payouts/)
    assert.match(await shown(person.get('/payments')), /action="[^"]+\/search"/)
  })

  it('shows in tabs what is overdue, refunded and underpaid', async () => {
    const late = await merchant.openInvoice({ due_date: '2020-01-02' })
    const early = await merchant.openInvoice({ due_date: '2099-01-02' })
    const overdue = await shown(person.get('/invoices?overdue=true'))
    assert.ok(overdue.includes(late.id) && !overdue.includes(early.id))
    assert.match(overdue, /overdue=true" aria-current="page">Overdue/)
    const under = await merchant.openPayment()
    await merchant.simulate(under, 'underpaid', 'bank_transfer')
    const underpaid = await shown(person.get('/payments?variance=underpaid'))
    assert.match(underpaid, /1 payment</)
    assert.ok(underpaid.includes(under.id))
    const paid = await merchant.takePayment('card')
    assert.match(await shown(person.get('/payments?refunded=true')), /Nothing matches/)
    await must(merchant.refund(paid, { amount: 10_000 }))
    await merchant.refundsEnded(paid, 1)
    const refunded = await shown(person.get('/payments?refunded=true'))
    assert.ok(refunded.includes(paid.id))
    assert.match(refunded, /refunded=true" aria-current="page">Refunded/)
  })

  it('finds refunds, accounts and wallets by parts of references and last four digits', async () => {
    const paid = await merchant.takePayment('card')
    await must(merchant.refund(paid, { amount: 10_000, reference: 'back-to-ngozi-1' }))
    const customer = (await merchant.addCustomer()).id
    const account = await must(
      server.call('POST', '/virtual-accounts', {
        customer,
        currency: 'ngn',
        reference: 'ngozi-rent',
      }),
    )
    const wallet = await must(
      server.call('POST', '/crypto/wallets', { reference: 'till-of-ngozi' }),
    )
    const found = await search('ngozi')
    for (const part of ['back-to-ngozi-1', account.account_number, wallet.address.slice(0, 6)])
      assert.ok(found.includes(part), `${part}: ${found}`)
    assert.match(await search(account.account_number.slice(-4)), new RegExp(account.account_number))
    const byEnd = await must(
      server.call('GET', `/crypto/wallets?search=${wallet.address.slice(-6)}`),
    )
    assert.deepEqual(
      byEnd.docs.map(({ id }: { id: string }) => id),
      [wallet.id],
    )
    const stranger = await newBusiness(server)
    for (const list of ['refunds', 'virtual-accounts', 'crypto/wallets'])
      assert.equal((await must(stranger('GET', `/${list}?search=ngozi`))).totalDocs, 0)
  })
})
