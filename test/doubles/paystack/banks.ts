/**
 * Some banks as `GET /bank` lists them: codes that are no numbers, one that is switched off, one
 * that takes no transfers.
 */
import type { Bank } from './books.ts'

const rows: [
  id: number,
  name: string,
  slug: string,
  code: string,
  nip: string,
  more?: Partial<Bank>,
][] = [
  [1, 'Access Bank', 'access-bank', '044', '000014'],
  [9, 'Guaranty Trust Bank', 'guaranty-trust-bank', '058', '000013'],
  [7, 'First Bank of Nigeria', 'first-bank-of-nigeria', '011', '000016'],
  [18, 'United Bank For Africa', 'united-bank-for-africa', '033', '000004'],
  [21, 'Zenith Bank', 'zenith-bank', '057', '000015'],
  [20, 'Wema Bank', 'wema-bank', '035', '000017'],
  [27, 'ALAT by WEMA', 'alat-by-wema', '035A', '000017'],
  [67, 'Kuda Bank', 'kuda-bank', '50211', '090267'],
  [171, 'OPay Digital Services Limited (OPay)', 'paycom', '999992', '100004'],
  [169, 'PalmPay', 'palmpay', '999991', '100033'],
  [629, 'Titan Bank', 'titan-bank', '102', '000025'],
  [739, 'Paystack-Titan', 'titan-paystack', '100039', '100039'],
  [801, 'Harmattan Microfinance Bank', 'harmattan-mfb', '090999', '090999'],
  [802, 'Closed Savings Bank', 'closed-savings-bank', '09998', '', { active: false }],
  [803, 'Receiving Only Bank', 'receiving-only-bank', '09997', '', { supports_transfer: false }],
]

/** The bank that test keys resolve without limit. */
export const testBank: Bank = {
  id: 24,
  name: 'Test Bank',
  slug: 'test-bank',
  code: '001',
  longcode: '',
  nip_sort_code: '',
  active: true,
  supports_transfer: true,
}

export const nigerianBanks: Bank[] = rows.map(([id, name, slug, code, nip, more]) => ({
  id,
  name,
  slug,
  code,
  longcode: '',
  nip_sort_code: nip,
  active: true,
  supports_transfer: true,
  ...more,
}))
