/**
 * Where money is sent to: virtual accounts at banks, and wallets on blockchains.
 */
import type { AnswerOf } from '../../../core/operations.ts'
import { html } from '../../../lib/html.ts'
import { openingAccounts, openingWallets } from '../readiness.ts'
import { copied, customerOf, linkTo, relatedTo } from '../related.ts'
import { actionsOn, creation, type Resource, type Section } from '../resource.ts'
import { cells } from '../tables.ts'
import { badge } from '../view/parts.ts'
import { wordOf } from '../view/strings.ts'
import { customerField, readCustomer, workingCurrency } from './choosing.ts'

type VirtualAccount = AnswerOf<'getVirtualAccount'>
type CryptoWallet = AnswerOf<'getCryptoWallet'>
const onVirtualAccount = actionsOn<VirtualAccount>()
const onCryptoWallet = actionsOn<CryptoWallet>()

export const virtualAccounts: Resource<VirtualAccount> = {
  path: 'virtual-accounts',
  title: 'Virtual accounts',
  one: 'virtual account',
  more: 'virtual accounts',
  group: 'in',
  list: 'listVirtualAccounts',
  get: 'getVirtualAccount',
  key: 'id',
  exports: 'exportVirtualAccounts',
  searches: 'Account number, customer, reference or id',
  tabs: 'status',
  namesCustomers: true,
  about:
    'A virtual account is a bank account number for one customer. Money sent to it is yours, and you know who paid.',
  columns: [
    { title: 'Account', cell: (doc) => doc.account_number ?? doc.account_name },
    { title: 'Status', cell: cells.status },
    { title: 'Holder', cell: cells.text('account_name') },
    { title: 'Created', cell: cells.created },
    { title: 'Bank', cell: cells.text('bank_name'), less: true },
    { title: 'Kind', cell: cells.word('kind'), less: true },
    { title: 'Currency', cell: cells.word('currency'), less: true },
  ],
  heading: ({ account_number, account_name }) => account_number ?? account_name,
  called: ({ account_number }) =>
    account_number ? `Account ${account_number}` : 'Virtual account',
  status: ({ status }) => status,
  rows: (doc, seen) => [
    ['Account number', copied(doc.account_number)],
    ['Bank', doc.bank_name && html`${doc.bank_name} (${doc.bank_code})`],
    ['Routing number', copied(doc.routing_number)],
    ['Holder', html`<bdi>${doc.account_name}</bdi>`],
    ['Customer', customerOf(doc, seen)],
    ['Kind', doc.kind === 'static' ? 'Permanent' : 'One payment'],
    ['Amount', doc.amount !== null && seen.show.money(doc.amount, doc.currency)],
    ['Currency', wordOf(doc.currency)],
    ['Until', doc.expires_at && seen.show.time(doc.expires_at)],
    doc.failure_reason && ['Why it failed', wordOf(doc.failure_reason)],
    ['Reference', copied(doc.reference)],
    ['Payment', linkTo(seen, 'payments', doc.payment)],
    ['Provider’s reference', copied(doc.provider_reference)],
  ],
  actions: [
    onVirtualAccount({
      name: 'close',
      title: 'Close account',
      operation: 'closeVirtualAccount',
      danger: true,
      when: ({ status, payment }) => ['active', 'pending'].includes(status) && payment === null,
      foresee: () => ({
        lines: [
          'Tell the customer not to pay to it any more.',
          'Money that still arrives goes to your wallet, marked as late.',
          'It cannot be reopened.',
        ],
      }),
      done: 'Account closed.',
    }),
    onVirtualAccount({
      name: 'simulate',
      title: 'Simulate a deposit',
      operation: 'simulateVirtualAccountDeposit',
      simulates: true,
      when: ({ status }) => status === 'active',
      fields: (_seen, { kind }) => [
        { name: 'amount', label: 'Amount', kind: 'money', required: kind === 'static' },
      ],
      done: 'Test deposit received.',
      leadsTo: (_answer, { id }) => `/virtual-accounts/${id}`,
    }),
  ],
  create: creation({
    name: 'new',
    title: 'New account',
    confirm: 'Create',
    operation: 'createVirtualAccount',
    needs: openingAccounts,
    fields: (seen) => [
      customerField,
      workingCurrency(openingAccounts(seen)),
      {
        name: 'account_name',
        label: 'Holder',
        kind: 'text',
        maxLength: 140,
        hint: 'Default: the customer’s name.',
      },
    ],
    input: async ({ body }, seen) => ({
      body: { ...body, customer: await readCustomer(seen, body.customer ?? '') },
    }),
    done: 'Account opened.',
  }),
}

