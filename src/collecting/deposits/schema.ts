import { cryptoCurrencies, walletCurrencies } from '../../lib/money.ts'
import * as s from '../../lib/schema.ts'

const SenderIn = s.Body(
  {
    account_name: s.Type.Optional(s.Line(1, 140, { description: 'The holder.' })),
    account_number: s.Type.Optional(s.AccountNumber('The account number.')),
    bank_name: s.Type.Optional(s.Line(1, 140, { description: 'The bank.' })),
    bank_code: s.Type.Optional(
      s.Text(1, 20, {
        description:
          'Its code: of GET /misc/ng/banks, or a routing number. A refund goes back by it, or by the bank’s name.',
      }),
    ),
  },
  { title: 'Sender', description: 'Who sends the money. Left out, the bank does not tell.' },
)

export const SimulateDepositIn = s.Body({
  amount: s.Type.Optional(
    s.AmountIn(
      1,
      'How much, in minor units. A dynamic account knows its amount; a static one needs it.',
    ),
  ),
  sender: s.Type.Optional(SenderIn),
  notice: s.Type.Optional(
    s.Text(1, 100, {
      description:
        'The bank’s own id of the deposit. The same one again is the same deposit, and moves nothing; with another amount or account it is a 409. Default: a new one.',
    }),
  ),
})

export const AccountParams = s.Body({ id: s.Type.String({ description: 'The virtual account.' }) })

export const SimulateTokensIn = s.Body({
  amount: s.AmountIn(1, 'How much, in cents of the token.'),
  currency: s.OneOf(cryptoCurrencies, { description: 'The token.' }),
  chain: s.Type.Optional(
    s.Text(1, 40, { description: 'A network id of GET /crypto/tokens. Default: `base`.' }),
  ),
  sender: s.Type.Optional(
    s.EvmAddress('The address it comes from. Default: an address without an owner.'),
  ),
  notice: s.Type.Optional(
    s.Text(1, 100, {
      description:
        'An id of the deposit: the same one again moves nothing; with other tokens or another wallet it is a 409. Default: a new one.',
    }),
  ),
})

const most = (what: string) => `${what} Null: there is no such limit.`
const tierLimit = {
  max_deposit: 'Deposits of more than this wait for a person, in minor units.',
  max_daily:
    'Deposits wait that would bring what a customer sends in a day of UTC above this, in minor units.',
  max_daily_count: 'More deposits of a customer than this wait in a day of UTC.',
}
const Tier = s.Small(
  'How well it is known who a customer is. 0: nothing is verified; 1: a bvn or nin is; 2: a passport, driver’s licence or voter’s card is too.',
  { minimum: 0, maximum: 2 },
)
const currency = s.OneOf(walletCurrencies, { description: 'What the deposits are credited in.' })

export const TierLimitsRecord = s.Type.Object(
  {
    limits: s.Type.Array(
      s.Type.Object(
        {
          tier: Tier,
          currency,
          max_deposit: s.Nullable(s.AmountOut(most(tierLimit.max_deposit))),
          max_daily: s.Nullable(s.AmountOut(most(tierLimit.max_daily))),
          max_daily_count: s.Nullable(
            s.Type.Unsafe<bigint>(s.Count(most(tierLimit.max_daily_count), { examples: [20] })),
          ),
        },
        {
          title: 'TierLimit',
          description: 'What a customer of a tier may send without anybody looking.',
        },
      ),
      { description: 'One for each tier and currency.' },
    ),
  },
  {
    title: 'TierLimits',
    description:
      'What customers may send without anybody looking, by their identity tier; of all businesses, counted in each mode apart.',
  },
)
export const TierLimitsIn = s.Body({
  limits: s.Type.Array(
    s.Body(
      {
        tier: Tier,
        currency,
        max_deposit: s.Type.Optional(s.Nullable(s.AmountIn(0, most(tierLimit.max_deposit)))),
        max_daily: s.Type.Optional(s.Nullable(s.AmountIn(0, most(tierLimit.max_daily)))),
        max_daily_count: s.Type.Optional(
          s.Nullable(
            s.Count(most(tierLimit.max_daily_count), {
              minimum: 0,
              maximum: Number.MAX_SAFE_INTEGER,
              examples: [20],
            }),
          ),
        ),
      },
      { title: 'TierLimitChange', description: 'What changes of a limit.' },
    ),
    { maxItems: 3 * walletCurrencies.length, description: 'What is left out stays as it is.' },
  ),
})

export const depositStatuses = s.Named('CryptoDepositStatus', [
  'pending',
  'held',
  'credited',
  'dropped',
])

export const ChainDepositRecord = s.RecordOf(
  'CryptoDeposit',
  'Tokens that were sent to an address on a chain.',
  {
    crypto_wallet: s.IdText('Whose address it is.'),
    network: s.Type.String({ description: 'The network.' }),
    currency: s.OneOf(cryptoCurrencies, { description: 'The token.' }),
    amount: s.AmountOut(
      'Whole cents of the token. What is less than a cent is kept in an account of its own.',
    ),
    units: s.Type.String({ description: 'In the token’s own units, as a decimal number.' }),
    from_address: s.Type.String({ description: 'Who sent it.' }),
    tx_hash: s.Type.String({ description: 'The transaction on the chain.' }),
    block_number: s.Count('The block that holds it.'),
    confirmations: s.Count('Blocks on top of it so far, as far as it counts.'),
    confirmations_needed: s.Small('Blocks on top of it before it is credited.'),
    status: s.OneOf(depositStatuses, {
      description:
        '`held`: screening holds it until a person of the operator’s has looked (`review` of its transaction). `dropped`: its block is gone from the chain; when it is mined again it is `pending` again.',
    }),
    transaction: s.Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Its transaction, `pending` until it is credited; null for less than a cent.',
    }),
  },
)

export const ChainDepositQuery = s.Body({
  ...s.pageQuery,
  status: s.Type.Optional(s.OneOf(depositStatuses, { description: 'Only this status.' })),
})

export const ChainDepositPage = s.Page(ChainDepositRecord)

export const WalletParams = s.Body({ id: s.Type.String({ description: 'The crypto wallet.' }) })
