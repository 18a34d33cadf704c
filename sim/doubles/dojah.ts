/** Dojah: whose a number is. */
import { type DojahFault, dojahFaults, lookUpPrice, startDojah } from '../../test/doubles/dojah.ts'
import { type Placed, slowMs } from './placed.ts'

const names = [
  'Ada Okafor',
  'Bola Adeyemi',
  'Chidi Eze',
  'Dayo Bello',
  'Efe Oghene',
  'Funke Alabi',
  'Gozie Nwosu',
  'Halima Sani',
  'Ife Ojo',
  'Jide Balogun',
]
export type Person = { first: string; last: string; bvn: string; nin: string }
/** Numbers of people, which no log may have: nothing else has eleven digits that begin so. */
export const numberOfPerson = /\b(?:223|703)00\d{6}\b/g

/** What a customer has given, and what its issuer has. */
export type GivenDocument = {
  customer: string
  idType: 'bvn' | 'nin'
  number: string
  due: 'verified' | 'mismatch' | 'not_found'
}

export async function openDojah() {
  const double = await startDojah({ slowMs })
  double.wallet = lookUpPrice * 100_000_000
  const documents: GivenDocument[] = []
  let made = 0
  /**
   * Somebody whose numbers nobody else has, or gives. @param known whether their issuers know them
   */
  const person = (known: boolean): Person => {
    const n = ++made
    const [first = '', last = ''] = (names[n % names.length] as string).split(' ')
    const one = { first, last, bvn: String(22_300_000_000 + n), nin: String(70_300_000_000 + n) }
    if (known) double.people.push(one)
    return one
  }
  const placed: Placed = {
    account: { provider: 'dojah', app_id: double.appId, secret_key: 'env:DOJAH_KEY' },
    env: { DOJAH_KEY: double.key },
    secrets: [double.key],
    reconciled: false,
    faults: dojahFaults,
    fitting: () => ['look_up'],
    befall: (_, fault) => double.fault(fault as DojahFault, { times: 1 }),
    befallen: () =>
      double.requests.flatMap(({ fault, type, number }) => {
        if (fault === null) return []
        // A look-up says nothing of whose customer the number is; that the wallet is empty is about
        // the account.
        return [
          {
            fault,
            of: `wallet ${type} ${documents.find((one) => one.number === number)?.customer}`,
          },
        ]
      }),
    endSome: () => {},
    notify: async () => {},
    arrive: () => {},
    connect: double.connect,
    clearFaults: double.clearFaults,
    orders: () => [],
    complaints: () => double.violations,
    stop: double.stop,
  }
  return { ...placed, person, documents, place: double.url }
}
