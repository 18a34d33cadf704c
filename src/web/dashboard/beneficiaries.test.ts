/**
 * Goal: people save whom they pay, pay them by name, and say which accounts are their own. Method:
 * a team over HTTP, as browsers without scripts; then the API is asked what became of it.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  hiddenOf,
  type PageText,
  shown,
  signedIn,
  type Visitor,
} from '../../../test/support/dashboard.ts'
import { must, startServer, type TestServer } from '../../../test/support/harness.ts'

const textOf = (html: string): string => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

describe('beneficiaries at the dashboard', () => {
  let server: TestServer
  let admin: Visitor
  before(async () => {
    server = await startServer({ SANDBOX_DELAY: '1h' })
    await server.fund('ngn', 100_000_000)
    admin = await signedIn(server, 'admin', 'test', { secondFactor: false })
  })
  after(() => server.stop())

  /** Fills a form in, reads what will happen, and has it done. */
  const act = async (
    path: string,
    typed: Record<string, string>,
  ): Promise<{ review: string; end: PageText }> => {
    const form = hiddenOf(await shown(admin.get(path)))
    const review = await shown(
      admin.post(path.split('?')[0] as string, { ...form, ...typed, step: 'review' }),
    )
    const end = await admin.post(path.split('?')[0] as string, { ...hiddenOf(review), step: 'do' })
    return { review: textOf(review), end }
  }
  const account = (number: string) => ({
    'destination.bank_code': '058',
    'destination.account_number': number,
  })
  const limits = (beneficiary_cooling_off_hours: string) =>
    admin.post('/limits', {
      key: `page-${'0'.repeat(24)}${beneficiary_cooling_off_hours}`,
      step: 'do',
      approval_hours: '24',
      beneficiary_cooling_off_hours,
      payouts_by_key: 'beneficiaries',
    })

  it('are saved and paid by name, once their settings say how', async () => {
    assert.match((await limits('x')).html, /Type a whole number/)
    assert.equal((await limits('0')).status, 303)
    assert.equal((await must(server.call('GET', '/limits'))).payouts_by_key, 'beneficiaries')
    assert.doesNotMatch(await shown(admin.get('/payouts/-/new')), /to=saved/)

    const { review, end } = await act('/beneficiaries/-/new', {
      label: 'Okafor Supplies',
      ...account('0123456789'),
    })
    assert.match(review, /Destination: .* 0123456789 You can pay it at once\./)
    assert.equal(end.status, 303)
    const page = await shown(admin.get((end.location as string).replace(admin.base, '')))
    assert.match(textOf(page), /Okafor Supplies/)

    const [saved] = (await must(server.call('GET', '/beneficiaries'))).docs
    assert.match(
      await shown(admin.get('/payouts/-/new')),
      /to=saved[^>]*>Saved<.*to=ng" aria-current="page"/s,
    )
    const typed = { reference: 'by-name', amount: '1,000', currency: 'ngn', beneficiary: saved.id }
    const paid = await act('/payouts/-/new?to=saved', typed)
    assert.match(
      paid.review,
      new RegExp(`₦1,000\\.00 leaves .* Destination: ${saved.verified_name}`),
    )
    assert.equal(paid.end.status, 303)
    const payout = await must(server.call('GET', '/payouts/by-name'))
    assert.deepEqual([payout.beneficiary, payout.destination], [saved.id, saved.destination])
    assert.match(
      textOf(await shown(admin.get(`/beneficiaries/${saved.id}`))),
      /Payouts .*₦1,000\.00/,
    )

    const moved = await act(`/beneficiaries/${saved.id}/change`, account('0000000012'))
    assert.match(moved.review, /Payouts that are already in progress still go to the old account/)
    assert.equal(
      (await must(server.call('GET', `/beneficiaries/${saved.id}`))).destination.account_number,
      '0000000012',
    )
    const path = `/beneficiaries/${saved.id}/delete`
    const gone = await admin.post(path, { ...hiddenOf(await shown(admin.get(path))), step: 'do' })
    assert.match(gone.location ?? '', /\/beneficiaries\?done=/)
    assert.equal((await server.call('GET', `/beneficiaries/${saved.id}`)).status, 404)
  })

  it('say what is wrong beside the field', async () => {
    const answer = await admin.post('/beneficiaries/-/new', {
      label: 'No',
      ...account('0000000003'),
      step: 'review',
    })
    assert.equal(answer.status, 400)
    assert.match(
      answer.html,
      /id="f-destination-account_number-error">Guaranty Trust Bank knows no account/,
    )
  })

  it('are one’s own when who has just shown a second factor says so', async () => {
    const { end } = await act('/beneficiaries/-/new', {
      label: 'Ours',
      own: 'true',
      ...account('0123456789'),
    })
    const path = `${(end.location as string).replace(admin.base, '').split('?')[0]}/confirm`
    const review = await shown(admin.get(path))
    const refused = await admin.post(path, { ...hiddenOf(review), step: 'do' })
    assert.equal(refused.status, 403)
    assert.match(refused.html, /Sign in with a second factor .*<a href="\/dashboard\/account">/)
    const [{ person_id }] = (await server.app.db.query(
      `select person_id from person_sessions`,
    )) as [{ person_id: string }]
    await server.app.db.query(
      `update person_sessions set method = 'password_totp' where person_id = $1`,
      [person_id],
    )
    await server.app.db.query(
      `update persons set totp_secret = 'x', totp_confirmed_at = now() where id = $1`,
      [person_id],
    )
    const seen = hiddenOf(await shown(admin.get(path)))
    const [{ id }] = (await must(server.call('GET', '/beneficiaries?own=true'))).docs
    await act(`/beneficiaries/${id}/change`, account('0000000012'))
    const moved = await admin.post(path, { ...seen, step: 'do' })
    assert.equal(moved.status, 409)
    assert.match(textOf(moved.html), /was changed a moment ago: look at it first.*0000000012/)
    assert.equal((await must(server.call('GET', `/beneficiaries/${id}`))).confirmed_at, null)
    const done = await admin.post(path, { ...hiddenOf(moved.html), step: 'do' })
    assert.equal(done.status, 303)
    const [own] = (await must(server.call('GET', '/beneficiaries?own=true'))).docs
    assert.equal(own.confirmed_by, person_id)
    assert.doesNotMatch(await shown(admin.get(path.replace('/confirm', ''))), /Confirm as our own/)
  })
})
