/** Bank transaction codes of movements. */
import type { PostingKind } from '../ledger/ledger.ts'
import type { BankCode, Direction } from './formats.ts'

type Meaning = {
  code: BankCode
  /** The direction of a movement that reverses nothing; null: each one reverses another. */
  usual: Direction | null
}

const codeOf = (path: string, swift: string): BankCode => {
  const [domain = '', family = '', subfamily = ''] = path.split('/')
  return { domain, family, subfamily, swift }
}

const received: Record<string, BankCode> = {
  bank_transfer: codeOf('PMNT/RCDT/DMCT', 'TRF'),
  card: codeOf('PMNT/MCRD/POSP', 'MSC'),
  crypto: codeOf('PMNT/RCDT/OTHR', 'TRF'),
  wallet: codeOf('PMNT/RCDT/BOOK', 'TRF'),
}
const issued: Record<string, BankCode> = {
  bank_transfer: codeOf('PMNT/ICDT/DMCT', 'TRF'),
  crypto: codeOf('PMNT/ICDT/OTHR', 'TRF'),
  wallet: codeOf('PMNT/ICDT/BOOK', 'TRF'),
}
/** Money that goes back to its payer: a return of the transfer, or a reimbursement of the card. */
const refunded: Record<string, BankCode> = { card: codeOf('PMNT/MCRD/RIMB', 'RTI') }
const returnedOfReceived = codeOf('PMNT/RCDT/RRTN', 'RTI')
const returnedOfIssued = codeOf('PMNT/ICDT/RRTN', 'RTI')
const charges = codeOf('ACMT/MDOP/CHRG', 'CHG')
const otherReceived = codeOf('PMNT/RCDT/OTHR', 'TRF')
const otherIssued = codeOf('PMNT/ICDT/OTHR', 'TRF')

/** Returns the code of a movement, and in which direction it reverses nothing. */
function meaningOf(kind: PostingKind, method: string): Meaning {
  switch (kind) {
    case 'deposit_fee':
    case 'payout_fee':
    case 'conversion_fee':
      return { code: charges, usual: 'debit' }
    case 'payout_return':
    case 'payout_return_exchange':
    case 'refund_return':
    case 'refund_return_exchange':
      return { code: returnedOfIssued, usual: null }
    case 'refund_sent':
    case 'refund_exchange':
      return { code: refunded[method] ?? returnedOfReceived, usual: null }
    case 'payout_sent':
    case 'payout_exchange':
      return { code: issued[method] ?? otherIssued, usual: 'debit' }
    case 'dispute_taken':
      return { code: codeOf('PMNT/MCRD/UPCT', 'RTI'), usual: null }
    case 'conversion':
      return { code: codeOf('FORX/SPOT/OTHR', 'FEX'), usual: 'debit' }
    case 'share_accrual':
    case 'share_return':
      return { code: codeOf('PMNT/ICDT/BOOK', 'TRF'), usual: 'debit' }
    case 'share_settlement':
      return { code: codeOf('PMNT/RCDT/BOOK', 'TRF'), usual: 'credit' }
    case 'simulated_fund':
      return { code: codeOf('PMNT/MCOP/OTHR', 'MSC'), usual: 'credit' }
    default:
      return { code: received[method] ?? otherReceived, usual: 'credit' }
  }
}

/** Both directions of these are movements of their own. */
const bothWays: readonly PostingKind[] = ['conversion', 'share_settlement']

/** Returns the code of a movement, and whether it reverses an earlier one. */
export function bankCodeOf({
  kind,
  method,
  direction,
}: {
  kind: PostingKind
  method: string
  direction: Direction
}): { code: BankCode; isReversal: boolean } {
  const { code, usual } = meaningOf(kind, method)
  return { code, isReversal: usual !== direction && !bothWays.includes(kind) }
}
