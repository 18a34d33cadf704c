import { type Transaction, TransactionRecord } from '../../books/transactions/transactions.ts'
import { type EventDeclaration, eventOf } from '../../core/module.ts'
import { newId } from '../../lib/ids.ts'
import { sampleBase } from '../../platform/events/events.ts'

/** The event types of deposits: each carries the transaction. */
export const depositEvents = {
  'virtual_account.deposit': depositEvent(
    'Money arrived on a virtual account.',
    'virtual_account',
    {
      method: 'bank_transfer',
      currency: 'ngn',
      source: {
        account_name: 'Ada Okafor',
        account_number: '0123456789',
        bank_name: 'Guaranty Trust Bank',
      },
    },
  ),
  'crypto.deposit': depositEvent('A stablecoin deposit was credited.', 'crypto_wallet', {
    method: 'crypto',
    currency: 'usd',
    source: {
      currency: 'usdc',
      chain: 'base',
      address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    },
  }),
}

function depositEvent(
  meaning: string,
  related: 'virtual_account' | 'crypto_wallet',
  came: Pick<Transaction, 'method' | 'currency' | 'source'>,
): EventDeclaration<typeof TransactionRecord> {
  return eventOf(
    meaning,
    TransactionRecord,
    (scope) => ({
      ...sampleBase(scope),
      type: 'deposit',
      direction: 'credit',
      status: 'completed',
      amount: 250_000n,
      fee: 2_500n,
      net: 247_500n,
      balance_after: 247_500n,
      balance_change: 247_500n,
      completed_at: scope.now,
      late: false,
      reference: null,
      customer: null,
      ...came,
      related: { [related]: newId(scope.now) },
    }),
    { source: null },
  )
}
