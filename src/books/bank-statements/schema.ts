import { walletCurrencies } from '../../lib/money.ts'
import * as s from '../../lib/schema.ts'
import { bankFormats } from './formats.ts'

export const BankStatementQuery = s.Body({
  currency: s.OneOf(walletCurrencies, {
    description:
      'The wallet. Stablecoins have none: they are credited to the `usd` wallet, so each statement has a currency of ISO 4217.',
  }),
  format: s.OneOf(s.Named('BankStatementFormat', bankFormats), {
    description: 'The message of ISO 20022, or of SWIFT.',
  }),
  from: s.Type.Optional(
    s.Day('The first day, of your time zone. Default: `to`, for the statement of one day.'),
  ),
  to: s.Type.Optional(s.Day('The last day, which must be over. Default: yesterday.')),
})

export const BankStatementFile = s.Type.Unsafe<AsyncIterable<string>>({
  type: 'string',
  description: 'XML in UTF-8, or the lines of MT940.',
})
