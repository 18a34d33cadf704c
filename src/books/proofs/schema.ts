import { AmountOut, Body, Day, IdText, Nullable, Type } from '../../lib/schema.ts'

const Hash = (description: string) => Type.String({ description, examples: ['9f86d081884c7d65…'] })
const Digits = (description: string) => Type.String({ description, examples: ['312'] })
const Path = (description: string) =>
  Type.Array(Type.String(), {
    description: `${description}: each is \`left:\` or \`right:\`, where it stands, and a hash.`,
    examples: [['right:9f86d081884c7d65…']],
  })
const Closed = <P extends Parameters<typeof Type.Object>[0]>(
  title: string,
  description: string,
  properties: P,
) => Type.Object(properties, { title, description })

const signed = {
  cell: Type.String({ description: 'The letter of the cell.', examples: ['a'] }),
  root: Hash('Over the chains of all businesses of the cell.'),
  previous: Hash('SHA-256 of what the proof of the day before says; zeros of the first.'),
  key: Type.String({
    description: 'The id of the key that signed it.',
    examples: ['5891b5b522d5df08'],
  }),
  signature: Type.String({ description: 'Ed25519 of what it says, in base64.' }),
}

export const ProofParams = Body({ day: Day('The day in UTC, as 2026-11-20.') })

export const ProofOfDay = Closed('ProofOfDay', 'What proves all that was sealed on a day.', {
  day: Day('The day in UTC.'),
  cells: Type.Array(Closed('CellProof', 'The proof of a cell.', signed), {
    description: 'Of each cell that has one; most installations have one cell.',
  }),
  missing: Type.Array(Type.String(), {
    description: 'Cells that have none yet, by their letters.',
  }),
  absent: Type.Array(Type.String(), {
    description:
      'Cells that say that they have none of this day, and will have none, or that they sign none.',
  }),
  unavailable: Type.Array(Type.String(), { description: 'Cells that do not answer now.' }),
})

export const ProofKeyRecord = Closed('ProofKey', 'A key that signed proofs.', {
  id: Type.String({ description: 'The first 16 hex digits of the SHA-256 of the key.' }),
  public_key: Type.String({ description: 'The 32 bytes of the Ed25519 key, in base64.' }),
  from: Day('The first day whose proof it signed.'),
  until: Nullable(Day('The last one; null of the key in use.')),
})

const ReceiptPosting = Closed(
  'ReceiptPosting',
  'A movement of the transaction, with what leads from it to its seal.',
  {
    posting: Digits('Its number.'),
    debit: Type.String({
      description: 'The account that it left.',
      examples: ['rail_clearing:ngn:sandbox'],
    }),
    credit: Type.String({
      description: 'The account that it came to.',
      examples: ['wallet_available:ngn'],
    }),
    amount: AmountOut('Minor units.'),
    currency: Type.String({ examples: ['ngn'] }),
    kind: Type.String({ description: 'Why it was moved.', examples: ['deposit'] }),
    subject: IdText('The record that moved it.'),
    posted_at: Type.String({
      description: 'When, as it was hashed.',
      examples: ['2026-11-20T10:00:00.000Z'],
    }),
    blind: Type.String({ description: 'Keeps others from guessing it.' }),
    path: Path('From it to the root of its seal'),
  },
)

const ReceiptSeal = Closed('ReceiptSeal', 'Postings that were sealed together.', {
  number: Digits('Its place in the chain of the business and mode.'),
  count: Digits('How many postings it has.'),
  previous: Hash('The seal before.'),
  postings: Type.Array(ReceiptPosting),
  path: Path('From it to the root of the day of the business'),
})

const ReceiptDay = Closed(
  'ReceiptDay',
  'A day on which postings of the transaction were sealed, and its proof.',
  {
    day: Day('In UTC.'),
    blind: Type.String({ description: 'Keeps others from finding the business.' }),
    seals: Type.Array(ReceiptSeal),
    path: Path('From the day of the business to the root of the day'),
    ...signed,
  },
)

export const TransactionReceipt = Closed(
  'TransactionReceipt',
  'What a transaction moved, with the proof that the ledger had it so. Anyone checks it without the server.',
  {
    format: Type.String({ description: '`bursar receipt 1`.' }),
    business: IdText('Whose transaction it is.'),
    mode: Type.String({ description: '`live` or `test`.' }),
    transaction: IdText('The transaction.'),
    days: Type.Array(ReceiptDay, { description: 'In their order.' }),
  },
)
