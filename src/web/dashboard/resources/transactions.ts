import type { AnswerOf } from '../../../core/operations.ts'
import { dayOf } from '../../../lib/days.ts'
import { html } from '../../../lib/html.ts'
import { copied, customerOf, linkTo } from '../related.ts'
import type { Resource, Row, Seen } from '../resource.ts'
import { cells } from '../tables.ts'
import { en, wordOf } from '../view/strings.ts'

/**
 * Where the records behind a transaction have their pages; payouts are found by the reference,
 * which it has.
 */
const pathOf: Record<string, string> = {
  payment: 'payments',
  refund: 'refunds',
  virtual_account: 'virtual-accounts',
  crypto_wallet: 'crypto-wallets',
  invoice: 'invoices',
  collection: 'collections',
  distribution: 'distributions',
}

type Transaction = AnswerOf<'verifyTransaction'>

const relatedRows = ({ related, reference }: Transaction, seen: Seen): Row[] =>
  Object.entries(related).map(([kind, id]) => {
    if (kind === 'payout' && reference) return [wordOf(kind), linkTo(seen, 'payouts', reference)]
    const path = pathOf[kind]
    return [
      wordOf(kind),
      path ? linkTo(seen, path, id, en.see(wordOf(kind).toLowerCase())) : copied(id),
    ]
  })

const signed = (doc: Transaction, { show }: Seen): string =>
  `${doc.direction === 'debit' ? '−' : '+'}${show.money(doc.amount, doc.currency)}`

/** The change of the balance, with the same signs. */
const changeOf = ({ balance_change: change, currency }: Transaction, { show }: Seen): string =>
  change < 0
    ? `−${show.money(-change, currency)}`
    : `${change > 0 ? '+' : ''}${show.money(change, currency)}`

export const transactions: Resource<Transaction> = {
  path: 'transactions',
  title: 'Transactions',
  one: 'transaction',
  more: 'transactions',
  group: 'books',
  list: 'listTransactions',
  get: 'verifyTransaction',
  key: 'id',
  exports: 'exportTransactions',
  tabs: 'direction',
  namesCustomers: true,
  about: 'Every movement of money into or out of a wallet.',
  columns: [
    { title: 'Amount', cell: signed },
    { title: 'Status', cell: cells.status },
    { title: 'Type', cell: cells.word('type') },
    { title: 'Time', cell: cells.created },
    {
      title: 'Completed',
      cell: ({ completed_at: at }, { show }) =>
        at
          ? html`<time datetime="${at}">${show.date(dayOf(new Date(at), show.timeZone))}</time>`
          : en.none,
      less: true,
    },
    { title: 'Change', cell: changeOf, less: true, right: true },
    { title: 'Available after', cell: cells.money('balance_after'), less: true, right: true },
  ],
  heading: signed,
  called: ({ type }) => wordOf(type),
  status: ({ status }) => status,
  rows: (doc, seen) => {
    const { show } = seen
    return [
      ['Type', wordOf(doc.type)],
      ['Method', wordOf(doc.method)],
      ...relatedRows(doc, seen),
      ['Customer', customerOf(doc, seen)],
      ['Reference', copied(doc.reference)],
      ['Fee', show.money(doc.fee, doc.currency)],
      ['Net', show.money(doc.net, doc.currency)],
      ['Change of balance', changeOf(doc, seen)],
      ['Completed', doc.completed_at ? show.time(doc.completed_at) : en.none],
      ['Available afterwards', show.money(doc.balance_after, doc.currency)],
      doc.review && [
        'Held by screening',
        html`Since ${show.time(doc.review.since)}. It is held until the server operator has reviewed it.`,
      ],
      doc.late && [
        'Late',
        'It arrived after the account was closed or the payment had ended. It is in your wallet.',
      ],
      ...Object.entries(doc.source ?? {})
        .filter(([, value]) => typeof value === 'string')
        .map(
          ([name, value]): Row => [
            `Paid by: ${wordOf(name).toLowerCase()}`,
            html`<bdi>${String(value)}</bdi>`,
          ],
        ),
    ]
  },
  actions: [],
}
