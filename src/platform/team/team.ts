/** The people of businesses: who may sign in, to which businesses, and in which role. */

export { markDealtWith, undealt } from './attention.ts'
export { deviceCookie, deviceCookieAge } from './devices.ts'
export {
  acceptAs,
  acceptAsNewcomer,
  findInvitation,
  type Invitation,
  invitationUrl,
  invite,
  inviteFirstOwner,
  listInvitations,
  type OpenInvitation,
  revokeInvitation,
} from './invitations.ts'
export { findPage, keepPage } from './kept-pages.ts'
export {
  askForLoosening,
  cancelLoosening,
  confirmLoosening,
  findLoosening,
  type Loosening,
  looseningTask,
  looseningWaits,
  narrowLoosening,
  takeDueLoosening,
} from './loosenings.ts'
export {
  type Maker,
  makerRefusals,
  requireSecondPerson,
  toWho,
  type Who,
  WhoRecord,
  whoActs,
} from './makers.ts'
export {
  changeRole,
  confirmNoSecondFactor,
  isSecondFactorRequired,
  keepSecondFactor,
  listMembers,
  removeMember,
  requireSecondFactor,
  type TeamMember,
} from './members.ts'
export { chooseNotices, mailNotices, notices, noticesOf } from './notices.ts'
export {
  addPasskey,
  askForNewPasskey,
  askForPasskey,
  challengeCookie,
  challengeCookieAge,
  listPasskeys,
  type PasskeyHost,
  passkeyHost,
  removePasskey,
  renamePasskey,
  signInByPasskey,
} from './passkeys.ts'
export {
  addMember,
  createPerson,
  emailOf,
  type NewPerson,
  renamePerson,
  requireRightNow,
} from './persons.ts'
export { teamScope } from './records.ts'
export {
  askForReset,
  changePassword,
  findReset,
  makeReset,
  resetPassword,
  resetSecondFactors,
  resetUrl,
} from './resets.ts'
export {
  isRole,
  mayGive,
  type PersonRole,
  type Right,
  rightsOf,
  roles,
  roleTable,
} from './roles.ts'
export {
  confirmTotp,
  pendingTotp,
  recoveryCodesLeft,
  removeTotp,
  renewRecoveryCodes,
  startTotp,
  waysOf,
} from './second-factors.ts'
export {
  actorOf,
  type Browser,
  endOtherSessions,
  endSession,
  endSessionOf,
  findSession,
  listSessions,
  type Member,
  openSession,
  peekSession,
  provedAtOf,
  requireFresh,
  requireFreshFactor,
  type Session,
  sessionCookie,
  sessionCookieAge,
} from './sessions.ts'
export {
  pendingPerson,
  type SignInEnd,
  type SigningIn,
  showSecondFactor,
  signIn,
} from './signing-in.ts'
export { forgetOldAccess } from './tasks.ts'
export { minutesOf } from './tries.ts'
export {
  deleteView,
  type ListView,
  listViews,
  renameView,
  saveView,
  type ViewsOf,
} from './views.ts'
