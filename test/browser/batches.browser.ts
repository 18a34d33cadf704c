/**
 * Goal: a finance clerk pays a file from a template to its last failed line, and sees the progress
 * without pressing anything. Method: a real browser without help from the API, but for the outcome
 * of one test payout.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { bankAccount, newMerchant } from '../support/actors.ts'
import { startWorkingServer } from './browser.ts'
import { newPerson, says } from './dashboard.ts'

for (const screen of ['phone', 'desktop'] as const)
  describe(`a batch of payouts, on a ${screen}`, () => {
    it('is filled in from a template, looked at, followed while it runs, and paid again', async () => {
      const server = await startWorkingServer({ SANDBOX_DELAY: '1h' })
      const merchant = newMerchant(server)
      await server.fund('ngn', 100_000_000)
      const person = await newPerson(server, screen, 'finance')
      const { page } = person
      page.setDefaultTimeout(15_000)
      await person.open('/payout-batches/-/new')
      await person.look('batch-new')
      const downloading = page.waitForEvent('download')
      await page.getByRole('link', { name: 'Bank accounts in Nigeria' }).click()
      const template = readFileSync(await (await downloading).path(), 'utf8')
      const [head = ''] = template.split('\r\n')
      const lines = Array.from(
        { length: 120 },
        (_, i) => `pay-${i},1500,058,${String(1_000_000 + i).padStart(10, '0')},Ada Obi,Wage`,
      )
      await page.setInputFiles('input[type=file]', {
        name: 'wages.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from([head, ...lines].join('\r\n')),
      })
      await person.button('Check file')
      await says(page, 'Guaranty Trust Bank')
      await person.look('batch-draft')
      await person.link('All 120')
      await person.look('batch-recipients')
      await page.goBack()
      await person.link('Confirm')
      await person.button('Create payouts')
      // Nothing is pressed or loaded: the page follows its batch.
      await page.getByText('Pending: 120').waitFor()
      await page.locator('.head .badge', { hasText: 'Completed' }).waitFor()
      await merchant.ask('POST', '/payouts/pay-7/simulate', { outcome: 'completed' })
      await page.getByText('Completed: 1, Pending: 119').waitFor()
      const failure = { outcome: 'failed', failure_reason: 'bank_unavailable' }
      await merchant.ask('POST', '/payouts/pay-8/simulate', failure)
      await page.getByText('Failed: 1').waitFor()
      await page.reload()
      await says(page, 'The bank did not answer')
      await person.look('batch-failed')
      await person.link('Retry failed lines')
      await person.button('Continue')
      await person.look('batch-retry')
      await person.button('Create draft')
      await says(page, 'Pays again what failed of')
      await person.link('Confirm')
      await person.button('Create payouts')
      await page.getByText('Pending: 1', { exact: true }).waitFor()
      const { totalDocs } = await merchant.ask('GET', '/payouts')
      assert.equal(totalDocs, 121)
      const one = [{ amount: 150_000, destination: bankAccount() }]
      const body = { reference: 'by-bank', currency: 'ngn', dry_run: true, lines: one }
      const { id } = await merchant.create('/payouts/batch', body)
      await person.open(`/payout-batches/${id}`)
      await person.link('Cancel remaining lines')
      await person.button('Cancel remaining lines')
      await page.getByLabel('Account at your bank').fill('DE89370400440532013000')
      await person.look('batch-by-bank')
      const exporting = page.waitForEvent('download')
      await person.button('Download pain.001')
      const orders = readFileSync(await (await exporting).path(), 'utf8')
      assert.match(orders, /<NbOfTxs>1<\/NbOfTxs><CtrlSum>1500\.00</)
      await person.leave()
      await server.stop()
    })
  })
