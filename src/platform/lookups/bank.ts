export type BankType =
  | 'commercial'
  | 'merchant'
  | 'payment_service_bank'
  | 'mortgage'
  | 'microfinance'
  | 'finance_company'
  | 'fintech'

export type Bank = {
  /** What a destination names: the bank code in Nigeria, the routing number in the US. */
  code: string
  name: string
  type: BankType
  currency: 'ngn' | 'usd'
  /**
   * 6 digits of the Nigerian instant payment scheme. Null in the US, and where it is not known for
   * certain.
   */
  nip_code: string | null
  /**
   * 6 digits, what `isNuban` takes. Null for institutions that are not known to number by NUBAN.
   */
  nuban_institution: string | null
}
