/**
 * Writes to records that move no money. Each record is one client's own, so that at rest it must
 * be, to the last field, what that client was answered last.
 */
import type { Client } from './client.ts'
import { own } from './model.ts'
import type { Operation } from './money.ts'
import type { Json } from './requests.ts'

/**
 * One step of a record's life: what it is called, how it is asked for, and whether the record is
 * gone afterwards.
 */
type Step = {
  operation: string
  method: string
  path: (record: Json) => string
  body?: (client: Client) => Json
  refusals?: readonly string[]
  gone?: boolean
}

type Kind = { path: string; create: string; body(client: Client): Json; steps: readonly Step[] }

const bank = { bank_code: '058', account_number: '0123456789' }
const at =
  (path: string, more = '') =>
  (record: Json): string =>
    `${path}/${record.id}${more}`
const name = ({ by }: Client): string =>
  by.one(['Running shoes', 'Adá “Ọkáfọ̀” 🙂', 'x', 'School fees'])

const kinds: readonly Kind[] = [
  {
    path: '/customers',
    create: 'createCustomer',
    body: (client) => ({
      name: name(client),
      email: `${client.name('c')}@example.com`,
      metadata: { n: client.by.below(9) },
    }),
    steps: [
      {
        operation: 'updateCustomer',
        method: 'PUT',
        path: at('/customers'),
        body: ({ by }) => ({ phone: `+234808765${1_000 + by.below(9_000)}` }),
      },
      { operation: 'deleteCustomer', method: 'DELETE', path: at('/customers'), gone: true },
    ],
  },
  {
    path: '/products',
    create: 'createProduct',
    body: (client) => ({ name: name(client), amount: 1 + client.by.below(1e6), currency: 'ngn' }),
    steps: [
      {
        operation: 'updateProduct',
        method: 'PUT',
        path: at('/products'),
        body: ({ by }) => ({ amount: 1 + by.below(1e9) }),
      },
      { operation: 'archiveProduct', method: 'PATCH', path: at('/products', '/archive') },
      { operation: 'unarchiveProduct', method: 'PATCH', path: at('/products', '/unarchive') },
    ],
  },
  {
    path: '/collections',
    create: 'createCollection',
    body: (client) => ({
      name: name(client),
      currency: 'ngn',
      amount: 10_000 + client.by.below(1e6),
    }),
    steps: [
      {
        operation: 'updateCollection',
        method: 'PUT',
        path: at('/collections'),
        body: ({ by }) => ({ description: null, amount: 10_000 + by.below(1e6) }),
        refusals: ['collection_canceled'],
      },
      {
        operation: 'cancelCollection',
        method: 'POST',
        path: at('/collections', '/cancel'),
        refusals: ['collection_canceled'],
      },
    ],
  },
  {
    path: '/beneficiaries',
    create: 'createBeneficiary',
    body: (client) => ({ label: name(client), method: 'bank_transfer', destination: bank }),
    steps: [
      {
        operation: 'updateBeneficiary',
        method: 'PATCH',
        path: at('/beneficiaries'),
        body: (client) => ({ label: name(client) }),
      },
      { operation: 'deleteBeneficiary', method: 'DELETE', path: at('/beneficiaries'), gone: true },
    ],
  },
  {
    path: '/distributions',
    create: 'createDistribution',
    body: (client) => ({
      name: name(client),
      currency: 'ngn',
      shares: [
        { name: 'Shoemaker', percentage_bps: 1 + client.by.below(9_000), destination: bank },
      ],
    }),
    steps: [
      {
        operation: 'updateDistribution',
        method: 'PUT',
        path: at('/distributions'),
        body: (client) => ({ name: name(client) }),
      },
      {
        operation: 'deactivateDistribution',
        method: 'PATCH',
        path: at('/distributions', '/deactivate'),
      },
      {
        operation: 'activateDistribution',
        method: 'PATCH',
        path: at('/distributions', '/activate'),
      },
    ],
  },
  {
    path: '/crypto/wallets',
    create: 'createCryptoWallet',
    body: (client) => ({ label: name(client) }),
    steps: [
      {
        operation: 'closeCryptoWallet',
        method: 'PATCH',
        path: at('/crypto/wallets', '/close'),
        refusals: ['wallet_not_active'],
      },
    ],
  },
]

/** So many records of a kind a client goes on with. */
const mostMine = 8

/** Begins a record, or goes on with one of this client's. */
async function step(client: Client, kind: Kind): Promise<void> {
  const { by, model } = client
  const shelf = `${client.number} ${kind.path}`
  const mine = model.mine.get(shelf) ?? []
  if (mine.length === 0 || by.happens(0.25)) {
    const made = await client.write(kind.create, 'POST', kind.path, kind.body(client))
    if (!made) return
    const path = `${kind.path}/${made.data.id}`
    own(model, path, made.data)
    // Of those that are put aside, what they were last is looked at in the end all the same.
    model.mine.set(shelf, [...mine, path].slice(-mostMine))
    return
  }
  const path = by.one(mine)
  const record = model.owned.get(path)
  const { operation, method, path: of, body, refusals = [], gone = false } = by.one(kind.steps)
  // Asked again after a lost answer, what is done is done: the second time may say so.
  const done = await client.write(operation, method, of(record), body?.(client), [
    ...refusals,
    ...(gone ? ['not_found'] : []),
  ])
  if (gone) {
    model.owned.delete(path)
    model.written.delete(path)
    model.mine.set(
      shelf,
      mine.filter((one) => one !== path),
    )
    model.absent.add(path)
  } else if (done) own(model, path, done.data)
  else own(model, path, (await client.get(path)).data)
}

export const owned: Operation[] = kinds.map((kind) => ({
  weight: 20,
  run: (client) => step(client, kind),
}))
