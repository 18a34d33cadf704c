/**
 * Goal: a payout that its network cannot take on, because gas costs more than `max_fee_gwei`, can
 * be canceled until it is signed, and is paid once or given back, never both. Method: a server
 * against a real node whose base fee the test sets.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { parseGwei } from 'viem'
import { type Merchant, newMerchant } from '../../support/actors.ts'
import { type LocalNetwork, startNetwork } from '../../support/evm.ts'
import { startServer, type TestServer, until } from '../../support/harness.ts'
import { randomAddress } from '../../support/treasury.ts'

let network: LocalNetwork
let server: TestServer
let merchant: Merchant

const setFee = async (gwei: string) => {
  await network.node.node.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei(gwei) })
  await network.node.mine(1)
}
const order = (reference: string, address: string) => ({
  reference,
  amount: 10_000,
  currency: 'usd',
  method: 'crypto',
  destination: { currency: 'usdc', chain: 'anvil', address },
})
const payout = async (reference: string) => (await server.call('GET', `/payouts/${reference}`)).data
const cancel = (reference: string) => server.call('POST', `/payouts/${reference}/cancel`)
const health = async (): Promise<string[]> =>
  (await server.callAs(null)('GET', '/health')).data.warnings
/** Payouts that wait are offered again now. */
const offerAgain = () => server.call('POST', '/test/clock', { advance: '1m' })
/** Until the treasury's worker has read fees on this side of the cap. */
const feeRead = (high: boolean) =>
  until(async () => {
    const [row] = await server.app.db.query<{ high: boolean }>(
      'select least_fee > 5e9 as high from evm_senders',
    )
    return row?.high === high
  }, 30_000)
const received = (address: string) => network.node.balance(network.usdc, address)
const completed = (reference: string) =>
  until(async () => {
    const { status, tx_hash } = await payout(reference)
    if (tx_hash) await network.node.mine(1)
    await offerAgain()
    return status === 'completed'
  }, 60_000)

before(async () => {
  network = await startNetwork({ max_fee_gwei: 5 })
  const treasury = network.wallet.treasury.address
  await network.node.mint(network.usdc, treasury, 10n ** 12n)
  await network.node.fund(treasury, 10n ** 18n)
  await setFee('50')
  server = await startServer(network.env, undefined, undefined, 'workers')
  merchant = newMerchant(server)
  await server.fund('usd', 10_000_000)
  await feeRead(true)
})
after(async () => {
  await server?.stop()
  await network?.stop()
})

describe('a payout while gas costs more than max_fee_gwei', () => {
  const late = randomAddress()

  it('stays pending, says why, and can be canceled', async () => {
    const funds = await merchant.available('usd')
    const payee = randomAddress()
    await server.call('POST', '/payouts', order('expensive', payee))
    await until(async () =>
      (await health()).includes('payouts on anvil wait: gas costs more than max_fee_gwei'),
    )
    assert.equal((await payout('expensive')).status, 'pending')
    const canceled = await cancel('expensive')
    assert.deepEqual([canceled.status, canceled.data.status], [200, 'canceled'])
    assert.equal(await merchant.available('usd'), funds)
  })

  it('goes out once when fees fall', async () => {
    const payee = randomAddress()
    const { data } = await server.call('POST', '/payouts', order('patient', payee))
    await offerAgain()
    assert.equal((await payout('patient')).status, 'pending')
    await setFee('1')
    await feeRead(false)
    await completed('patient')
    assert.equal(await received(payee), BigInt(data.destination_amount) * 10_000n)
    await until(async () => (await health()).length === 0)
  })

  it('is pending again when fees rise after it was submitted and before it is signed', async () => {
    const funds = await merchant.available('usd')
    await server.call('POST', '/test/clock', { advance: '1m' })
    await setFee('50')
    await server.call('POST', '/payouts', order('overtaken', late))
    await until(async () => {
      const [row] = await server.app.db.query(
        `select from evm_transactions t join payouts p on p.id = t.id where p.reference = 'overtaken' and p.submissions = 1`,
      )
      return row !== undefined
    })
    await until(async () => (await payout('overtaken')).status === 'pending', 30_000)
    const canceled = await cancel('overtaken')
    assert.deepEqual([canceled.status, canceled.data.status], [200, 'canceled'])
    assert.equal(await merchant.available('usd'), funds)
  })

  it('is not paid after it was canceled by what a stopped process sends late', async () => {
    const { id, destination_amount, destination } = await payout('overtaken')
    const rail = server.app.rails.chains.test.anvil
    await setFee('1')
    await feeRead(false)
    const amount = BigInt(destination_amount)
    const { address, contract_address } = destination
    const said = await rail?.send({
      id,
      attempt: 1,
      businessId: server.businessId,
      amount,
      currency: 'usdc',
      at: new Date(),
      destination: { type: 'crypto', currency: 'usdc', chain: 'anvil', address, contract_address },
    })
    assert.deepEqual(said, { state: 'recalled', attempt: 1 })
    await offerAgain()
    await server.call('POST', '/payouts', order('after', randomAddress()))
    await completed('after')
    assert.equal(await received(late), 0n)
    assert.equal((await payout('overtaken')).status, 'canceled')
  })

  it('is paid or given back, never both, when it is canceled while fees fall', async () => {
    const funds = await merchant.available('usd')
    await setFee('50')
    const payees = Array.from({ length: 12 }, () => randomAddress())
    await Promise.all(
      payees.map((payee, i) => server.call('POST', '/payouts', order(`race-${i}`, payee))),
    )
    await feeRead(true)
    await until(async () => {
      const all = await Promise.all(payees.map((_, i) => payout(`race-${i}`)))
      return all.every(({ status }) => status === 'pending')
    }, 30_000)
    await setFee('1')
    await Promise.all([feeRead(false).then(offerAgain), cancelInTurn(payees.length)])
    await until(async () => {
      const all = await Promise.all(payees.map((_, i) => payout(`race-${i}`)))
      if (all.some(({ tx_hash }) => tx_hash)) await network.node.mine(1)
      await offerAgain()
      return all.every(({ status }) => status === 'canceled' || status === 'completed')
    }, 90_000)
    let given = 0
    for (const [i, payee] of payees.entries()) {
      const { status, destination_amount } = await payout(`race-${i}`)
      const paid = status === 'completed'
      assert.equal(
        await received(payee),
        paid ? BigInt(destination_amount) * 10_000n : 0n,
        `race-${i} is ${status}`,
      )
      if (paid) given++
    }
    assert.ok(given > 0 && given < payees.length, `${given} of ${payees.length} were paid`)
    assert.equal(await merchant.available('usd'), funds - given * 10_000)
  })

  /**
   * Cancels each, one after the other, over the moment in which they are submitted: the second half
   * once one has been signed.
   */
  async function cancelInTurn(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const { status, code } = await cancel(`race-${i}`)
      assert.ok(status === 200 || code === 'payout_not_cancelable', `${status} ${code}`)
      if (i !== Math.floor(count / 2) - 1) continue
      await feeRead(false)
      await until(async () => {
        await offerAgain()
        const all = await Promise.all(
          Array.from({ length: count }, (_, other) => payout(`race-${other}`)),
        )
        return all.some(({ tx_hash }) => tx_hash)
      }, 60_000)
    }
  }
})
