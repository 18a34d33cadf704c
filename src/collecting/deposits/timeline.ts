import { confirmingOf, momentsOf, type Part, type TimelineSource } from '../../core/timeline.ts'
import { selectDeposit, selectIdsOfSubject } from './sql.ts'

/** Transfers of tokens, from the moment they are seen on a chain. */
export const chainDepositTimeline: TimelineSource = {
  kind: 'crypto_deposit',
  async read(view, id) {
    const row = await view.row(selectDeposit, [id])
    if (!row) return null
    const {
      status,
      kind,
      subject,
      network,
      currency,
      amount,
      worth,
      tx_hash,
      created_at,
      updated_at,
    } = row
    const ids = { crypto_deposit: id, transaction: row.transaction_id }
    const owner = kind === 'payment' ? { payment: subject } : { crypto_wallet: subject }
    return {
      status,
      moments: momentsOf([
        {
          at: created_at,
          title: 'A transfer was seen on the network',
          detail: {
            network,
            currency,
            amount,
            worth,
            from_address: row.from_address,
            to_address: row.to_address,
          },
          ids,
        },
        {
          at: created_at,
          kind: 'provider',
          title: 'The network has the transfer',
          detail: { tx_hash, block_number: row.block_number },
          ids,
        },
        ...(status === 'pending'
          ? [{ ...confirmingOf(view, network, created_at, 'transfer'), ids }]
          : []),
        {
          at: status === 'credited' ? updated_at : null,
          title: 'The transfer was confirmed and credited',
          ids,
        },
        {
          at: status === 'held' ? updated_at : null,
          title: 'The transfer was confirmed, and screening holds it',
          ids,
        },
        {
          at: status === 'dropped' ? updated_at : null,
          title: 'The transfer is gone from the network',
          ids,
        },
      ]),
      parts: [
        { kind: 'transaction', id: row.transaction_id },
        ...(kind === 'payment' ? [{ kind: 'payment', id: subject }] : []),
      ],
      related: { ...owner, transaction: row.transaction_id },
    }
  },
  partsOf: { payment: chainDepositsOf, crypto_wallet: chainDepositsOf },
}

async function chainDepositsOf(
  ...[view, subject, limit]: Parameters<NonNullable<TimelineSource['partsOf']>[string]>
) {
  const rows = await view.rows(selectIdsOfSubject, [subject, limit])
  return rows.map(({ id }): Part => ({ kind: 'crypto_deposit', id }))
}
