/**
 * The hands of a test: what payers, banks, Paystack's staff and the operator do. Each changes the
 * books and leads to events.
 */
import { type Account, type Books, type Customer, found, type Settlement } from './books.ts'
import { moneyIn } from './money-in.ts'
import { moneyOut } from './money-out.ts'
import type { Settings } from './settings.ts'
import { bankIn, customerIn, type Json, masked } from './shapes.ts'
import type { Events } from './webhooks.ts'

export function openWorld(books: Books, events: Events, settings: Settings) {
  const account = {
    assign(id: number): void {
      const one = found(books.accounts, (other) => other.id === id, `account ${id}`)
      if (one.number !== null) throw new Error(`Account ${id} has a number already.`)
      Object.assign(one, {
        number: String(9_900_000_000 + (id % 100_000_000)),
        active: true,
        assigned: true,
      })
      events.emit('open_account', String(id), 'dedicatedaccount.assign.success', {
        customer: customerIn(one.customer),
        dedicated_account: { ...bankAccountOf(one) },
        identification: { status: 'success' },
      })
    },
    fail(id: number): void {
      const one = found(books.accounts, (other) => other.id === id, `account ${id}`)
      books.accounts.splice(books.accounts.indexOf(one), 1)
      events.emit('open_account', String(id), 'dedicatedaccount.assign.failed', {
        customer: customerIn(one.customer),
        dedicated_account: null,
        identification: { status: 'failed' },
      })
    },
  }
  const bankAccountOf = (one: Account): Json => ({
    bank: bankIn(one.bank),
    id: one.id,
    account_name: one.name,
    account_number: one.number,
    currency: 'NGN',
    active: one.active,
    assigned: one.assigned,
  })

  function identified(customer: Customer, event: string, more: Json): void {
    const asked = customer.asked
    if (asked === null) throw new Error(`Nothing was asked about ${customer.code}.`)
    customer.asked = null
    const { country, type, bvn, bank_code, account_number } = asked as Record<string, string>
    events.emit('identify', customer.code, event, {
      // Text when it went well, a number when not.
      customer_id: event.endsWith('success') ? String(customer.id) : customer.id,
      customer_code: customer.code,
      email: customer.email,
      identification: {
        country,
        type,
        bvn: masked(bvn ?? ''),
        account_number: masked(account_number ?? ''),
        bank_code,
      },
      ...more,
    })
  }
  const identity = {
    succeed(code: string): void {
      const customer = found(books.customers, (one) => one.code === code, `customer ${code}`)
      customer.identified = true
      customer.identifications.push({
        country: 'NG',
        type: 'bank_account',
        value: masked(customer.asked?.bvn ?? '0000'),
      })
      identified(customer, 'customeridentification.success', {})
    },
    fail(code: string, reason = 'Account number or BVN is incorrect'): void {
      identified(
        found(books.customers, (one) => one.code === code, `customer ${code}`),
        'customeridentification.failed',
        { reason },
      )
    },
  }

  const operator = {
    /** Sends money from the operator's bank to the balance. */
    topUp(amount: number): void {
      books.move('balance', amount, 'TopUp', books.id(), 'Top-up')
    },
    /**
     * Paystack pays out what is pending, to the operator's bank as by default, or to the balance
     * where the operator keeps it there. No event is sent.
     */
    settle(to: Settlement['to'] = 'bank'): Settlement | null {
      const paid = books.transactions.filter(
        (one) => one.paidAt !== null && one.settlement === null,
      )
      const effective = books.pots.pending
      if (paid.length === 0 && effective === 0) return null
      const id = books.id()
      const total = paid.reduce((sum, one) => sum + one.amount, 0)
      const fees = paid.reduce((sum, one) => sum + (one.fees ?? 0), 0)
      for (const one of paid) one.settlement = id
      books.move('pending', -effective, 'Settlement', id, `Settlement to ${to}`)
      if (to === 'balance')
        books.move('balance', effective, 'Settlement', id, 'Settlement to balance')
      const settlement = {
        id,
        total,
        fees,
        deductions: total - fees - effective,
        effective,
        to,
        at: books.now(),
      }
      books.settlements.push(settlement)
      return settlement
    },
  }

  return {
    ...moneyIn(books, events, settings),
    ...moneyOut(books, events, settings),
    account,
    identity,
    operator,
  }
}
export type World = ReturnType<typeof openWorld>
