import { TransactionRecord } from '../../books/transactions/transactions.ts'
import { named, routesOf } from '../../core/route.ts'
import { bookMany } from './booking.ts'
import { listDeposits } from './chain.ts'
import { bookAssessed, prepareDeposit, screenTokens, simulateTokens } from './deposits.ts'
import { depositRefusals } from './refusals.ts'
import * as schemas from './schema.ts'
import { changeTierLimits, getTierLimits } from './tiers.ts'

const accounts = routesOf('Virtual accounts', depositRefusals)
const crypto = routesOf('Crypto', depositRefusals)

export const depositRoutes = named({
  simulateVirtualAccountDeposit: accounts.post('/virtual-accounts/{id}/simulate-deposit', {
    scope: 'collect',
    allowedWhenStopped: true,
    summary: 'Have test money arrive',
    description:
      'Takes the way that a bank’s notice takes. The answer is the transaction; the same `notice` again gives the same one.',
    mode: 'test',
    example: {
      amount: 1_250_000,
      sender: {
        account_name: 'Obi Eze',
        account_number: '0123456789',
        bank_name: 'Guaranty Trust Bank',
        bank_code: '058',
      },
    },
    schema: {
      params: schemas.AccountParams,
      body: schemas.SimulateDepositIn,
      data: TransactionRecord,
    },
    refuses: ['amount_too_large', 'notice_reused', 'deposit_not_simulated'],
    message: 'Deposit booked',
    prepare: (ctx, { params, body }) => prepareDeposit(ctx, params.id, body),
    run: (work, { account, notification, seen }) => bookAssessed(work, account, notification, seen),
    // What comes for a payment locks it, and what it belongs to, before the ledger: it goes alone.
    mayShare: ({ account, seen }) =>
      account.payment_id === null && seen.held === null && !seen.limited,
    together: (tx, deposits) =>
      bookMany(
        tx,
        deposits.map(({ deposit }) => deposit),
      ),
  }),
  simulateCryptoWalletDeposit: crypto.post('/crypto/wallets/{id}/simulate-deposit', {
    scope: 'collect',
    allowedWhenStopped: true,
    summary: 'Have test tokens arrive',
    description:
      'Confirmed already, and without any node. The answer is the transaction; the same `notice` again gives the same one.',
    mode: 'test',
    example: { amount: 5_000, currency: 'usdc', chain: 'base' },
    schema: {
      params: schemas.WalletParams,
      body: schemas.SimulateTokensIn,
      data: TransactionRecord,
    },
    refuses: ['unsupported_chain', 'amount_too_large', 'notice_reused'],
    message: 'Deposit booked',
    prepare: async (ctx, { params, body }) => ({
      params,
      body,
      held: await screenTokens(ctx, body),
    }),
    run: (work, { params, body, held }) => simulateTokens(work, params.id, body, held),
  }),
  listCryptoWalletDeposits: crypto.get('/crypto/wallets/{id}/deposits', {
    scope: 'read',
    summary: 'List what was sent to a crypto wallet on chains',
    description:
      'Newest first, from the moment a block holds it. Simulated deposits are transactions only.',
    schema: {
      params: schemas.WalletParams,
      query: schemas.ChainDepositQuery,
      data: schemas.ChainDepositPage,
    },
    message: 'Deposits',
    read: (ctx, { params, query }) => listDeposits(ctx, params.id, query),
  }),
})

const ofOperator = routesOf('Operator', depositRefusals)

export const operatorDepositRoutes = named({
  getTierLimits: ofOperator.get('/operator/tier-limits', {
    scope: 'operator',
    summary: 'Get what customers may send',
    description: 'Without anybody looking, by their identity tier: in all businesses.',
    schema: { data: schemas.TierLimitsRecord },
    message: 'Limits of customers',
    read: (ctx) => getTierLimits(ctx),
  }),
  changeTierLimits: ofOperator.put('/operator/tier-limits', {
    scope: 'operator',
    givesPower: true,
    summary: 'Change what customers may send',
    description:
      'From now on, in live mode and, counted apart, in test mode; fields that are left out stay as they are. A deposit of a customer that goes above waits in `pending` for a person, as what screening holds does.',
    example: {
      limits: [{ tier: 0, currency: 'ngn', max_deposit: 5_000_000, max_daily: 20_000_000 }],
    },
    schema: { body: schemas.TierLimitsIn, data: schemas.TierLimitsRecord },
    message: 'Limits changed',
    run: (work, { body }) => changeTierLimits(work, body),
  }),
})
