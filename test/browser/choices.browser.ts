/**
 * Goal: a country, a time zone, a language, a day, a time, a colour and a phone number are saved as
 * the person meant them. Method: forms in a real browser, then the API is asked.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newMerchant } from '../support/actors.ts'
import { ownAccount } from '../support/approvers.ts'
import { must } from '../support/harness.ts'
import { startWorkingServer } from './browser.ts'
import { newPerson, says } from './dashboard.ts'

for (const screen of ['phone', 'desktop'] as const)
  describe(`choices, on a ${screen}`, () => {
    it('save the country, the phone number, the zone and the colour that were meant', async () => {
      const server = await startWorkingServer()
      const merchant = newMerchant(server)
      const person = await newPerson(server, screen)
      const { page } = person
      page.setDefaultTimeout(15_000)

      await person.open('/profile')
      await page.getByLabel('Country').selectOption({ label: 'Nigeria' })
      await page.getByLabel('Time zone').selectOption({ label: 'Africa/Lagos' })
      await page.getByLabel('Language and region').selectOption({ label: 'English (Nigeria)' })
      await page.getByLabel('Colour').fill('#0a5c36')
      await page.getByLabel('Support phone').fill('0803 123 4567')
      await person.look('choices-profile')
      await person.button('Save')
      await says(page, 'Saved.')
      const business = await must(server.call('GET', '/business'))
      assert.deepEqual(
        [business.address.country, business.time_zone, business.locale, business.color],
        ['ng', 'Africa/Lagos', 'en-NG', '#0a5c36'],
      )
      assert.equal(business.support_phone, '+2348031234567')

      await person.open('/customers/-/new')
      await page.getByLabel('Name').fill('Ada Obi')
      await page.getByLabel('Email address').fill('ada@example.com')
      await page.getByLabel('Phone').fill('0803 765 4321')
      await page.getByLabel('Country').selectOption({ label: 'Nigeria' })
      await person.look('choices-customer')
      await person.button('Create')
      await says(page, 'Customer created.')
      const [customer] = (await merchant.ask('GET', '/customers')).docs
      assert.deepEqual([customer.phone, customer.address.country], ['+2348037654321', 'ng'])

      person.expectErrors(/422/)
      await person.open('/customers/-/new')
      await page.getByLabel('Name').fill('Obi')
      await page.getByLabel('Email address').fill('obi@example.com')
      await page.getByLabel('Phone').fill('12')
      await person.button('Create')
      await says(page, 'Type a phone number as it is dialled in your country')

      const { id: beneficiary } = await ownAccount(server)
      await person.open('/payout-schedules/-/new')
      assert.equal(await page.getByLabel('At', { exact: true }).getAttribute('type'), 'time')
      await page.getByLabel('At', { exact: true }).fill('07:30')
      await page.locator('[name=beneficiary]').selectOption(beneficiary)
      await person.button('Continue')
      await person.press(page.locator('button[name=step][value=do]'))
      await page.locator('.notice.good').waitFor()
      const [schedule] = (await merchant.ask('GET', '/payout-schedules')).docs
      assert.equal(schedule.time, '07:30')

      await person.open('/payouts/-/new')
      const bank = page.locator('[name="destination.bank_code"] option[value="058"]')
      assert.match((await bank.textContent()) ?? '', /^Guaranty Trust Bank.* \(058\)$/)
      await person.leave()
      await server.stop()
    })
  })
