import type { AnswerOf } from '../../../core/operations.ts'
import { html } from '../../../lib/html.ts'
import type { Visit } from '../place.ts'
import { converting } from '../readiness.ts'
import { copied, linkTo } from '../related.ts'
import type { Action, Foreseen, NoRecord, Resource } from '../resource.ts'
import { cells } from '../tables.ts'
import { en, wordOf } from '../view/strings.ts'
import { requireAvailable, workingCurrency } from './choosing.ts'

type Conversion = AnswerOf<'getConversion'>

type Wallet = Conversion['currency']
type ConversionForm = { amount: number; currency: Wallet; quote: string }

const other = (currency: Wallet): Wallet => (currency === 'ngn' ? 'usd' : 'ngn')

async function foresee(
  { amount, currency }: ConversionForm,
  { api, show }: Visit,
): Promise<Foreseen> {
  const quote = await api.quoteConversion({
    body: { amount, currency, destination_currency: other(currency) },
  })
  const wallets = await api.listWallets()
  const available = wallets.find((one) => one.currency === currency)?.available ?? 0
  requireAvailable({ amount, currency }, available, { show })
  const money = (value: number): string => show.money(value, currency)
  return {
    lines: [
      html`<strong>${money(amount)}</strong> leaves your ${wordOf(currency)} wallet, which has ${money(available)} available, and ${money(available - amount)} then.`,
      `The fee is ${money(quote.fee)}.`,
      html`<strong>${show.money(quote.destination_amount, quote.destination_currency)}</strong> is added to your ${wordOf(quote.destination_currency)} wallet, at a rate of ${quote.rate}.`,
      `This price holds until ${show.time(quote.expires_at)}. A conversion cannot be undone.`,
    ],
    values: { quote: quote.id },
  }
}

const create: Action<'createConversion', NoRecord, ConversionForm> = {
  name: 'new',
  title: 'Convert money',
  confirm: 'Convert',
  operation: 'createConversion',
  needs: converting,
  fields: (seen) => [
    { ...workingCurrency(converting(seen)), label: 'From wallet' },
    {
      name: 'amount',
      label: 'Amount',
      kind: 'money',
      required: true,
      hint: 'The amount that leaves the wallet. The other wallet receives it less the fee, which you see before you confirm.',
    },
    { name: 'quote', label: '', kind: 'hidden' },
  ],
  input: ({ body }) => ({ body: { quote: body.quote } }),
  foresee: ({ body }, visit) => foresee(body, visit),
  fillsIn: true,
  done: 'Money converted.',
}

export const conversions: Resource<Conversion> = {
  path: 'conversions',
  title: 'Conversions',
  one: 'conversion',
  more: 'conversions',
  group: 'out',
  list: 'listConversions',
  get: 'getConversion',
  key: 'id',
  exports: 'exportConversions',
  about: 'Money that you moved from one wallet to the other.',
  columns: [
    { title: 'Out', cell: cells.money('amount') },
    {
      title: 'In',
      cell: ({ destination_amount, destination_currency }, { show }) =>
        show.money(destination_amount, destination_currency),
    },
    { title: 'Created', cell: cells.created },
    { title: 'Rate', cell: cells.text('rate'), less: true },
    { title: 'Reference', cell: cells.text('reference'), less: true },
  ],
  heading: ({ amount, currency }, { show }) => show.money(amount, currency),
  called: () => 'Conversion',
  rows: (doc, seen) => [
    [
      'Added to the other wallet',
      seen.show.money(doc.destination_amount, doc.destination_currency),
    ],
    ['Fee', seen.show.money(doc.fee, doc.currency)],
    ['Rate', doc.rate],
    ['Reference', copied(doc.reference)],
    ['Transaction out', linkTo(seen, 'transactions', doc.transaction, en.see('transaction'))],
    [
      'Transaction in',
      linkTo(seen, 'transactions', doc.destination_transaction, en.see('transaction')),
    ],
  ],
  actions: [],
  create,
}
