import { currencies } from '../../lib/money.ts'
import {
  AccountNumber,
  Body,
  Documented,
  Named,
  Nullable,
  OneOf,
  Text,
  Type,
} from '../../lib/schema.ts'

export const bankCountries = Named('BankCountry', ['ng', 'us'])

export const CountryParams = Body({
  country: Documented(Type.String({ description: '`ng` or `us`.' }), {
    enum: [...bankCountries],
    title: 'BankCountry',
  }),
})

export const BankRecord = Type.Object(
  {
    code: Type.String({
      description: 'What destinations name as `bank_code`; in `us` the routing number.',
    }),
    name: Type.String({ description: 'The bank’s name.' }),
    type: Type.String({ description: 'What kind of institution it is.' }),
    currency: OneOf(currencies, { description: 'What its accounts hold.' }),
    nip_code: Nullable(Type.String({ description: 'Its NIP institution code, when known.' })),
  },
  { title: 'Bank', description: 'A bank that payouts can go to.' },
)

export const ResolveQuery = Body({
  bank_code: Text(1, 20, { description: 'A code of the bank list.' }),
  account_number: AccountNumber('The account; ten digits for `ng`.'),
})

export const ResolvedAccount = Type.Object(
  {
    account_number: Type.String({ description: 'As asked.' }),
    account_name: Type.String({ description: 'The holder, as the bank knows them.' }),
    bank_code: Type.String({ description: 'As asked.' }),
    bank_name: Type.String({ description: 'The bank’s name.' }),
  },
  { title: 'ResolvedAccount', description: 'Who holds an account.' },
)
