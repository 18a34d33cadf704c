import { operator } from '../../books/ledger/ledger.ts'
import type { Check } from '../../core/module.ts'
import { knownNetworks } from '../../rails/reference/networks.ts'

const testnets = knownNetworks.filter(({ testnet }) => testnet).map(({ id }) => `'${id}'`)

export const cryptoChecks: Check[] = [
  {
    // Who follows what was sent, until it is final, begins with what was signed.
    name: 'every sweep, payout and order of gas on its way has what was signed',
    text: `
      select '${operator}' as business_id, network not in (${testnets}) as livemode, concat_ws(' ', kind, id, 'on', network) as what,
             'what was signed' as expected, 'none' as found
        from evm_transactions t
       where status = 'sent'
         and not exists (select from evm_broadcasts b where b.network = t.network and b.id = t.id)`,
  },
]
