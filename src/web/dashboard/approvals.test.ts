/**
 * Goal: what is above a limit goes out when a second person says so at the dashboard, once, and
 * never by who made it. Method: people of one team over HTTP, as browsers without scripts; then the
 * API is asked what became of it.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { keyWith } from '../../../test/support/approvers.ts'
import {
  hiddenOf,
  type PageText,
  shown,
  signedIn,
  type Visitor,
} from '../../../test/support/dashboard.ts'
import { bankPayout, must, shareServer, type TestServer } from '../../../test/support/harness.ts'
import { randomText } from '../../lib/secrets.ts'
import { rightsOf, roles } from '../../platform/team/team.ts'

const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&#39;', '’')

/** What a page makes for its form. */
const newKey = (): string => `page-${randomText(24)}`

describe('approvals at the dashboard', () => {
  let server: TestServer
  let maker: Visitor
  let boss: Visitor
  let number = 0
  before(async () => {
    server = await shareServer({ SANDBOX_DELAY: '1h' })
    await server.fund('ngn', 100_000_000)
    maker = await signedIn(server, 'finance', 'test')
    boss = await signedIn(server, 'admin', 'test', { name: 'Obi Eze' })
  })
  after(() => server.stop())

  const send = (
    who: Visitor,
    path: string,
    html: string,
    typed: Record<string, string>,
  ): Promise<PageText> => who.post(path, { ...hiddenOf(html), ...typed })
  const read = (reference: string) => must(server.call('GET', `/payouts/${reference}`))

  /** Sends a form, then its confirmation. */
  const confirm = async (who: Visitor, path: string): Promise<PageText> =>
    send(who, path, await shown(who.get(path)), { step: 'do' })

  /** A payout that a person makes by hand. */
  const pay = async (
    who: Visitor,
    amount = '1,000',
  ): Promise<{ reference: string; review: string; page: string }> => {
    const reference = `hand-${++number}`
    const path = '/payouts/-/new'
    const typed = {
      reference,
      amount,
      currency: 'ngn',
      step: 'review',
      'destination.bank_code': '058',
      'destination.account_number': '0123456789',
    }
    const review = await shown(send(who, path, await shown(who.get(path)), typed))
    const { location } = await send(who, path, review, { step: 'do' })
    return {
      reference,
      review: textOf(review),
      page: textOf(await shown(who.get(location ?? assert.fail()))),
    }
  }

  it('sets limits by amounts as people write them, and says what is wrong beside the field', async () => {
    const form = await shown(boss.get('/limits'))
    const wrong = await send(boss, '/limits', form, {
      'ngn.approve_above': 'much',
      approval_hours: '24',
    })
    assert.equal(wrong.status, 422)
    assert.match(wrong.html, /id="f-ngn-approve_above-error">Type an amount/)
    assert.match(wrong.html, /value="much"/)
    const never = await send(boss, '/limits', form, { approval_hours: '1000' })
    assert.match(never.html, /id="f-approval_hours-error">/)
    const saved = await send(boss, '/limits', form, {
      'ngn.approve_above': '500',
      approval_hours: '12',
    })
    assert.equal(saved.location, `${boss.base}/limits?done=saved`)
    const { currencies, approval_hours } = await must(server.call('GET', '/limits'))
    assert.deepEqual(
      [currencies[0].approve_above, currencies[0].approve_above_daily, approval_hours],
      [50_000, null, 12],
    )
    assert.match(await shown(boss.get('/limits?done=saved')), /value="500\.00"/)
    assert.match(
      textOf(await shown(maker.get('/limits'))),
      /at most ₦500\.00/,
      'who may not change them reads them',
    )
  })

  it('has a payout approved by somebody else, who sees in numbers what will happen; a double click does it once', async () => {
    const { reference, review, page } = await pay(maker)
    assert.match(
      review,
      /It is more than ₦500\.00, so it waits until someone else approves it, for at most 12 hours/,
    )
    assert.match(page, /It is sent when someone else approves it/)
    assert.match(page, /You made this payout, so someone else in your team has to approve it/)
    const path = `/payouts/${reference}/approve`
    const said = await shown(boss.get(path))
    assert.match(textOf(said), /₦1,000\.00 is sent, by 1 payout\. Your wallets hold it already/)
    assert.match(textOf(said), /Of that, ₦[\d.,]+ arrives, after a fee of ₦[\d.]+/)
    assert.match(
      textOf(said),
      /Made by: Ada Okafor \. It waits because it is above your limit for one payout\. Unless someone decides by/,
    )
    const twice = await Promise.all([
      send(boss, path, said, { step: 'do' }),
      send(boss, path, said, { step: 'do' }),
    ])
    for (const { location } of twice)
      assert.equal(location, `${boss.base}/payouts/${reference}?done=approve`)
    assert.equal((await read(reference)).approval, 'approved')
    const after = textOf(await shown(boss.get(`/payouts/${reference}?done=approve`)))
    assert.match(
      after,
      /You have approved the payout.*Made by Ada Okafor Approved by Obi Eze \(you\)/,
    )
    assert.match(
      after,
      /What happened.*A second person has to approve the payout.*Approved by Obi Eze \(you\)/,
    )
    assert.match(after, /Payout approved by Obi Eze \(you\)/)
    const { docs } = await must(server.call('GET', '/audit?action=payout.approved'))
    assert.equal(docs.length, 1)
  })

  it('lets nobody approve what they made: neither button nor form, by hand or by a key of theirs', async () => {
    const { reference } = await pay(maker)
    const page = await shown(maker.get(`/payouts/${reference}`))
    assert.doesNotMatch(page, /\/approve"|\/refuse"/)
    assert.match(page, /\/cancel"/, 'but take it back')
    assert.equal(
      (await maker.get(`/payouts/${reference}/approve`)).location,
      `${maker.base}/payouts/${reference}`,
    )
    const forged = await maker.post(`/payouts/${reference}/approve`, { key: newKey(), step: 'do' })
    assert.match(textOf(forged.html), /made/)
    assert.equal(forged.status, 403)
    const many = await maker.post('/approvals', {
      [`pick.${reference}`]: 'true',
      decision: 'approve',
      key: newKey(),
      step: 'do',
    })
    assert.match(textOf(many.html), new RegExp(`These stay as they were: ${reference}`))
    assert.equal((await read(reference)).approval, 'waiting')

    const [found] = await server.app.db.query(
      `select person_id from memberships where business_id = $1 and role = 'finance'`,
      [server.businessId],
    )
    const payer = await keyWith(server, ['payout'], String(found?.person_id))
    await must(payer.call('POST', '/payouts', bankPayout('by-key', 100_000)))
    const refused = await confirm(maker, '/payouts/by-key/approve')
    assert.equal(refused.status, 403)
    assert.match(textOf(refused.html), /The key sk_test_…\w+ \./)
    assert.equal(
      (await confirm(boss, '/payouts/by-key/refuse')).location,
      `${boss.base}/payouts/by-key?done=refuse`,
    )
    const { status, approval } = await read('by-key')
    assert.deepEqual([status, approval], ['canceled', 'refused'])
    assert.equal((await confirm(maker, `/payouts/${reference}/cancel`)).status, 303)
  })

  it('decides several at once, and names those that stay', async () => {
    const references = []
    for (const amount of ['1,000', '2,000', '3,000'])
      references.push((await pay(maker, amount)).reference)
    const [one = '', two = '', three = ''] = references
    const list = await shown(boss.get('/approvals'))
    for (const reference of references) assert.match(list, new RegExp(`name="pick.${reference}"`))
    assert.doesNotMatch(
      await shown(maker.get('/approvals')),
      /pick\./,
      'who made them chooses none',
    )
    assert.match(
      (await send(boss, '/approvals', list, { decision: 'approve' })).html,
      /Choose at least one/,
    )
    const picks = { [`pick.${one}`]: 'true', [`pick.${two}`]: 'true' }
    const review = await shown(send(boss, '/approvals', list, { ...picks, decision: 'approve' }))
    assert.match(textOf(review), /₦3,000\.00 is sent, by 2 payouts\. Your wallets hold it already/)
    assert.equal((await read(one)).approval, 'waiting', 'nothing is done yet')
    // Somebody else was faster with one of them.
    assert.equal((await confirm(boss, `/payouts/${two}/refuse`)).status, 303)
    for (const done of [
      await send(boss, '/approvals', review, { step: 'do' }),
      await send(boss, '/approvals', review, { step: 'do' }),
    ]) {
      assert.match(textOf(done.html), /1 payout of ₦1,000\.00 is approved/)
      assert.match(
        textOf(done.html),
        new RegExp(`These stay as they were: ${two} : The payout waits for no approval`),
      )
    }
    assert.deepEqual(await Promise.all(references.map(async (of) => (await read(of)).approval)), [
      'approved',
      'refused',
      'waiting',
    ])
    const found = await shown(boss.get('/payouts?approval=waiting'))
    assert.match(found, new RegExp(`/payouts/${three}"`))
    assert.doesNotMatch(found, new RegExp(`/payouts/${one}"`))
    assert.match(textOf(found), /Waits for approval/)
  })

  it('lets roles decide, and change limits, as they have the right', async () => {
    for (const role of roles) {
      const person = await signedIn(server, role)
      const { base } = person
      for (const mode of ['test', 'live'] as const) {
        const rights = rightsOf(role, mode === 'live')
        const at = (path: string): string => base.replace(/test$/, mode) + path
        const decided = await person.post(at('/approvals'), {
          'pick.none': 'true',
          decision: 'refuse',
          key: newKey(),
          step: 'do',
        })
        assert.equal(
          decided.status,
          rights.includes('approve') ? 200 : 403,
          `${role} ${mode} approvals`,
        )
        const changed = await person.post(at('/limits'), {
          key: newKey(),
          approval_hours: '24',
          'ngn.approve_above': '500',
        })
        assert.equal(
          changed.status,
          rights.includes('limits') ? 303 : 403,
          `${role} ${mode} limits`,
        )
        for (const path of ['/approvals', '/limits']) {
          const html = await shown(person.get(at(path)))
          if (path === '/limits')
            assert.equal(html.includes('name="approval_hours"'), rights.includes('limits'), role)
        }
      }
    }
  })

  it('refuses who lost the role in the middle, and a form of another site', async () => {
    const { reference } = await pay(maker)
    const path = `/payouts/${reference}/approve`
    const hidden = hiddenOf(await shown(boss.get(path)))
    const list = hiddenOf(await shown(boss.get('/approvals')))
    const strange = { 'sec-fetch-site': 'cross-site' }
    assert.equal((await boss.post(path, { ...hidden, step: 'do' }, strange)).status, 400)
    assert.equal(
      (await boss.post('/limits', { ...hidden, approval_hours: '720' }, strange)).status,
      400,
    )
    await server.app.db.query(
      `update memberships set role = 'viewer' where business_id = $1 and role = 'admin'`,
      [server.businessId],
    )
    assert.equal((await boss.post(path, { ...hidden, step: 'do' })).status, 403)
    const picked = {
      ...list,
      [`pick.${reference}`]: 'true',
      decision: 'approve',
      step: 'do',
      key: hidden.key ?? '',
    }
    assert.equal((await boss.post('/approvals', picked)).status, 403)
    assert.equal((await read(reference)).approval, 'waiting')
  })
})
