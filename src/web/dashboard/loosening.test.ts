/**
 * Goal: at the dashboard a change that loosens is seen, confirmed by a second person, and canceled.
 * Method: forms over HTTP by two owners of live mode.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { hiddenOf, shown, signedIn, type Visitor } from '../../../test/support/dashboard.ts'
import { shareServer, type TestServer } from '../../../test/support/harness.ts'
import { randomText } from '../../lib/secrets.ts'

describe('pages of what loosens', () => {
  let server: TestServer
  let ada: Visitor
  let obi: Visitor
  before(async () => {
    server = await shareServer()
    ada = await signedIn(server, 'owner', 'live')
    obi = await signedIn(server, 'owner', 'live', { name: 'Obi Eze' })
  })
  after(() => server.stop())

  const textOf = (html: string): string => html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
  const save = async (who: Visitor, fields: Record<string, string>): Promise<string> => {
    const hours = {
      approval_hours: '24',
      beneficiary_cooling_off_hours: '24',
      payouts_by_key: 'any',
    }
    const { status, location } = await who.post('/limits', {
      key: `page-${randomText(24)}`,
      ...hours,
      ...fields,
    })
    assert.equal(status, 303)
    return shown(who.get(location as string))
  }
  const press = async (who: Visitor, step: string): Promise<string> => {
    const { change = '' } = hiddenOf(await shown(who.get('/limits')))
    const { status, location, html } = await who.post('/limits/pending', {
      key: `page-${randomText(24)}`,
      change,
      step,
    })
    return status === 303 ? shown(who.get(location as string)) : html
  }

  it('show a looser limit with who asked for it, which another owner confirms or cancels', async () => {
    await save(ada, { 'ngn.approve_above': '5000' })
    const asked = await save(ada, { 'ngn.approve_above': '8000', approval_hours: '48' })
    const text = textOf(asked)
    assert.match(text, /What is looser waits/)
    assert.match(text, /One payout without approval, at most \S*5,000\.00 \S*8,000\.00/)
    assert.match(text, /Hours that a payout waits 24 48/)
    assert.match(text, /Ada Okafor \(you\)/)
    assert.doesNotMatch(asked, />Confirm change</)
    assert.match(await press(ada, 'confirm'), /cannot approve it: it needs a second person/)
    assert.match(
      textOf(await shown(obi.get('/limits'))),
      /Requested by Ada Okafor .* Confirm change Cancel change/,
    )
    const confirmed = await press(obi, 'confirm')
    assert.match(confirmed, /You confirmed the change/)
    assert.match(confirmed, /value="8000\.00"[^>]* name="ngn.approve_above"/)
    assert.doesNotMatch(confirmed, /A change waits/)

    await save(ada, { 'ngn.approve_above': '' })
    assert.match(await press(ada, 'cancel'), /You canceled the change/)
    const viewer = await signedIn(server, 'viewer', 'live')
    await save(ada, { 'ngn.approve_above': '' })
    const seen = await shown(viewer.get('/limits'))
    assert.match(seen, /A change waits/)
    assert.doesNotMatch(seen, />(Confirm|Cancel) change</)
    assert.equal(
      (await viewer.post('/limits/pending', { key: `page-${randomText(24)}`, step: 'cancel' }))
        .status,
      403,
    )
  })

  it('show that nobody is to need a second factor any more, which another owner confirms or any cancels', async () => {
    const ask = (who: Visitor, required: string) => who.post('/team/second-factor', { required })
    const change = async () => hiddenOf(await shown(ada.get('/team'))).change ?? ''
    await ask(ada, 'yes')
    await ask(ada, 'no')
    const own = await shown(ada.get('/team'))
    assert.match(own, /Pending change: a second factor is no longer required/)
    assert.doesNotMatch(own, />Confirm change</)
    await ada.post('/team/second-factor/cancel', { change: await change() })
    assert.match(await shown(ada.get('/team')), /Required: members without a second factor/)
    await ask(ada, 'no')
    assert.match(await shown(obi.get('/team')), />Confirm change</)
    await obi.post('/team/second-factor/confirm', { change: await change() })
    assert.match(await shown(ada.get('/team')), /If you require it/)
  })
})
