import { momentsOf, type TimelineSource } from '../../core/timeline.ts'
import { selectWallet } from './sql.ts'
import { walletIn } from './wallets.ts'

/** Its movements are in the timelines of its transactions. */
export const walletTimeline: TimelineSource = {
  kind: 'wallet',
  async read(view, id) {
    const row = await view.row(selectWallet, [id])
    if (!row) return null
    const { currency, created_at } = row
    const { available, pending, updated_at } = await walletIn(view, currency)
    return {
      status: null,
      moments: momentsOf([
        { at: created_at, title: 'The wallet was opened', detail: { currency } },
        {
          at: updated_at > created_at ? updated_at : null,
          title: 'What the wallet holds last changed',
          detail: { currency, available, pending },
        },
      ]),
    }
  },
}
