/**
 * The words of the account page.
 */
export const accountWords = {
  title: 'Your account',
  back: 'Back to your account',
  refused: 'That cannot be done',
  signInAgain: 'Sign in again',
  you: 'You',
  unproven:
    'Nothing has shown yet that this mailbox is yours, so you cannot join another business. Set a new password by a mailed link, and open the link in this browser: your second factors stay.',
  saveName: 'Save the name',
  current: 'Present password',
  noPassword: 'You have no password.',
  passwordEnds: 'You are signed out everywhere else.',
  savePassword: 'Change the password',

  second: 'Authenticator app',
  on: 'On',
  since: 'since',
  barred: (businesses: string) =>
    `Asked for by ${businesses}: you see nothing of it until you have set one up and signed in with it.`,
  secondMeans:
    'An app on your phone shows a code that is asked for after your password. Who learns the password cannot sign in by it alone.',
  setUpApp: 'Set up an app',
  codesLeft: (left: number) =>
    left === 0
      ? 'No recovery code is left: make new ones, in case you lose your phone.'
      : `${left} recovery ${left === 1 ? 'code is' : 'codes are'} left, in case you lose your phone.`,
  renewCodes: 'Make new recovery codes',
  removeApp: 'Remove the app',

  setUp: 'Set up an authenticator app',
  scan: 'Scan this with the app (such as Google Authenticator, Aegis, 1Password), or type the key into it.',
  qr: 'QR code of the key',
  key: 'Key',
  code: 'Code that the app shows',
  confirm: 'Turn it on',
  othersEnd: 'You are signed out everywhere else.',

  codes: 'Your recovery codes',
  codesMean:
    'Each signs you in once after your password, in place of a passkey or a code of the app. Print them or put them where your passwords are: they are shown here and never again.',
  codesReplaced: 'Those that you had before are over.',
  copyCodes: 'Copy them',
  codesKept: 'I have kept them',

  remove: 'Remove the authenticator app?',
  removeMeans:
    'Without a passkey, your password alone signs you in from then on, and your recovery codes are over. A business that asks for a second factor shows you nothing until you set one up.',

  notices: 'Mails about what needs somebody',
  noticesMean: (email: string) =>
    `To ${email}, when it happens; when it goes on, at most one in an hour of each kind. Those of test mode are not sent.`,
  noMail: 'This server sends no mail (SMTP_URL is not set), so none of these either.',
  saveNotices: 'Save',
  saveNoticesOf: (business: string) => `Save the mails of ${business}`,

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
    name: 'The name is saved.',
    password: 'The password is changed. You are signed out everywhere else.',
    app: 'The authenticator app is on.',
    codes: 'Your recovery codes are new.',
    passkey: 'The passkey is added. You are signed out everywhere else.',
    passkeyNamed: 'The passkey has its new name.',
    passkeyRemoved: 'The passkey is removed. You are signed out everywhere else.',
    removed: 'The authenticator app is removed.',
    notices: 'It is saved what you are mailed about.',
    session: 'It is signed out.',
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
