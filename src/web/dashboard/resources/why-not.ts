/** What a failed payout means, and what to do, by its reason. */
export const whyNot: Record<string, string> = {
  invalid_account:
    'The bank knows no such account. Check the number and the bank, then make a new payout.',
  name_mismatch: 'The account is someone else’s. Check whose it is, then make a new payout.',
  bank_unavailable: 'The bank did not answer. Try again later with a new payout.',
  limit_exceeded:
    'It was above a limit of the provider or of the account. Send less, or ask for a higher limit.',
  rejected:
    'The provider or the bank refused it. Ask them for the reason with the provider’s reference.',
  network_error: 'The network did not take it. Try again with a new payout.',
  unknown: 'The provider did not say why. Ask with its reference.',
}
