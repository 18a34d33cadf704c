/**
 * Goal: what was done and can be undone is undone by one button of the message that says so,
 * without scripts. Method: each pair of actions over HTTP; records are read by the API.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Merchant, newMerchant } from '../../../test/support/actors.ts'
import { hiddenOf, shown, signedIn, type Visitor } from '../../../test/support/dashboard.ts'
import { shareServer, type TestServer } from '../../../test/support/harness.ts'
import { resources } from './resources.ts'

/** The message on a page, with its form. */
const toastOf = (html: string): string =>
  /<div class="notice good toast" role="status">.*?<a href="[^"]+" aria-label="Close this message">/s.exec(
    html,
  )?.[0] ?? ''

describe('undoing what was done', () => {
  let server: TestServer
  let merchant: Merchant
  let owner: Visitor
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server)
    owner = await signedIn(server)
  })
  after(() => server.stop())

  const press = async (path: string, action: string): Promise<string> => {
    const form = await shown(owner.get(`${path}/${action}`))
    const { location } = await owner.post(`${path}/${action}`, { ...hiddenOf(form), step: 'do' })
    return shown(owner.get(location ?? ''))
  }
  const undo = async (html: string, fields: Record<string, string> = {}) => {
    const toast = toastOf(html)
    const [, action = ''] = /action="([^"]+)"/.exec(toast) ?? []
    assert.match(toast, /<button class="second" name="step" value="do">Undo<\/button>/)
    return owner.post(action, { ...hiddenOf(toast), step: 'do', ...fields })
  }

  const makes: Record<string, () => Promise<{ id: string }>> = {
    products: () => merchant.addProduct(),
    collections: () => merchant.create('/collections', { name: 'Gifts', currency: 'ngn' }),
    distributions: () =>
      merchant.create('/distributions', {
        name: 'Half',
        currency: 'ngn',
        shares: [{ name: 'Obi', percentage_bps: 5_000 }],
      }),
    webhooks: () =>
      merchant.create('/webhooks', { url: 'https://shop.example/hook', events: ['*'] }),
  }
  const pairs = resources.flatMap(({ path, actions }) =>
    actions.flatMap(({ name, undo }) => (undo === undefined ? [] : [{ path, name, undo }])),
  )

  it('is offered for both actions of each pair, and every pair is tried here', () => {
    for (const { path, name, undo } of pairs)
      assert.ok(pairs.some((one) => one.path === path && one.name === undo && one.undo === name))
    assert.deepEqual([...new Set(pairs.map(({ path }) => path))].sort(), Object.keys(makes).sort())
  })

  for (const [path, make] of Object.entries(makes))
    it(`puts ${path} back, and can be undone itself`, async () => {
      const { id } = await make()
      const stateOf = async () => {
        const { active, status } = await merchant.ask('GET', `/${path}/${id}`)
        return active ?? status
      }
      const at = `/${path}/${id}`
      const first = await stateOf()
      const off = pairs.find(
        (one) => one.path === path && /^(archive|pause|deactivate)$/.test(one.name),
      )
      const done = await press(at, off?.name ?? '')
      const second = await stateOf()
      assert.notEqual(second, first)
      const { status, location } = await undo(done)
      assert.deepEqual([status, location], [303, `${owner.base}${at}?done=${off?.undo}`])
      assert.equal(await stateOf(), first)
      assert.equal((await undo(await shown(owner.get(location ?? '')))).status, 303)
      assert.equal(await stateOf(), second)
    })

  it('is not offered once the record has moved on, or to who may not do it', async () => {
    const { id } = await merchant.addProduct()
    const at = `/products/${id}`
    const done = await press(at, 'archive')
    assert.match(toastOf(done), /Product archived\./)
    const viewer = await signedIn(server, 'viewer')
    const seen = toastOf(await shown(viewer.get(`${at}?done=archive`)))
    assert.match(seen, /Product archived\./)
    assert.doesNotMatch(seen, /Undo/)
    await merchant.ask('PATCH', `${at}/unarchive`)
    assert.doesNotMatch(toastOf(await shown(owner.get(`${at}?done=archive`))), /Undo/)
  })

  it('needs the session’s own form, and acts once however often it is sent', async () => {
    const { id } = await merchant.addProduct()
    const done = await press(`/products/${id}`, 'archive')
    const read = async () => (await merchant.ask('GET', `/products/${id}`)).active
    assert.equal((await undo(done, { csrf: 'forged' })).status, 400)
    assert.equal(await read(), false)
    assert.equal((await undo(done)).status, 303)
    await merchant.ask('PATCH', `/products/${id}/archive`)
    assert.equal((await undo(done)).status, 303)
    assert.equal(await read(), false)
  })
})
