/** What a failed payout means, and what to do, by its reason. */
export const whyNot: Record<string, string> = {
  invalid_account:
    'The bank does not know this account. Check the number and the bank, then create a new payout.',
  name_mismatch: 'The account belongs to someone else. Check the holder, then create a new payout.',
  bank_unavailable: 'The bank did not answer. Try again later with a new payout.',
  limit_exceeded:
    'The amount was above a limit of the provider or the account. Send less, or ask for a higher limit.',
  rejected: 'The provider or the bank refused it. Ask them why, with the provider’s reference.',
  network_error: 'The network did not accept it. Try again with a new payout.',
  unknown: 'The provider did not say why. Ask with its reference.',
}
