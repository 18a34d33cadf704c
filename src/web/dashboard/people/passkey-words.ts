/**
 * The words of passkeys.
 */
import { minutesOf } from '../../../platform/team/team.ts'

export const passkeyWords = {
  signIn: 'Sign in with a passkey',
  failed: 'No passkey was used. Try again, or use your password.',
  elsewhere: 'Passkeys belong to the address of this server. To use one, open',
  wrong:
    'The passkey was not taken: it is not known here any more, or the page was too old. Try again, or use your password.',
  limited: (seconds: number) => `Too many tries. Try again in ${minutesOf(seconds)}.`,

  passkeys: 'Passkeys',
  meaning:
    'Sign in with the finger, face or PIN that unlocks your phone or computer, or with a security key, in place of password and code.',
  needHttps:
    'Passkeys need https and a name: browsers refuse them on this address. Use your password and an authenticator app, or ask who runs this server to put TLS in front of it.',
  add: 'Add a passkey',
  added: 'added',
  lastUsed: 'last used',
  unused: 'not used yet',
  backedUp: 'kept by its maker',
  change: 'Change',
  changeOf: (name: string) => `Change ${name}`,

  name: 'Name of the passkey',
  newMeans:
    'Your browser asks where to keep it: on this device, on your phone, or on a security key.',
  unknown: 'Passkeys need JavaScript, and a browser that knows them. This one does not.',
  othersEnd:
    'You are signed out everywhere else. From then on your password alone does not sign you in.',
  make: 'Make the passkey',
  saveName: 'Save the name',
  remove: 'Remove this passkey',
  removeMeans:
    'It does not sign you in any more, and you are signed out everywhere else. Delete it on the device too.',
  removeButton: 'Remove the passkey',
} as const
