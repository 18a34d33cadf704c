/**
 * The words of passkeys.
 */
import { minutesOf } from '../../../platform/team/team.ts'

export const passkeyWords = {
  signIn: 'Sign in with a passkey',
  failed: 'No passkey was used. Try again, or use your password.',
  elsewhere: 'Passkeys belong to the address of this server. To use one, open',
  wrong:
    'The passkey was not accepted: it was removed here, or the page was too old. Try again, or use your password.',
  limited: (seconds: number) => `Too many attempts. Try again in ${minutesOf(seconds)}.`,

  passkeys: 'Passkeys',
  meaning:
    'Sign in with your fingerprint, face, device PIN or security key, instead of a password and code.',
  needHttps:
    'Browsers allow passkeys only on https addresses with a host name. Use a password and an authenticator app, or ask the operator of this server to add TLS.',
  add: 'Add a passkey',
  added: 'added',
  lastUsed: 'last used',
  unused: 'not used yet',
  backedUp: 'synced by its provider',
  change: 'Change',
  changeOf: (name: string) => `Change ${name}`,

  name: 'Name of the passkey',
  newMeans:
    'Your browser asks where to keep it: on this device, on your phone, or on a security key.',
  unknown: 'Passkeys need JavaScript and a browser that supports them.',
  othersEnd:
    'This signs you out on all your other devices. After that, your password alone is not enough to sign in.',
  make: 'Create passkey',
  saveName: 'Save name',
  remove: 'Remove this passkey',
  removeMeans:
    'It can no longer sign you in, and you are signed out on all your other devices. Delete it on the device too.',
  removeButton: 'Remove passkey',
} as const
