/**
 * The words of the pages about people: to sign in, to join, and to get in again.
 */
import { minutesOf } from '../../../platform/team/team.ts'

export const words = {
  ended: {
    page: 'Your session ended because it was not used for a while, or because you signed out on another device. Sign in to continue.',
    form: 'Your session ended, so nothing was done. Sign in to return to the form.',
  },
  signIn: 'Sign in',
  email: 'Email address',
  password: 'Password',
  newPassword: 'New password',
  passwordHint: 'At least 10 characters. Four unrelated words work well.',
  name: 'Your name',
  forgotten: 'Forgot your password?',
  newHere:
    'New here? Ask an owner of your business for an invitation. The operator of this server creates the first owner’s link with',
  wrong: 'The email address or the password is wrong.',
  limited: (seconds: number) => `Too many attempts. Try again in ${minutesOf(seconds)}.`,

  second: 'Your second factor',
  code: 'Code of your authenticator app, or a recovery code',
  recoveryCode: 'Recovery code',
  codeWrong: 'The code is wrong, or was used before.',
  another: 'Sign in as someone else',

  linkOver: 'This link has expired or was used',
  join: (business: string) => `Join ${business}`,
  joinButton: 'Join',
  joinAs: (role: string, meaning: string) => `You join as ${role}. ${meaning}`,
  firstOwner: 'Become the first owner',
  firstOwnerText:
    'You become the operator of this installation, and the owner of every business that has no owner yet.',
  accountOf: (email: string) => `Your account has the address ${email}.`,
  unproven: 'Confirm your email address first',
  haveAccount: 'You already have an account. Sign in to accept the invitation.',
  haveAccountAlready: 'I have an account. Sign in',
  signedInAs: (email: string) => `You are signed in as ${email}.`,
  otherPerson: (email: string) =>
    `The invitation is for ${email}. To accept it, sign out and open the link again.`,

  reset: 'Set a new password',
  resetText: 'We email you a link to set a new password.',
  resetButton: 'Email me a link',
  resetMailed: 'Check your email',
  resetMailedText: (email: string) =>
    `If ${email} has an account, we have sent a link to it. The link is valid for an hour.`,
  resetUnmailed:
    'This server does not send email. Its operator can create a link for you with `bursar team reset-password` and your address.',
  resetOf: (email: string) =>
    `For the account of ${email}. This signs you out on all your other devices.`,
  resetSave: 'Save and sign in',
  back: 'Back to sign in',
} as const
