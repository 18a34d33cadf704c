/**
 * The words of the account page.
 */
export const accountWords = {
  title: 'Your account',
  back: 'Back to your account',
  refused: 'Not possible',
  signInAgain: 'Sign in again',
  you: 'You',
  unproven:
    'Your email address is not confirmed, so you cannot join another business. To confirm it, reset your password by email and open the link in this browser. You keep your second factors.',
  saveName: 'Save name',
  current: 'Current password',
  noPassword: 'You have no password.',
  passwordEnds: 'You are signed out everywhere else.',
  savePassword: 'Change password',

  second: 'Authenticator app',
  on: 'On',
  since: 'since',
  barred: (businesses: string) =>
    `Required by ${businesses}. You cannot see it until you set one up and sign in with it.`,
  secondMeans:
    'After your password, you enter a code from an app on your phone. A stolen password alone is then not enough to sign in.',
  setUpApp: 'Set up an app',
  codesLeft: (left: number) =>
    left === 0
      ? 'You have no recovery codes left. Create new ones in case you lose your phone.'
      : `${left} recovery ${left === 1 ? 'code is' : 'codes are'} left, in case you lose your phone.`,
  renewCodes: 'Create new recovery codes',
  removeApp: 'Remove the app',

  setUp: 'Set up an authenticator app',
  scan: 'Scan this with an app such as Google Authenticator, Aegis or 1Password, or type in the key.',
  qr: 'QR code of the key',
  key: 'Key',
  code: 'Code from the app',
  confirm: 'Turn it on',
  othersEnd: 'You are signed out everywhere else.',

  codes: 'Your recovery codes',
  codesMean:
    'Each code works once, after your password, in place of a passkey or the app. Print them or store them with your passwords. They are not shown again.',
  codesReplaced: 'Your earlier codes no longer work.',
  copyCodes: 'Copy codes',
  codesKept: 'I have saved them',

  remove: 'Remove the authenticator app?',
  removeMeans:
    'Without a passkey, your password alone signs you in, and your recovery codes stop working. You cannot see businesses that require a second factor until you set one up.',

  notices: 'Email notifications',
  noticesMean: (email: string) =>
    `Sent to ${email} when it happens, at most once an hour for each kind. Test mode sends none.`,
  noMail: 'This server does not send email: SMTP_URL is not set.',
  saveNotices: 'Save',
  saveNoticesOf: (business: string) => `Save notifications of ${business}`,

  sessions: 'Where you are signed in',
  thisOne: 'this browser',
  signedIn: 'signed in',
  lastUsed: 'last used',
  end: 'Sign out',
  endOf: (device: string) => `Sign out ${device}`,
  endOthers: 'Sign out everywhere else',
  methods: {
    password: 'password',
    password_totp: 'password and app',
    password_recovery_code: 'password and recovery code',
    passkey: 'passkey',
  },

  done: {
    name: 'Name saved.',
    password: 'Password changed. You are signed out on all your other devices.',
    app: 'Authenticator app turned on.',
    codes: 'New recovery codes created.',
    passkey: 'Passkey added. You are signed out on all your other devices.',
    passkeyNamed: 'Passkey renamed.',
    passkeyRemoved: 'Passkey removed. You are signed out on all your other devices.',
    removed: 'Authenticator app removed.',
    notices: 'Notifications saved.',
    session: 'Signed out on that device.',
    sessions: 'You are signed out everywhere else.',
  },
} as const

const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Headless)?(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const systems: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

/** What a browser is, in words, of what it calls itself. */
export function agentOf(device: string): string {
  const named = (of: readonly (readonly [RegExp, string])[]) =>
    of.find(([form]) => form.test(device))?.[1]
  const [browser, system] = [named(browsers), named(systems)]
  if (browser === undefined) return device.slice(0, 60) || 'Unknown browser'
  return system === undefined ? browser : `${browser} on ${system}`
}
