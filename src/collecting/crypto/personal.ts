import { recordsOf } from '../../core/personal.ts'

/** The labels of crypto wallets. */
export const personalWallets = recordsOf({
  table: 'crypto_wallets',
  needs: {
    where: `status = 'active'`,
    says: (id) =>
      `Crypto wallet '${id}' takes money for the customer: close it (PATCH /crypto/wallets/${id}/close).`,
  },
  empties: { set: 'label = null', where: 'label is not null' },
})
