/**
 * Goal: who may manage finds out who changed what, from where, and reads what it was before.
 * Method: changes over HTTP, by keys and by people, read at the pages.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Merchant, newBusiness, newMerchant } from '../../../test/support/actors.ts'
import { hiddenOf, shown, signedIn, type Visitor } from '../../../test/support/dashboard.ts'
import { shareServer, type TestServer } from '../../../test/support/harness.ts'

const rowsOf = (html: string): number => (html.match(/<tr>/g)?.length ?? 1) - 1
const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(' :', ':')
    .replaceAll('&#39;', "'")

describe('the pages of the audit log', () => {
  let server: TestServer
  let merchant: Merchant
  let owner: Visitor
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server)
    owner = await signedIn(server)
    const { id } = await merchant.create('/webhooks', { url: 'https://8.8.8.8/hook' })
    await merchant.ask('PUT', `/webhooks/${id}`, { url: 'https://8.8.8.8/other', active: false })
    await merchant.ask('PUT', '/limits', {
      currencies: [{ currency: 'ngn', approve_above: 500_000_000 }],
      approval_hours: 48,
    })
    await merchant.ask('PUT', '/business', {
      address: { line1: '12 Allen Avenue', city: 'Ikeja', country: 'ng' },
      tax_id: `<script>alert('x')</script>`,
    })
  })
  after(() => server.stop())

  const entryOf = async (action: string): Promise<string> => {
    const [entry] = (await merchant.ask('GET', `/audit?action=${action}`)).docs
    return shown(owner.get(`/audit-log/${entry.id}`))
  }

  it('filters by action and time', async () => {
    const all = await shown(owner.get('/audit-log'))
    assert.match(all, /aria-current="page">Audit log<\/a>/)
    const { totalDocs } = await merchant.ask('GET', '/audit')
    assert.equal(rowsOf(all), totalDocs)
    assert.match(textOf(all), /Webhook changed .* URL, Active/)
    const changed = await shown(owner.get('/audit-log?action=webhook.changed'))
    assert.equal(rowsOf(changed), 1)
    assert.match(changed, /<option value="webhook.changed" selected>Webhook changed<\/option>/)
    assert.equal(rowsOf(await shown(owner.get('/audit-log?from=2020-01-01'))), totalDocs)
    const none = await shown(owner.get('/audit-log?from=2020-01-01&to=2020-01-31'))
    assert.match(none, /Nothing matches these filters/)
    const wrong = await owner.get('/audit-log?to=2026-13-45')
    assert.equal(wrong.status, 400)
    assert.match(wrong.html, /id="f-to-error">to must be/)
  })

  it('shows who did it, from where, and what it was before, for people to read', async () => {
    const webhook = await entryOf('webhook.changed')
    assert.match(textOf(webhook), /Who The key sk_test_\S+ From \S*127\.0\.0\.1/)
    assert.match(webhook, new RegExp(`href="${owner.base}/keys/[0-9a-f]{24}"`))
    assert.match(webhook, new RegExp(`href="${owner.base}/webhooks/[0-9a-f]{24}"`))
    const changes =
      /Field Before After .*URL https:\/\/8\.8\.8\.8\/hook https:\/\/8\.8\.8\.8\/other .*Active Yes No/
    assert.match(textOf(webhook), changes)
    const limits = textOf(await entryOf('limits.changed'))
    assert.match(limits, /Approve above: – .*Approve above: ₦5,000,000\.00/)
    assert.match(limits, /Approval hours 24 48/)
    const business = await entryOf('business.changed')
    assert.match(textOf(business), /Address – .*City: Ikeja Line1: 12 Allen Avenue Country: ng/)
    assert.doesNotMatch(business, /<script>alert/)
    const made = textOf(await entryOf('webhook.created'))
    assert.match(made, /Field After /)
    assert.doesNotMatch(made, /Before/)
  })

  it('names the person who did it', async () => {
    const form = await shown(owner.get('/keys/-/new'))
    const typed = { name: 'Till', 'scopes.read': 'true', step: 'do' }
    await owner.post('/keys/-/new', { ...hiddenOf(form), ...typed })
    assert.match(textOf(await entryOf('key.created')), /Who owner\.\w+@shop\.example From/)
  })

  it('filters by person, by key and by day, and gives that as a file', async () => {
    const [person] = (await merchant.ask('GET', '/audit?action=key.created')).docs
    const [key] = (await merchant.ask('GET', '/audit?action=limits.changed')).docs
    const all = await shown(owner.get('/audit-log'))
    assert.match(all, new RegExp(`<option value="${person.actor.id}">${person.actor.hint}<`))
    assert.match(all, new RegExp(`<option value="${key.actor.id}">${key.actor.hint} `))
    const mine = await shown(owner.get(`/audit-log?actor=${person.actor.id}`))
    assert.equal(rowsOf(mine), 1)
    assert.match(mine, new RegExp(`<option value="${person.actor.id}" selected>`))
    const { totalDocs } = await merchant.ask('GET', `/audit?actor=${key.actor.id}`)
    const today = key.created_at.slice(0, 10)
    assert.equal(
      rowsOf(await shown(owner.get(`/audit-log?actor=${key.actor.id}&from=${today}&to=${today}`))),
      totalDocs,
    )
    const [, file = assert.fail(mine)] = /href="([^"]+export[^"]+)"/.exec(mine) ?? []
    const lines = (await owner.get(file.replaceAll('&amp;', '&'))).html.trimEnd().split('\r\n')
    assert.match(
      lines[0] as string,
      /^id,created_at,action,actor_type,actor_id,actor_hint,address,subject,before,after,/,
    )
    assert.equal(lines.length, 2)
    assert.match(lines[1] as string, /,key\.created,person,[0-9a-f]{24},owner\.\w+@shop\.example,/)
    assert.match(lines[1] as string, /""name"":""Till""/)
    const gone = await shown(owner.get(`/audit-log?actor=${'0'.repeat(24)}`))
    assert.match(gone, /Nothing matches these filters/)
    await merchant.isRefused('GET', '/audit?actor=nobody', undefined, 422, 'validation_failed')
  })

  it('has who paid out, refunded, voided, canceled or deleted, whatever the amount', async () => {
    await server.fund('ngn', 10_000_000)
    const limits = { currencies: [{ currency: 'ngn', approve_above: 4_999 }] }
    await merchant.ask('PUT', '/limits', limits)
    const paid = await merchant.takePayment('card')
    const act = async (path: string, typed: Record<string, string> = {}): Promise<void> => {
      const form = await shown(owner.get(path))
      const { status, html } = await owner.post(path, { ...hiddenOf(form), ...typed, step: 'do' })
      assert.equal(status, 303, textOf(html))
    }
    const customer = await merchant.addCustomer()
    const voided = await merchant.openInvoice()
    const draft = await merchant.draftInvoice()
    const pending = await merchant.openPayment()
    const destination = {
      'destination.bank_code': '058',
      'destination.account_number': '0123456789',
    }
    const payout = { currency: 'ngn', amount: '50', reference: 'small', to: 'ng', ...destination }
    await act('/payouts/-/new', payout)
    await act('/payouts/small/cancel')
    await act(`/payments/${paid.id}/refund`, { amount: '10' })
    await act(`/payments/${pending.id}/cancel`)
    await act(`/invoices/${voided.id}/void`)
    await act(`/invoices/${draft.id}/delete`)
    await act(`/customers/${customer.id}/delete`)
    for (const action of [
      'payout.created',
      'payout.canceled',
      'refund.created',
      'payment.canceled',
      'invoice.voided',
      'invoice.deleted',
      'customer.deleted',
    ]) {
      const { docs } = await merchant.ask('GET', `/audit?action=${action}`)
      assert.deepEqual([docs.length, docs[0]?.actor.type], [1, 'person'], action)
    }
    const text = textOf(await shown(owner.get('/payouts/small')))
    assert.match(text, /Created by Ada Okafor \(you\) Canceled by Ada Okafor \(you\)/)
    assert.match(text, /Payout canceled by Ada Okafor/)
    assert.match(textOf(await entryOf('payout.created')), /Amount ₦50\.00/)
    const [refund] = (await merchant.ask('GET', `/refunds?payment=${paid.id}`)).docs
    assert.match(textOf(await shown(owner.get(`/refunds/${refund.id}`))), /Created by Ada Okafor/)
    const byKey = { bank_code: '058', account_number: '0123456789' }
    const order = { currency: 'ngn', method: 'bank_transfer', destination: byKey }
    await merchant.payOut({ ...order, reference: 'by-key', amount: 5_000 })
    assert.match(textOf(await shown(owner.get('/payouts/by-key'))), /Created by The key sk_test_/)
  })

  it('is shown to who may manage alone, of this mode and business', async () => {
    const [entry] = (await merchant.ask('GET', '/audit')).docs
    for (const role of ['viewer', 'support', 'finance'] as const) {
      const person = await signedIn(server, role)
      for (const path of ['/audit-log', `/audit-log/${entry.id}`])
        assert.equal((await person.get(path)).status, 403, `${role} ${path}`)
      assert.doesNotMatch(await shown(person.get('')), /Audit log/)
    }
    const stranger = newMerchant(server, { call: await newBusiness(server) })
    await stranger.create('/webhooks', { url: 'https://8.8.8.8/theirs' })
    const [theirs] = (await stranger.ask('GET', '/audit')).docs
    assert.equal((await owner.get(`/audit-log/${theirs.id}`)).status, 404)
    assert.equal(
      (await (await signedIn(server, 'owner', 'live')).get(`/audit-log/${entry.id}`)).status,
      404,
    )
    assert.equal(
      (await server.call('GET', `/audit/${entry.id}`)).status,
      404,
      'the API has a list alone',
    )
  })
})
