/**
 * The words of the pages about a team.
 */
export const teamWords = {
  title: 'Team',
  name: 'Name',
  role: 'Role',
  you: 'you',
  factor: 'Second factor',
  hasFactor: 'Second factor',
  noFactor: 'Password alone',
  lastSeen: 'Last seen',
  joined: 'Joined',
  gone: 'There is no such person or invitation here.',

  invite: 'Invite',
  inviteTitle: 'Invite somebody',
  inviteButton: 'Mail the invitation',
  makeLink: 'Make a link',
  showLink: 'Show me the link instead of mailing it',
  noMail: 'This server sends no mail: you get a link, which you hand over yourself.',
  meanings: 'What each role may do',
  chooseRole: 'Choose a role.',
  linkTitle: 'The link of the invitation',
  linkText: (email: string) =>
    `Give this to ${email}: who opens it joins with that address. It is good for a week, once, and is shown here and never again.`,
  copyLink: 'Copy the link',
  linkDone: 'Back to the team',

  invited: 'Invited',
  by: 'by',
  mailed: 'mailed',
  waits: 'on its way by mail',
  unmailed: 'could not be mailed: invite again, or show the link',
  byLink: 'by a link',
  goodUntil: 'good until',
  over: 'its week is over: invite again',
  revoke: 'Take back',
  revokeOf: (email: string) => `Take back the invitation of ${email}`,

  changeRole: 'Change the role',
  saveRole: 'Save the role',
  remove: 'Remove from the team',
  removeTitle: (name: string) => `Remove ${name}?`,
  removeMeans:
    'The next page that the person opens is refused, and what the person has invited and was not accepted is taken back. Keys of the API that the person knows go on working: roll those.',
  removeYou: 'You leave the team, and come back by an invitation alone.',
  aboveYou: 'Your role cannot change or remove who has this one.',

  required: 'Everybody in the team needs one: who has none sees nothing of the business.',
  notRequired:
    'Nobody in the team needs one. Where you ask for it, who has none sees nothing of the business until then.',
  require: 'Ask everybody for a second factor',
  dontRequire: 'Stop asking for it',

  pendingTitle: 'A change waits: nobody needs a second factor any more',
  askedBy: 'Asked by',
  takesEffect: 'Takes effect',
  pendingOwn:
    'You asked for this, so another owner has to confirm it. If nobody does, it takes effect at that time.',
  pendingOther:
    'It takes effect at that time, or as soon as an owner confirms it who did not ask for it.',
  confirmPending: 'Confirm change',
  cancelPending: 'Cancel change',

  done: {
    invited: 'The invitation is on its way.',
    revoked: 'The invitation is taken back.',
    role: 'The role is changed, and counts from the next page on.',
    removed: 'The person is out of the team.',
    factor: 'That is saved.',
    waits: 'That waits for another owner, or 24 hours: see below.',
    kept: 'The change is canceled: everybody needs a second factor still.',
  },
} as const