const deposits: Section<CryptoWallet> = {
  title: 'Deposits on chains',
  async content({ id }, { api, show }) {
    const { docs } = await api.listCryptoWalletDeposits({
      params: { id },
      query: { limit: 10 },
    })
    if (docs.length === 0) return false
    return html`<div class="scroll" tabindex="0"><table><thead><tr><th scope="col">Amount</th><th scope="col">Status</th><th scope="col">Network</th><th scope="col">Confirmations</th><th scope="col">Hash</th></tr></thead><tbody>${docs.map(
      (doc) =>
        html`<tr><td>${show.money(doc.amount, doc.currency)}</td><td>${badge(doc.status)}</td><td>${wordOf(doc.network)}</td><td>${doc.confirmations} of ${doc.confirmations_needed}</td><td><code>${doc.tx_hash}</code></td></tr>`,
    )}</tbody></table></div>`
  },
}

export const cryptoWallets: Resource<CryptoWallet> = {
  path: 'crypto-wallets',
  title: 'Crypto wallets',
  one: 'crypto wallet',
  more: 'crypto wallets',
  group: 'in',
  list: 'listCryptoWallets',
  get: 'getCryptoWallet',
  key: 'id',
  exports: 'exportCryptoWallets',
  searches: 'Label, address, reference or id',
  tabs: 'status',
  namesCustomers: true,
  about:
    'A crypto wallet is an address that receives stablecoins. It is the same on every network.',
  columns: [
    {
      title: 'Address',
      cell: ({ address }) => html`<code>${address.slice(0, 10)}…${address.slice(-6)}</code>`,
    },
    { title: 'Status', cell: cells.status },
    {
      title: 'Label',
      cell: (doc, seen) => (doc.label ? html`<bdi>${doc.label}</bdi>` : seen.nameOf(doc.customer)),
    },
    { title: 'Created', cell: cells.created },
    { title: 'Reference', cell: cells.text('reference'), less: true },
  ],
  heading: ({ label, address }) => label ?? html`<code>${address}</code>`,
  called: ({ label }) => label ?? 'Crypto wallet',
  status: ({ status }) => status,
  rows: (doc, seen) => [
    ['Address', copied(doc.address)],
    ['Networks', (doc.networks as string[]).map(wordOf).join(', ')],
    ['Customer', customerOf(doc, seen)],
    ['Reference', copied(doc.reference)],
  ],
  sections: [deposits],
  actions: [
    onCryptoWallet({
      name: 'close',
      title: 'Close wallet',
      operation: 'closeCryptoWallet',
      danger: true,
      when: ({ status }) => status === 'active',
      foresee: () => ({
        lines: [
          'Tell everyone who has the address not to send to it any more.',
          'Money that still arrives goes to your wallet, marked as late.',
          'It cannot be reopened.',
        ],
      }),
      done: 'Wallet closed.',
    }),
    onCryptoWallet({
      name: 'simulate',
      title: 'Simulate a deposit',
      operation: 'simulateCryptoWalletDeposit',
      simulates: true,
      when: ({ status }) => status === 'active',
      fields: () => [
        { name: 'amount', label: 'Amount', kind: 'money', required: true },
        {
          name: 'currency',
          label: 'Stablecoin',
          kind: 'select',
          required: true,
          options: [
            ['usdc', 'USDC'],
            ['usdt', 'USDT'],
          ],
        },
      ],
      done: 'Test tokens received.',
      leadsTo: (_answer, { id }) => `/crypto-wallets/${id}`,
    }),
  ],
  create: creation({
    name: 'new',
    title: 'New wallet',
    confirm: 'Create',
    operation: 'createCryptoWallet',
    needs: openingWallets,
    fields: () => [
      {
        name: 'label',
        label: 'Label',
        kind: 'text',
        maxLength: 140,
        hint: 'A name for your own use.',
      },
      { ...customerField, required: false },
    ],
    input: async ({ body }, seen) => ({
      body: {
        ...body,
        ...(body.customer ? { customer: await readCustomer(seen, body.customer) } : {}),
      },
    }),
    done: 'Wallet created.',
  }),
}
export const ofCustomer = [
  relatedTo('Virtual accounts', virtualAccounts, {
    input: ({ id }) => ({ query: { customer: id } }),
    all: ({ id }) => `/virtual-accounts?customer=${id}`,
  }),
  relatedTo('Crypto wallets', cryptoWallets, {
    input: ({ id }) => ({ query: { customer: id } }),
    all: ({ id }) => `/crypto-wallets?customer=${id}`,
  }),
]
