import { AmountIn, Body, Text, Type } from '../lib/schema.ts'

const SenderIn = Body(
  {
    account_name: Type.Optional(Text(1, 140, { description: 'The holder.' })),
    account_number: Type.Optional(Type.String({ pattern: '^[0-9]{4,17}$', description: 'The account number.' })),
    bank_name: Type.Optional(Text(1, 140, { description: 'The bank.' })),
    bank_code: Type.Optional(
      Text(1, 20, {
        description:
          'Its code: of GET /misc/ng/banks, or a routing number. A refund goes back by it, or by the bank’s name.',
      }),
    ),
  },
  { title: 'Sender', description: 'Who sends the money. Left out, the bank does not tell.' },
)

export const SimulateDepositIn = Body({
  amount: Type.Optional(
    AmountIn(1, 'How much, in minor units. A dynamic account knows its amount; a static one needs it.'),
  ),
  sender: Type.Optional(SenderIn),
  notice: Type.Optional(
    Text(1, 100, {
      description:
        'The bank’s own id of the deposit. The same one again is the same deposit, and moves nothing. Default: a new one.',
    }),
  ),
})

export const AccountParams = Body({ id: Type.String({ description: 'The virtual account.' }) })
