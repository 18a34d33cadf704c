/**
 * The words of the pages about people: to sign in, to join, and to get in again.
 */
import { minutesOf } from '../../../platform/team/team.ts'

export const words = {
  ended: {
    page: 'Your session has ended: it was not used for a while, or it was ended on another device. Sign in to go on.',
    form: 'Your session has ended, so nothing was done. Sign in, and you are back at the form.',
  },
  signIn: 'Sign in',
  email: 'E-mail address',
  password: 'Password',
  newPassword: 'New password',
  passwordHint: 'At least 10 characters: four words that do not belong together are a good one.',
  name: 'Your name',
  forgotten: 'Forgot your password?',
  newHere:
    'New here? Ask an owner of your business to invite you. Who runs this server gets the link of the first owner by',
  wrong: 'The e-mail address or the password is wrong.',
  limited: (seconds: number) => `Too many tries. Try again in ${minutesOf(seconds)}.`,

  second: 'Your second factor',
  code: 'Code of your authenticator app, or a recovery code',
  recoveryCode: 'Recovery code',
  codeWrong: 'The code is wrong, or was used before.',
  another: 'Sign in as somebody else',

  linkOver: 'This link is not good any more',
  join: (business: string) => `Join ${business}`,
  joinButton: 'Join',
  joinAs: (role: string, meaning: string) => `You join as ${role}. ${meaning}`,
  firstOwner: 'Become the first owner',
  firstOwnerText:
    'You look after this installation of Bursar, and own every business on it that has no owner yet.',
  accountOf: (email: string) => `Your account has the address ${email}.`,
  unproven: 'Show first that the mailbox is yours',
  haveAccount: 'You have an account: sign in with it, and the invitation opens again.',
  haveAccountAlready: 'I have an account: sign in',
  signedInAs: (email: string) => `You are signed in as ${email}.`,
  otherPerson: (email: string) =>
    `The invitation is for ${email}. Sign out, and open its link again to accept it with that address.`,

  reset: 'Set a new password',
  resetText: 'We mail you a link by which you set a new one.',
  resetButton: 'Mail me a link',
  resetMailed: 'Look into your mail',
  resetMailedText: (email: string) =>
    `If somebody has an account with ${email}, a link is on its way there. It is good for an hour.`,
  resetUnmailed:
    'This server sends no mail. Who runs it can make a link for you with `bursar team reset-password` and your address.',
  resetOf: (email: string) => `For the account of ${email}. You are signed out everywhere else.`,
  resetSave: 'Save and sign in',
  back: 'Back to sign in',
} as const
