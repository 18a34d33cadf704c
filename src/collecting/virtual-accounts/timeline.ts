import { momentsOf, type Part, type TimelineSource } from '../../core/timeline.ts'
import { closeTask, expireTask, queryPaidTask, queryTask } from './record.ts'
import { selectById, selectIdsOfPayment } from './sql.ts'

export const accountTimeline: TimelineSource = {
  kind: 'virtual_account',
  async read(view, id) {
    const row = await view.row(selectById, [id])
    if (!row) return null
    const {
      status,
      kind,
      currency,
      amount,
      bank_name,
      account_number,
      provider_reference,
      created_at,
      updated_at,
    } = row
    const ids = { virtual_account: id }
    const failure = row.failure_reason === null ? {} : { failure_reason: row.failure_reason }
    return {
      status,
      moments: momentsOf([
        {
          at: created_at,
          title: 'A virtual account was asked for',
          detail: {
            kind,
            currency,
            ...(amount === null ? {} : { amount }),
            expires_at: row.expires_at,
          },
          ids,
        },
        {
          at: account_number === null ? null : (row.opened_at ?? created_at),
          title: 'The virtual account was opened',
          detail: { bank_name, account_number },
          ids,
          event: 'virtual_account.activated',
        },
        {
          at: provider_reference === null ? null : created_at,
          kind: 'provider',
          title: 'The bank knows the account',
          detail: { provider_reference },
          ids,
        },
        {
          at: row.sent_back_at,
          title: 'A transfer of another amount was sent back by the bank',
          ids,
        },
        {
          at: ['failed', 'closed', 'expired'].includes(status) ? updated_at : null,
          title:
            status === 'failed'
              ? 'The virtual account could not be opened'
              : `The virtual account ${status === 'closed' ? 'was closed' : 'expired'}`,
          detail: failure,
          ids,
          ...(status === 'failed' ? { event: 'virtual_account.failed' } : {}),
        },
      ]),
      related: { customer: row.customer_id, payment: row.payment_id },
    }
  },
  jobs: {
    [expireTask]: 'The virtual account expires',
    [queryTask]: 'The bank is to be asked whether the account is open',
    [closeTask]: 'The bank is to be asked to close the account',
    [queryPaidTask]: 'The bank is to be asked for deposits',
  },
  partsOf: {
    payment: async (view, payment, limit) =>
      (await view.rows(selectIdsOfPayment, [payment, limit])).map(
        ({ id }): Part => ({ kind: 'virtual_account', id }),
      ),
  },
}
