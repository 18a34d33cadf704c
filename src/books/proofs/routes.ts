import { named, type PublicRoute, publicRoute, routesOf } from '../../core/route.ts'
import { Body, Type } from '../../lib/schema.ts'
import { listKeys, proofOf } from './published.ts'
import { getReceipt } from './receipts.ts'
import { proofRefusals } from './refusals.ts'
import { ProofKeyRecord, ProofOfDay, ProofParams, TransactionReceipt } from './schema.ts'

const ofTransactions = routesOf('Transactions', proofRefusals)

export const receiptRoutes = named({
  getTransactionReceipt: ofTransactions.get('/transactions/{id}/receipt', {
    scope: 'read',
    summary: 'Get a signed receipt of a transaction',
    description:
      'What the transaction moved, and what proves that the ledger had it so on that day: it can be checked without the server, by `bursar receipt verify` or a few lines of your own (docs/proofs.md). It is there when the day in UTC is over on which its last movement was sealed.',
    refuses: ['proofs_off', 'receipt_not_ready', 'nothing_posted'],
    schema: {
      params: Body({ id: Type.String({ description: 'The transaction.' }) }),
      data: TransactionReceipt,
    },
    message: 'Receipt',
    read: (ctx, { params }) => getReceipt(ctx, params.id),
  }),
})

/** Routes without a key. */
export const proofRoutes: PublicRoute[] = [
  publicRoute({
    method: 'GET',
    id: 'listProofKeys',
    path: '/proofs/keys',
    tag: 'Proofs',
    summary: 'List the keys that signed proofs',
    description:
      'The one in use and those before it, each with the days it signed. Keep them where you verify.',
    schema: { data: Type.Array(ProofKeyRecord) },
    answer: async (app) => ({ message: 'Keys of proofs', data: await listKeys(app) }),
  }),
  publicRoute({
    method: 'GET',
    id: 'getProof',
    path: '/proofs/{day}',
    tag: 'Proofs',
    summary: 'Get the proof of a day',
    description:
      'A signed root over all that was sealed on a day in UTC, in each cell. It never changes: keep a copy to detect any later change of the ledger’s history.',
    schema: { params: ProofParams, data: ProofOfDay },
    answer: async (app, { day }) => ({ message: 'Proof', data: await proofOf(app, day) }),
  }),
]
