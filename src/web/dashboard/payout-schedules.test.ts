/**
 * Goal: a person sets up a standing payout, sees what it will do, pauses and resumes it by a press,
 * and is told at home when it cannot pay. Method: a person without scripts, over HTTP, and the test
 * clock.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { confirmOwn, keyWith, ownAccount } from '../../../test/support/approvers.ts'
import {
  hiddenOf,
  type PageText,
  shown,
  signedIn,
  type Visitor,
} from '../../../test/support/dashboard.ts'
import { type Json, must, shareServer, type TestServer } from '../../../test/support/harness.ts'

const textOf = (page: string): string =>
  page
    .replaceAll(/<svg.*?<\/svg>/gs, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')

describe('standing payouts at the dashboard', () => {
  let server: TestServer
  let ada: Visitor
  let account: Json
  before(async () => {
    server = await shareServer()
    await server.fund('ngn', 10_000_000)
    const manager = await keyWith(server, ['manage'])
    await must(manager.call('PUT', '/limits', { beneficiary_cooling_off_hours: 0 }))
    account = await ownAccount(server)
    ada = await signedIn(server, 'finance')
  })
  after(() => server.stop())

  /** Looks at what will happen, and confirms it. */
  async function act(
    path: string,
    typed: Record<string, string>,
  ): Promise<{ review: string; end: PageText }> {
    const review = await shown(
      ada.post(path, { ...hiddenOf(await shown(ada.get(path))), ...typed, step: 'review' }),
    )
    return {
      review: textOf(review),
      end: await ada.post(path, { ...hiddenOf(review), ...typed, step: 'do' }),
    }
  }
  const press = async (path: string): Promise<PageText> =>
    ada.post(path, { ...hiddenOf(await shown(ada.get(path))), step: 'do' })
  const only = async (): Promise<Json> =>
    (await must(server.call('GET', '/payout-schedules'))).docs[0]

  it('are set up with what will happen, run, and are shown with what is ahead and what was', async () => {
    const form = await shown(ada.get('/payout-schedules/-/new?interval=weekly'))
    assert.match(form, /<option value="friday">Friday/)
    assert.match(form, new RegExp(`<option value="${account.id}">Our account: `))
    const typed = {
      currency: 'ngn',
      beneficiary: account.id,
      weekday: 'friday',
      time: '06:30',
      keep: '40,000',
    }
    const { review, end } = await act('/payout-schedules/-/new?interval=weekly', {
      ...typed,
      minimum: '1,000',
    })
    assert.match(review, /above ₦40,000\.00 is paid out/)
    assert.match(review, /If it ran now, ₦60,000\.00 would be paid out, and ₦40,000\.00 would stay/)
    assert.match(review, /Next runs: .+; .+; .+\./)
    assert.equal(end.status, 303)
    const made = await only()
    assert.deepEqual(
      [made.weekday, made.time, made.keep, made.minimum, made.maximum, made.description],
      ['friday', '06:30', 4_000_000, 100_000, null, null],
    )
    const page = textOf(await shown(ada.get((end.location as string).replace(ada.base, ''))))
    assert.match(
      page,
      /Every Friday at 06:30 .*Goes to Our account .*Runs ahead .*a run would pay ₦60,000\.00/,
    )
    assert.match(textOf(await shown(ada.get(''))), /Standing payout: ₦60,000\.00 at /)
    await must(server.call('POST', '/test/clock', { advance: '7d' }))
    const after = await shown(ada.get(`/payout-schedules/${made.id}`))
    assert.match(after, new RegExp(`/payouts/schedule-${made.id}-`))
    assert.match(textOf(after), /Runs so far .*₦60,000\.00/)
  })

  it('are paused and resumed by a press, and changed', async () => {
    const { id } = await only()
    const path = `/payout-schedules/${id}`
    assert.match(textOf(await shown(ada.get(`${path}/pause`))), /The run of .+ is skipped/)
    assert.equal((await press(`${path}/pause`)).status, 303)
    assert.equal((await only()).status, 'paused')
    assert.match(textOf(await shown(ada.get(`${path}/resume`))), /Next run: .+ Destination: /)
    assert.equal((await press(`${path}/resume`)).status, 303)
    assert.equal((await only()).status, 'active')
    const form = await shown(ada.get(`${path}/change?interval=monthly`))
    assert.match(form, /name="keep"[^>]*>|value="40000\.00"/)
    const typed = {
      interval: 'monthly',
      beneficiary: account.id,
      day: '31',
      time: '07:00',
      keep: '',
      maximum: '500',
    }
    const { review, end } = await act(`${path}/change?interval=monthly`, typed)
    assert.match(review, /If it ran now, ₦500\.00 would be paid out/)
    assert.equal(end.status, 303)
    const changed = await only()
    assert.deepEqual(
      [changed.interval, changed.day, changed.keep, changed.maximum],
      ['monthly', 31, 0, 50_000],
    )
    const wrong = await ada.post(`${path}/change`, { ...typed, day: '32', step: 'review' })
    assert.equal(wrong.status, 422)
    assert.match(wrong.html, /id="f-day-error"/)
  })

  it('are named at home when where they go was changed', async () => {
    await must(
      server.call('PATCH', `/beneficiaries/${account.id}`, {
        destination: { bank_code: '058', account_number: '0000000011' },
      }),
    )
    assert.match(
      textOf(await shown(ada.get(''))),
      /Standing payouts that need attention .*Confirm the beneficiary/,
    )
    await must(server.call('POST', '/test/clock', { advance: '31d' }))
    const { id, status } = await only()
    assert.equal(status, 'paused')
    assert.match(textOf(await shown(ada.get(`/payout-schedules/${id}`))), /Why it is paused/)
    const refused = await press(`/payout-schedules/${id}/resume`)
    assert.equal(refused.status, 400)
    assert.match(refused.html, /must confirm at the dashboard/)
    await confirmOwn(server, account.id)
    assert.equal((await press(`/payout-schedules/${id}/resume`)).status, 303)
    assert.doesNotMatch(textOf(await shown(ada.get(''))), /has to look at/)
    assert.match(
      (await press(`/payout-schedules/${id}/delete`)).location ?? '',
      /\/payout-schedules\?done=/,
    )
    assert.match(textOf(await shown(ada.get('/payout-schedules'))), /No standing payouts yet/)
    const again = await must(
      server.call('POST', '/payout-schedules', {
        currency: 'ngn',
        beneficiary: account.id,
        interval: 'daily',
      }),
    )
    await must(server.call('DELETE', `/beneficiaries/${account.id}`))
    assert.match(
      textOf(await shown(ada.get(`/payout-schedules/${again.id}`))),
      /Its beneficiary was deleted/,
    )
    assert.match(textOf(await shown(ada.get(''))), /Its beneficiary was deleted/)
  })
})
