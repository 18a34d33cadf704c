/**
 * Paying by what the payer sends, from a bank or in coins: all of it, too little, too much, too
 * late.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { heading } from './browser.ts'
import { changedByItself, describeCheckout, mark, newMerchant, shop } from './checkout.ts'

describeCheckout('transfers at the hosted checkout', ({ payer }) => {
  it('pays by bank transfer', async () => {
    const { open, account, deposit } = await newMerchant()
    const payment = await open()
    await payer(payment.checkout_url, async (me, page) => {
      await me.press(page.getByRole('link', { name: /^Bank transfer/ }))
      await heading(page, 'Pay by bank transfer')
      await me.look('transfer')
      await me.press(page.getByRole('button', { name: 'Show account details' }))
      await heading(page, /Send exactly ₦5,000\.00/)
      const { id, account_number, bank_name, account_name } = await account(payment.id)
      for (const text of [account_number, bank_name, account_name])
        assert.ok(await page.getByText(text, { exact: true }).last().isVisible(), text)
      await me.look('transfer-details')
      await me.press(page.getByRole('button', { name: 'Copy account number' }))
      await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor({ state: 'attached' })
      assert.equal(await page.evaluate('navigator.clipboard.readText()'), account_number)
      await me.look('transfer-copied')
      await mark(page)
      await deposit(id, 500_000)
      await heading(page, 'Payment complete')
      await changedByItself(page, 'Payment complete')
    })
  })

  it('pays by bank transfer in dollars', async () => {
    const { open, account, deposit } = await newMerchant()
    const payment = await open({
      amount: 4_950,
      currency: 'usd',
      methods: ['bank_transfer'],
      fee_bearer: 'customer',
    })
    await payer(payment.checkout_url, async (me, page) => {
      await me.press(page.getByRole('button', { name: 'Show account details' }))
      await heading(page, /Send exactly \$/)
      await me.look('transfer-usd-with-fee')
      const { id, amount, routing_number } = await account(payment.id)
      assert.ok(await page.getByText(routing_number, { exact: true }).isVisible())
      await deposit(id, amount)
      await heading(page, 'Payment complete')
    })
  })

  it('sends too little first, and then the rest', async () => {
    const { open, account, deposit, payment: read } = await newMerchant()
    const payment = await open({ methods: ['bank_transfer'] })
    await payer(payment.checkout_url, async (me, page) => {
      await me.press(page.getByRole('button', { name: 'Show account details' }))
      await heading(page, /Send exactly ₦5,000\.00/)
      const { id } = await account(payment.id)
      await mark(page)
      await deposit(id, 200_000)
      await heading(page, /Send exactly ₦3,000\.00/)
      await changedByItself(page, /₦2,000\.00.*₦3,000\.00/)
      await me.look('transfer-underpaid')
      await deposit(id, 300_000)
      await heading(page, 'Payment complete')
    })
    assert.equal((await read(payment.id)).amount_received, 500_000)
  })

  it('sends too much', async () => {
    const { open, account, deposit } = await newMerchant()
    const payment = await open({ methods: ['bank_transfer'], redirect_url: `${shop.url}/thanks` })
    await payer(payment.checkout_url, async (me, page) => {
      await me.press(page.getByRole('button', { name: 'Show account details' }))
      await heading(page, /Send exactly/)
      await deposit((await account(payment.id)).id, 620_000)
      await heading(page, 'Payment complete')
      await page
        .locator('#trouble')
        .getByText(/₦1,200\.00 more than was due/)
        .waitFor()
      await me.look('overpaid')
    })
  })

  it('is sent its money back when the amount is wrong', async () => {
    const { ask, open, account } = await newMerchant()
    const payment = await open({ methods: ['bank_transfer'], on_mismatch: 'reverse' })
    await payer(payment.checkout_url, async (me, page) => {
      await me.press(page.getByRole('button', { name: 'Show account details' }))
      await heading(page, /Send exactly/)
      const sender = { account_name: 'Ada Okafor', account_number: '0123456789', bank_code: '058' }
      const { id } = await account(payment.id)
      await ask('POST', `/virtual-accounts/${id}/simulate-deposit`, { amount: 400_000, sender })
      await page.getByText('it was sent back to you').waitFor()
      await me.look('transfer-returned')
    })
  })

  it('is told of a wrong amount that could not be sent back', async () => {
    const { ask, open, account } = await newMerchant()
    const payment = await open({ methods: ['bank_transfer'], on_mismatch: 'reverse' })
    await payer(payment.checkout_url, async (me, page) => {
      await me.press(page.getByRole('button', { name: 'Show account details' }))
      await heading(page, /Send exactly/)
      const sender = { account_name: 'Ada Okafor', account_number: '0000000001', bank_code: '058' }
      const { id } = await account(payment.id)
      await ask('POST', `/virtual-accounts/${id}/simulate-deposit`, { amount: 400_000, sender })
      const { docs } = await ask('GET', `/refunds?payment=${payment.id}`)
      await ask('POST', `/refunds/${docs[0].id}/simulate`, { outcome: 'failed' })
      await page
        .locator('#kept')
        .getByText(/₦4,000\.00 that we could not send back/)
        .waitFor()
      await me.look('transfer-kept')
    })
  })

  it('gets money in after the time, and says so', async () => {
    const { open, account, deposit, advance } = await newMerchant()
    const payment = await open({ methods: ['bank_transfer'] })
    await payer(payment.checkout_url, async (me, page) => {
      await me.press(page.getByRole('button', { name: 'Show account details' }))
      await heading(page, /Send exactly/)
      await advance('25h')
      await heading(page, 'Time is up')
      await mark(page)
      await deposit((await account(payment.id)).id, 500_000)
      await page
        .getByRole('main')
        .getByText(/came after the time was up/)
        .waitFor()
      await changedByItself(page, /came after the time was up/)
      await me.look('expired-late')
    })
  })

  it('pays with crypto', async () => {
    const { open, payment: read } = await newMerchant()
    const payment = await open()
    await payer(payment.checkout_url, async (me, page) => {
      await me.press(page.getByRole('link', { name: /^Crypto/ }))
      await heading(page, 'Pay with crypto')
      await me.look('crypto')
      await me.press(page.getByRole('button', { name: 'USDC on Base', exact: true }))
      // 5,000.00 at 1,550.00 is 3.2258 and up.
      await heading(page, /Send exactly 3\.23 USDC on Base\./)
      assert.ok(await page.getByText(/^0x[0-9a-fA-F]{40}$/).isVisible())
      assert.ok(await page.getByRole('img', { name: /QR code/ }).isVisible())
      await me.look('crypto-address')
      await me.press(page.getByText('Use another coin or network'))
      await me.press(page.getByRole('button', { name: /USDT on/ }).first())
      await heading(page, /Send exactly 3\.23 USDT on/)
      await me.press(page.getByRole('button', { name: 'Pay in full' }))
      await heading(page, 'Payment complete')
      await me.look('completed-crypto')
    })
    const paid = await read(payment.id)
    assert.equal(paid.method, 'crypto')
    assert.equal(paid.status, 'completed')
  })
})
