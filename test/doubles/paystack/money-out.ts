/** Money that leaves: transfers to banks, refunds to payers. */
import type { Books, Refund, Transaction, Transfer } from './books.ts'
import type { Settings } from './settings.ts'
import { transferBody } from './shapes.ts'
import type { Events } from './webhooks.ts'

export function moneyOut(books: Books, events: Events, settings: Settings) {
  function change(transfer: Transfer, status: Transfer['status'], response: string | null): void {
    transfer.status = status
    transfer.response = response
    transfer.history.push(status)
    transfer.updatedAt = books.now()
  }
  const wrongState = (transfer: Transfer, verb: string): never => {
    throw new Error(`A transfer that is ${transfer.status} cannot ${verb}.`)
  }
  function take(transfer: Transfer): void {
    books.move(
      'balance',
      -(transfer.amount + transfer.fee),
      'Transfer',
      transfer.id,
      `Transfer ${transfer.reference}`,
    )
    transfer.taken = transfer.amount + transfer.fee
  }
  function giveBack(transfer: Transfer, fee: 'with its fee' | 'without its fee'): void {
    const kept = fee === 'without its fee' ? transfer.fee : 0
    const back = Math.max(0, transfer.taken - kept)
    books.move('balance', back, 'Transfer', transfer.id, `Back: ${transfer.reference}`)
    transfer.taken -= back
  }
  function emitTransfer(transfer: Transfer, event: string): void {
    const data = transferBody(books, transfer, true)
    // The published events disagree: an object here, a number there.
    if (event === 'transfer.success')
      data.integration = {
        id: books.integration,
        is_live: books.mode === 'live',
        business_name: 'Shop',
      }
    events.emit('transfer', transfer.reference, event, data)
  }

  const transfer = {
    take,
    succeed(reference: string): void {
      const one = books.transfer(reference)
      if (!['pending', 'received'].includes(one.status)) wrongState(one, 'succeed')
      one.session = `1000042025${String(one.id).padStart(20, '0')}`
      change(one, 'success', 'Successful')
      emitTransfer(one, 'transfer.success')
    },
    fail(
      reference: string,
      response = 'Destination bank is not available',
      failures: unknown = null,
    ): void {
      const one = books.transfer(reference)
      if (!['pending', 'received'].includes(one.status)) wrongState(one, 'fail')
      giveBack(one, 'with its fee')
      one.failures = failures
      change(one, 'failed', response)
      emitTransfer(one, 'transfer.failed')
    },
    /** The money comes back from the bank: success does not mean credited. */
    reverse(reference: string, response = 'Transfer reversed by the destination bank'): void {
      const one = books.transfer(reference)
      if (!['pending', 'received', 'success'].includes(one.status)) wrongState(one, 'be reversed')
      giveBack(
        one,
        settings.reversalKeepsFee && one.status === 'success' ? 'without its fee' : 'with its fee',
      )
      change(one, 'reversed', response)
      emitTransfer(one, 'transfer.reversed')
    },
    /** Somebody types the code that Paystack sent to the business's telephone. */
    release(reference: string): void {
      const one = books.transfer(reference)
      if (one.status !== 'otp') wrongState(one, 'be released')
      if (books.pots.balance < one.amount + one.fee) throw new Error('The balance is not enough.')
      take(one)
      change(one, 'pending', null)
    },
    /** Ends a transfer in a state that no event is known for [U]. */
    end(reference: string, status: 'abandoned' | 'blocked' | 'rejected'): void {
      const one = books.transfer(reference)
      if (!['pending', 'received', 'otp'].includes(one.status)) wrongState(one, `be ${status}`)
      giveBack(one, 'with its fee')
      change(one, status, null)
    },
  }

  /** How a paid transaction is listed, by what of it went back. */
  function statusOf(transaction: Transaction): Transaction['status'] {
    const back = books.refunds.filter(
      (one) => one.transaction === transaction && one.status === 'processed',
    )
    const sum = back.reduce((total, { amount }) => total + amount, 0)
    return sum === transaction.amount || (sum > 0 && settings.partlyRefunded === 'reversed')
      ? 'reversed'
      : 'success'
  }
  function moveRefund(id: number, from: Refund['status'][], status: Refund['status']): Refund {
    const one = books.refund(id)
    if (!from.includes(one.status))
      throw new Error(`A refund that is ${one.status} cannot become ${status}.`)
    one.status = status
    return one
  }
  /** Refund events carry no refund id, but for one kind; amounts are text, but for two kinds. */
  function emitRefund(one: Refund): void {
    const event = `refund.${one.status}`
    const asNumber = one.status === 'failed' || one.status === 'needs-attention'
    const { first_name, last_name, email } = one.transaction.customer
    events.emit('refund', String(one.id), event, {
      status: one.status,
      transaction_reference: one.transaction.reference,
      refund_reference: one.reference,
      amount: asNumber ? one.amount : String(one.amount),
      currency: 'NGN',
      ...(one.status === 'needs-attention'
        ? { id: String(one.id), customer_note: one.customerNote, merchant_note: one.merchantNote }
        : { processor: 'instant-transfer' }),
      customer: { first_name, last_name, email },
      integration: books.integration,
      domain: books.mode,
    })
  }

  const refund = {
    emit: emitRefund,
    /** Somebody gives money back on Paystack's dashboard. @returns the refund's number */
    onDashboard(reference: string, amount: number): number {
      const id = books.id()
      const taken = books.takeFromBoth(amount, 'Refund', id, `Refund of ${reference}`)
      if (taken === null) throw new Error('The double owes too little for this refund.')
      const notes = { customerNote: '', merchantNote: 'Asked for by telephone' }
      const transaction = books.transaction(reference)
      books.refunds.push({
        id,
        transaction,
        amount,
        status: 'pending',
        ...notes,
        reference: null,
        taken,
        at: books.now(),
      })
      refund.process(id)
      return id
    },
    begin: (id: number): void =>
      emitRefund(moveRefund(id, ['pending', 'needs-attention', 'reversed'], 'processing')),
    /** A state that `GET /refund` may have by its field `reversed_at`; there is no event of it. */
    reverse: (id: number): void =>
      void moveRefund(id, ['pending', 'processing', 'processed'], 'reversed'),
    process(id: number): void {
      const one = moveRefund(id, ['pending', 'processing'], 'processed')
      one.reference = `132${one.id}`
      one.transaction.status = statusOf(one.transaction)
      emitRefund(one)
    },
    /** Also after it was processed: the bank sent it back. */
    fail(id: number): void {
      const one = moveRefund(
        id,
        ['pending', 'processing', 'processed', 'needs-attention'],
        'failed',
      )
      one.transaction.status = statusOf(one.transaction)
      books.putBack(one.taken, 'Refund', one.id, 'Refund failed')
      emitRefund(one)
    },
    needAttention: (id: number): void =>
      emitRefund(moveRefund(id, ['pending', 'processing'], 'needs-attention')),
  }

  return { transfer, refund }
}
