import { momentsOf, type TimelineSource } from '../../core/timeline.ts'
import { selectCryptoWallet } from './sql.ts'

export const cryptoWalletTimeline: TimelineSource = {
  kind: 'crypto_wallet',
  async read(view, id) {
    const row = await view.row(selectCryptoWallet, [id])
    if (!row) return null
    const { status, address, label, reference, created_at, updated_at } = row
    const ids = { crypto_wallet: id }
    return {
      status,
      moments: momentsOf([
        {
          at: created_at,
          title: 'The wallet was opened',
          detail: { address, label, reference },
          ids,
        },
        { at: status === 'closed' ? updated_at : null, title: 'The wallet was closed', ids },
      ]),
      related: { customer: row.customer_id },
    }
  },
}
