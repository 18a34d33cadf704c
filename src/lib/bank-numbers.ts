/**
 * Check digits of bank numbers. They are advice where a bank's own name lookup decides: wallets and small banks of
 * Nigeria number their accounts as they like.
 */

/**
 * The tenth digit of a NUBAN. Source: CBN, "Revised Standards on Nigeria Uniform Bank Account Number": weights 3, 7, 3
 * over institution code (6 digits: `000` and a bank's 3, or `9` and another institution's 5) and serial number (9 digits).
 */
export function nubanCheckDigit(institution: string, serial: string): number {
  const sum = [...(institution + serial)].reduce((total, digit, i) => total + Number(digit) * (i % 3 === 1 ? 7 : 3), 0)
  return (10 - (sum % 10)) % 10
}

/** Whether a ten-digit account number carries the check digit of its institution. */
export function isNuban(institution: string, accountNumber: string): boolean {
  return (
    /^\d{6}$/.test(institution) &&
    /^\d{10}$/.test(accountNumber) &&
    nubanCheckDigit(institution, accountNumber.slice(0, 9)) === Number(accountNumber[9])
  )
}

/**
 * Whether nine digits are an ABA routing number: weights 3, 7, 1, the sum a multiple of ten, and a Federal Reserve prefix.
 * Source: American Bankers Association, Routing Number Policy.
 */
export function isAbaRouting(number: string): boolean {
  if (!/^\d{9}$/.test(number)) return false
  const prefix = Number(number.slice(0, 2))
  const known = prefix <= 12 || (prefix >= 21 && prefix <= 32) || (prefix >= 61 && prefix <= 72) || prefix === 80
  const weights = [3, 7, 1]
  const sum = [...number].reduce((total, digit, i) => total + Number(digit) * (weights[i % 3] as number), 0)
  return known && sum % 10 === 0
}
