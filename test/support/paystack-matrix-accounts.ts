/**
 * The parts of the matrix that are accounts: a customer's own, and the one-time account of a
 * payment that is paid by transfer.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { applies, type Fault, type OperationName } from '../doubles/paystack.ts'
import { newPayer } from './actors.ts'
import { type Json, listAll, must } from './harness.ts'
import { minuteMs, type Till } from './paystack.ts'
import { newCustomer, openAccount, openInlet, readAccount } from './paystack-in.ts'
import type { Cell, Part } from './paystack-matrix.ts'
import { isOfWebhooks } from './paystack-matrix-webhooks.ts'

const hourMs = 60 * minuteMs

/** Has a fault befall an operation, and what it befalls go on. @returns what checks that it did */
async function befall(
  till: Till,
  operation: OperationName,
  fault: Fault,
  after: OperationName | null,
) {
  const { double } = till
  await till.pass(minuteMs)
  const rule = await double.fault(operation, fault, after === null ? {} : { after })
  const asked = double.requests.length
  return {
    /** Lets time go by until the fault has come, and lifts it. */
    async lift(): Promise<void> {
      for (let round = 0; round < 4 && rule.applied === 0 && fault !== 'no_connection'; round++)
        await till.pass(minuteMs)
      if (fault === 'no_connection') await till.pass(minuteMs)
      await double.clearFaults()
      if (fault === 'slow') await sleep(50)
    },
    assertHit(): void {
      const hit = double.requests
        .slice(asked)
        .some((one) => one.fault === fault && one.operation === operation)
      assert.ok(hit || fault === 'no_connection', `${operation} was never befallen by ${fault}`)
    },
  }
}

const ownOperations = {
  create_customer: null,
  list_accounts: 'create_customer',
  open_account: 'list_accounts',
  fetch_account: 'open_account',
} as const satisfies Part['operations']

export const accountPart: Part = {
  name: 'a virtual account',
  operations: ownOperations,
  open: () => openInlet({ settings: { dedicatedAccounts: 'later' } }),
  expectedOf(operation, fault) {
    if (isOfWebhooks(fault) || !applies(operation, fault)) return null
    return fault === 'status_false' &&
      (operation === 'create_customer' || operation === 'open_account')
      ? 'failed'
      : 'opened'
  },
  async runCell(till, operation, fault) {
    const { books, account: hands } = till.double.live
    const befallen = await befall(
      till,
      operation,
      fault,
      ownOperations[operation as keyof typeof ownOperations],
    )
    const customer = await newCustomer(till)
    const answer = await openAccount(till, customer)
    await befallen.lift()
    const mine = () =>
      books.accounts.filter((one) => one.customer.email === `${customer.id}@pay.example.com`)
    if (answer.status === 400) {
      befallen.assertHit()
      assert.deepEqual(mine(), [])
      assert.deepEqual(
        (await listAll(till.live, '/virtual-accounts')).filter(
          (one) => one.customer === customer.id,
        ),
        [],
      )
      await till.assertSound()
      return 'failed'
    }
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    for (let round = 0; round < 12; round++) {
      for (const one of mine()) if (one.number === null) hands.assign(one.id)
      if ((await readAccount(till, answer.data.id)).status === 'active') break
      await till.pass(6 * minuteMs)
    }
    befallen.assertHit()
    const opened = await readAccount(till, answer.data.id)
    assert.deepEqual(
      [opened.status, mine().map(({ number }) => number)],
      ['active', [opened.account_number]],
    )
    assert.deepEqual(await till.eventsOf(opened.id), ['virtual_account.activated'])
    await till.assertSound()
    return 'opened'
  },
}

const transferOperations = {
  charge: null,
  check_charge: 'charge',
  verify_transaction: 'charge',
} as const satisfies Part['operations']

export const transferPart: Part = {
  name: 'a payment by transfer',
  operations: transferOperations,
  open: () => openInlet(),
  expectedOf(operation, fault) {
    if (isOfWebhooks(fault) || !applies(operation, fault)) return null
    return fault === 'status_false' && operation === 'charge' ? 'failed' : 'paid'
  },
  async runCell(till, operation, fault): Promise<Cell> {
    const { bank, books, events } = till.double.live
    const befallen = await befall(
      till,
      operation,
      fault,
      transferOperations[operation as keyof typeof transferOperations],
    )
    // It is asked only where the first answer was lost.
    if (operation === 'check_charge') await till.double.fault('charge', 'error_after')
    const body = {
      amount: 500_000,
      currency: 'ngn',
      methods: ['bank_transfer'],
      reference: `${operation}-${fault}`,
    }
    const payment = await must(till.live('POST', '/payments', body))
    const payer = newPayer({
      checkout_url: `${till.server.url}${new URL(payment.checkout_url).pathname}`,
    })
    await payer.post('transfer')
    const accounts = async (): Promise<Json[]> =>
      (await listAll(till.live, '/virtual-accounts')).filter((one) => one.payment === payment.id)
    let sent = false
    let now = payment
    for (let round = 0; round < 8 && now.status === 'pending'; round++) {
      const [account] = await accounts()
      if (account?.status === 'active' && !sent) {
        bank.credit(account.account_number, { amount: 500_000 })
        sent = true
      }
      await events.deliver()
      if (round === 0) await befallen.lift()
      await till.pass(round === 0 ? minuteMs : 2 * hourMs)
      now = await must(till.live('GET', `/payments/${payment.id}`))
    }
    befallen.assertHit()
    const charged = books.transactions.filter(
      ({ metadata, paidAt }) => metadata !== null && paidAt !== null,
    )
    const [account] = await accounts()
    if (account === undefined) {
      assert.equal(now.status, 'pending')
      await till.assertSound()
      return 'failed'
    }
    assert.equal(charged.filter(({ reference }) => reference === `va-${account.id}`).length, 1)
    assert.deepEqual([now.status, now.amount_received], ['completed', 500_000])
    assert.deepEqual(await till.eventsOf(payment.id), ['payment.completed'])
    await till.assertSound()
    return 'paid'
  },
}
