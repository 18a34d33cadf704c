/**
 * Paying in another language: from right to left to the end, and a switch in the middle of it.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Page } from 'playwright-core'
import { heading } from './browser.ts'
import { cards, describeCheckout, newMerchant } from './checkout.ts'

const direction = (page: Page) =>
  page.evaluate<string>('getComputedStyle(document.querySelector("main")).direction')

describeCheckout('other languages at the hosted checkout', ({ payer }) => {
  it('pays by card in Arabic, to the end', async () => {
    const { open, payment: read } = await newMerchant()
    const payment = await open()
    await payer(payment.checkout_url, async (me, page) => {
      await me.press(page.getByRole('link', { name: 'العربية' }))
      await heading(page, 'كيف تودّون الدفع؟')
      assert.equal(await direction(page), 'rtl')
      await me.look('ar-choose')
      await me.press(page.getByRole('link', { name: /^بطاقة/ }))
      await heading(page, 'الدفع بالبطاقة')
      await me.look('ar-card')
      // As the keyboard of an Arabic phone types them.
      await me.type('رقم البطاقة', '٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢')
      assert.equal(
        await page.getByLabel('رقم البطاقة', { exact: true }).inputValue(),
        '4242 4242 4242 4242',
      )
      await me.type(/^الانتهاء/, '1220')
      await me.type('رمز الأمان', '123')
      await me.press(page.getByRole('button', { name: /^ادفع/ }))
      await page.getByText('انتهت صلاحية هذه البطاقة. يُرجى التحقق من التاريخ').waitFor()
      await me.look('ar-card-invalid')
      await page.getByLabel(/^الانتهاء/).fill('')
      await me.type(/^الانتهاء/, '1234')
      await me.press(page.getByRole('button', { name: /^ادفع/ }))
      await heading(page, 'اكتمل الدفع')
      await me.look('ar-completed')
    })
    assert.equal((await read(payment.id)).status, 'completed')
  })

  it('is shown an account from right to left, whose number is not', async () => {
    const { open, account, deposit } = await newMerchant()
    const payment = await open({ methods: ['bank_transfer'] })
    await payer(`${payment.checkout_url}?lang=ar`, async (me, page) => {
      await me.press(page.getByRole('button', { name: 'عرض بيانات الحساب' }))
      await heading(page, /بالضبط إلى هذا الحساب/)
      await me.look('ar-transfer')
      const { id, account_number: number } = await account(payment.id)
      const shown = page.getByText(number, { exact: true })
      assert.equal(await shown.evaluate((el) => el.matches(':dir(ltr)')), true)
      await deposit(id, 500_000)
      await heading(page, 'اكتمل الدفع')
    })
  })

  it('switches without losing what was typed, and the payment', async () => {
    const { open } = await newMerchant()
    const payment = await open()
    await payer(`${payment.checkout_url}?method=card`, async (me, page) => {
      await me.type('Card number', cards.good)
      await me.press(page.getByRole('link', { name: 'Français' }))
      await heading(page, 'Payer par carte')
      assert.equal(await page.getByLabel('Numéro de carte').inputValue(), '4242 4242 4242 4242')
      assert.equal(await page.evaluate('document.documentElement.lang'), 'fr')
      assert.match(await page.title(), /^Payer Zuma Books/)
      await me.look('fr-card')
      await me.type(/^Expiration/, '1234')
      await me.type('Code de sécurité', '123')
      await me.press(page.getByRole('button', { name: /^Payer 5/ }))
      await heading(page, 'Paiement effectué')
      await me.look('fr-completed')
    })
  })

  it('switches without the script, and stays with it', async () => {
    const { open } = await newMerchant()
    const payment = await open()
    await payer(
      `${payment.checkout_url}?method=card`,
      async (me, page) => {
        await me.press(page.getByRole('link', { name: 'Français' }))
        await heading(page, 'Payer par carte')
        await me.press(page.getByRole('link', { name: /^Virement bancaire/ }))
        await heading(page, 'Payer par virement bancaire')
        await me.look('plain-fr-transfer')
      },
      { script: false },
    )
  })
})
