import { type CodeOf, refusalsOf } from '../../lib/errors.ts'

/** Refusals of sign-in and team operations. Only pages and commands return them, never the API. */
export const teamRefusals = refusalsOf({
  sign_in_again: [403, 'Sign in again to change this: you have been signed in for a while.'],
  factor_needed: [403, 'Sign in with your second factor to change this.'],
  password_refused: [422, 'The password cannot be used.'],
  password_wrong: [403, 'The password is wrong.'],
  code_wrong: [422, 'The code is wrong, or was used before.'],
  too_many_tries: [429, 'Too many attempts.'],
  passkey_refused: [422, 'The passkey was not accepted. Try again.'],
  link_over: [
    404,
    'The link is not good any more: it was used, replaced or taken back, or its time is over.',
  ],
  sign_in_first: [
    403,
    'There is an account with this address: sign in with it first, and open the link again.',
  ],
  address_unproven: [
    403,
    'It is not shown yet that the mailbox of this account is yours: ask for a new password by mail, set it, and open the invitation again.',
  ],
  email_invalid: [422, 'Enter a valid email address.'],
  name_invalid: [422, 'A name has 1 to 100 letters.'],
  role_above_own: [403, 'Your role cannot give that one, nor touch who has it.'],
  is_member: [409, 'A person with that address is in the team already.'],
  last_owner: [409, 'The business would be without an owner: make another person an owner first.'],
  mail_not_configured: [400, 'This server sends no mail.'],
})

export type TeamCode = CodeOf<typeof teamRefusals>

/** Refuses with one of these codes. */
export const refuse: (typeof teamRefusals)['refuse'] = teamRefusals.refuse
