/**
 * Goal: reloading or going back from the answer to a form sends nothing again and loses nothing:
 * a secret is made once. Method: a real browser reloads the pages that show a secret once, with
 * scripts and without, and the page of a sign-in that failed.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestServer } from '../support/harness.ts'
import { goodPassword, withPassword } from '../support/people.ts'
import { newPayer, startWorkingServer } from './browser.ts'
import { newPerson, says } from './dashboard.ts'

describe('the answer to a form, reloaded', { concurrency: 1 }, () => {
  let server: TestServer
  before(async () => {
    server = await startWorkingServer()
  })
  after(() => server.stop())

  const keys = async (): Promise<number> =>
    (await server.app.db.query('select from api_keys')).length

  for (const script of [true, false])
    it(`makes one key, and shows it once, ${script ? 'with' : 'without'} scripts`, async () => {
      const person = await newPerson(server, 'desktop', 'owner', script)
      const { page } = person
      page.setDefaultTimeout(15_000)
      const count = await keys()
      await person.open('/keys/-/new')
      await page.getByLabel('What it is for').fill('till')
      await page.locator('[name="scopes.read"]').check()
      await person.button('Create key')
      const secret = await page
        .getByText(/sk_test_\w{20,}/)
        .first()
        .innerText()
      const asked: string[] = []
      page.on('request', (request) => {
        if (request.isNavigationRequest()) asked.push(request.method())
      })
      await page.reload()
      await says(page, script ? 'till' : 'This was done, and its secret was shown then.')
      assert.deepEqual(asked, [script ? 'GET' : 'POST'])
      assert.ok(!(await page.content()).includes(secret))
      assert.equal(await keys(), count + 1)
      await person.leave()
    })

  it('keeps a link to join as it was shown', async () => {
    const person = await newPerson(server, 'desktop', 'owner')
    const { page } = person
    page.setDefaultTimeout(15_000)
    await person.open('/team/invite')
    await page.getByLabel('Email address').fill('new@example.com')
    await person.button('Create a link')
    const link = await page
      .getByText(/\/dashboard\/invite\//)
      .first()
      .innerText()
    await page.reload()
    await says(page, 'new@example.com')
    const joining = await newPayer('desktop', { friends: [server.url] })
    await joining.page.goto(link)
    await says(joining.page, 'new@example.com')
    await joining.leave()
    await person.leave()
  })

  it('lets a person sign in after a wrong password, a reload and a way back', async () => {
    const { email } = await withPassword(server)
    const payer = await newPayer('desktop', { friends: [server.url] })
    const { page } = payer
    page.setDefaultTimeout(15_000)
    payer.expectErrors(/422/)
    const at = '/dashboard/sign-in?next=%2Fdashboard%2Faccount'
    await page.goto(server.url + at)
    const tryIt = async (text: string): Promise<void> => {
      await page.getByLabel('Email address').fill(email)
      await page.getByLabel('Password').fill(text)
      await payer.press(page.getByRole('button', { name: 'Sign in', exact: true }))
    }
    await tryIt('wrong password')
    await page.getByRole('alert').waitFor()
    assert.equal(await page.getByLabel('Email address').inputValue(), email)
    await page.reload()
    assert.ok(page.url().endsWith(at), page.url())
    assert.equal(await page.getByRole('alert').count(), 0)
    await tryIt('wrong password')
    await page.getByRole('alert').waitFor()
    await tryIt(goodPassword)
    await says(page, 'Your account')
    await payer.leave()
  })
})
