/**
 * Money that comes: payers on the hosted page, bank transfers to accounts that Paystack gave out,
 * disputes.
 */
import { nigerianBanks, testBank } from './banks.ts'
import {
  type Account,
  type Bank,
  type Books,
  found,
  type Sender,
  type Transaction,
} from './books.ts'
import { feeOnTop, paymentFee } from './fees.ts'
import type { Settings } from './settings.ts'
import { customerBody, customerIn, type Json, transactionBody } from './shapes.ts'
import type { Events } from './webhooks.ts'

export type Credit = { amount: number; sender?: Partial<Sender>; unnoticed?: boolean }
type Card = { brand?: string; last4?: string; bin?: string }

export function moneyIn(books: Books, events: Events, settings: Settings) {
  const names = new Map<string, string | null>()
  /**
   * Money that has come to a dedicated account and that Paystack has not noticed: a requery finds
   * it.
   */
  const unnoticed: { number: string; credit: Credit }[] = []
  const banks = [...nigerianBanks]

  /** The transaction is paid: money, fee and event. */
  function succeed(transaction: Transaction, operation: string): Transaction {
    if (transaction.paidAt !== null) throw new Error(`${transaction.reference} is paid already.`)
    const { requested, channel } = transaction
    transaction.amount =
      settings.feeBearer === 'customer' ? requested + feeOnTop(requested, channel) : requested
    transaction.fees = paymentFee(transaction.amount, channel)
    transaction.status = 'success'
    transaction.response = channel === 'card' ? 'Successful' : 'Approved'
    transaction.paidAt = books.now()
    books.move(
      'pending',
      transaction.amount - transaction.fees,
      'Transaction',
      transaction.id,
      `Paid: ${transaction.reference}`,
    )
    events.emit(
      operation,
      transaction.reference,
      'charge.success',
      transactionBody(books, transaction),
    )
    return transaction
  }

  const payer = {
    /** The payer is on the page and the bank works on it. */
    begin(reference: string): void {
      const transaction = books.transaction(reference)
      transaction.status = 'ongoing'
      transaction.response = 'The transaction is being processed'
    },
    /** Pays on the hosted page; also after a card was declined there. */
    pay(
      reference: string,
      { brand = 'visa', last4 = '4081', bin = '408408' }: Card = {},
    ): Transaction {
      const transaction = books.transaction(reference)
      transaction.channel = transaction.channels.includes('card') ? 'card' : 'bank_transfer'
      if (transaction.channel === 'card') transaction.card = { brand, last4, bin }
      else transaction.sender = senderOf({})
      return succeed(transaction, 'initialize')
    },
    /**
     * A card is declined. The page stays, and `verify` answers 200 with `failed`. No event is sent.
     */
    decline(reference: string, response = 'Declined'): void {
      const transaction = books.transaction(reference)
      if (transaction.paidAt !== null) throw new Error(`${reference} is paid already.`)
      transaction.status = 'failed'
      transaction.response = response
    },
    /** Leaves the page; nothing happens. */
    leave(reference: string): void {
      const transaction = books.transaction(reference)
      if (transaction.status === 'ongoing') transaction.status = 'abandoned'
    },
    /** The cardholder's bank takes the money back until it is decided. */
    dispute(reference: string, amount?: number): number {
      const transaction = books.transaction(reference)
      const disputed = amount ?? transaction.amount
      const id = books.id()
      const taken = books.takeFromBoth(disputed, 'Dispute', id, `Dispute of ${reference}`)
      if (taken === null) throw new Error('The double owes too little for this dispute.')
      books.disputes.push({
        id,
        transaction,
        amount: disputed,
        taken,
        outcome: null,
        archived: false,
        at: books.now(),
        evidence: null,
        answer: null,
      })
      events.emit('dispute', String(id), 'charge.dispute.create', disputeBody(id))
      return id
    },
    disputeBody,
    /** @param archived that is how Paystack calls its end */
    endDispute(id: number, outcome: 'won' | 'lost', archived = false): void {
      const dispute = found(books.disputes, (one) => one.id === id, `dispute ${id}`)
      Object.assign(dispute, { outcome, archived })
      if (outcome === 'won') books.putBack(dispute.taken, 'Dispute', id, 'Dispute won')
      events.emit('dispute', String(id), 'charge.dispute.resolve', disputeBody(id))
    },
  }

  function disputeBody(id: number): Json {
    const dispute = found(books.disputes, (one) => one.id === id, `dispute ${id}`)
    const { transaction } = dispute
    const over = dispute.archived ? 'archived' : 'resolved'
    const waiting =
      dispute.answer === null ? 'awaiting-merchant-feedback' : 'awaiting-bank-feedback'
    return {
      id,
      refund_amount: settings.disputeNamesAmount ? dispute.amount : null,
      currency: settings.disputeNamesAmount ? 'NGN' : null,
      status: dispute.outcome === null ? waiting : over,
      resolution:
        dispute.outcome === null
          ? null
          : dispute.outcome === 'won'
            ? 'declined'
            : 'merchant-accepted',
      domain: books.mode,
      transaction: transactionBody(books, transaction),
      transaction_reference: null,
      category: 'chargeback',
      customer: customerIn(transaction.customer),
      bin: transaction.card?.bin ?? null,
      last4: transaction.card?.last4 ?? null,
      source: 'bank',
      created_by: null,
      dueAt: null,
      resolvedAt: null,
      evidence: null,
      attachments: '',
      note: null,
      history: [
        { status: 'awaiting-merchant-feedback', by: 'bank', createdAt: dispute.at.toISOString() },
      ],
      messages: [],
      createdAt: dispute.at.toISOString(),
      updatedAt: books.now().toISOString(),
      created_at: dispute.at.toISOString(),
      updated_at: books.now().toISOString(),
    }
  }

  const senderOf = (given: Partial<Sender>): Sender => ({
    name: 'ADA OKAFOR',
    bank: 'Guaranty Trust Bank',
    account: '0123456789',
    narration: 'NIP transfer',
    ...given,
  })

  /** What a one-time account waits for. */
  const dueOf = ({ requested }: Transaction): number =>
    settings.feeBearer === 'customer' ? requested + feeOnTop(requested, 'bank_transfer') : requested

  /**
   * Money for a one-time account: the exact amount is a payment, any other is sent back by Paystack
   * itself.
   */
  function creditOneTime(
    transaction: Transaction,
    { amount, sender = {} }: Credit,
  ): 'paid' | 'returned' {
    if (
      transaction.paidAt !== null ||
      (transaction.account?.expiresAt ?? books.now()) < books.now()
    )
      return 'returned'
    if (amount === dueOf(transaction)) {
      transaction.channel = 'bank_transfer'
      transaction.sender = senderOf(sender)
      succeed(transaction, 'charge')
      return 'paid'
    }
    const { metadata: _, ...customer } = customerBody(books, transaction.customer)
    events.emit('charge', transaction.reference, 'bank.transfer.rejected', {
      bank_transfer: {
        amount: String(amount),
        message: 'incorrect amount sent',
        message_type: 'INCORRECT_AMOUNT',
        transaction_id: String(transaction.id),
      },
      customer,
    })
    return 'returned'
  }

  function creditDedicated(account: Account, { amount, sender = {} }: Credit): Transaction {
    const id = books.id()
    const transaction: Transaction = {
      id,
      reference: `T${id}${books.integration}`,
      accessCode: '',
      status: 'pending',
      amount,
      requested: amount,
      fees: null,
      channel: 'dedicated_nuban',
      channels: [],
      customer: account.customer,
      callbackUrl: null,
      metadata: null,
      response: '',
      card: null,
      sender: senderOf(sender),
      receiver: settings.receiverOnCharge
        ? { account: account.number as string, bank: account.bank.name }
        : null,
      account: null,
      paidAt: null,
      at: books.now(),
      settlement: null,
    }
    books.transactions.push(transaction)
    // Whoever bears fees elsewhere: a deposit is what was sent.
    transaction.fees = paymentFee(amount, 'dedicated_nuban')
    transaction.status = 'success'
    transaction.response = 'Approved'
    transaction.paidAt = books.now()
    books.move(
      'pending',
      amount - transaction.fees,
      'Transaction',
      id,
      `Deposit to ${account.number}`,
    )
    events.emit(
      'open_account',
      transaction.reference,
      'charge.success',
      transactionBody(books, transaction),
    )
    return transaction
  }

  const bank = {
    banks,
    dueOf,
    /**
     * Somebody sends money to an account that Paystack gave out. `returned` is back with the
     * sender.
     * @param credit.unnoticed Paystack learns of it by a requery only
     */
    credit(number: string, credit: Credit): 'paid' | 'returned' | 'unnoticed' {
      const waiting = books.transactions.findLast((one) => one.account?.number === number)
      if (waiting !== undefined) return creditOneTime(waiting, credit)
      const account = found(books.accounts, (one) => one.number === number, `account ${number}`)
      if (!account.assigned) return 'returned'
      if (credit.unnoticed) {
        unnoticed.push({ number, credit })
        return 'unnoticed'
      }
      creditDedicated(account, credit)
      return 'paid'
    },
    requery(number: string): number {
      const mine = unnoticed.filter((one) => one.number === number)
      for (const one of mine) {
        unnoticed.splice(unnoticed.indexOf(one), 1)
        bank.credit(number, { ...one.credit, unnoticed: false })
      }
      return mine.length
    },
    /** Says whose account one is; null for nobody's. Others are of one made-up holder. */
    name: (bankCode: string, account: string, name: string | null): void =>
      void names.set(`${bankCode} ${account}`, name),
    holderOf(bankCode: string, account: string): string | null {
      if (!/^\d{10}$/.test(account) || bank.find(bankCode) === undefined) return null
      if (bankCode === testBank.code) return `TEST ACCOUNT ${account}`
      const given = names.get(`${bankCode} ${account}`)
      return given === undefined ? 'ADA NGOZI OKAFOR' : given
    },
    find: (code: string): Bank | undefined =>
      [...banks, testBank].find((one) => one.code === code && one.active),
  }

  return { payer, bank }
}
