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
  noFactor: 'Password only',
  lastSeen: 'Last seen',
  joined: 'Joined',
  gone: 'There is no such person or invitation.',

  invite: 'Invite',
  inviteTitle: 'Invite a person',
  inviteButton: 'Send the invitation',
  makeLink: 'Create a link',
  showLink: 'Show me the link instead of emailing it',
  noMail: 'This server does not send email. You get a link to pass on yourself.',
  meanings: 'What each role can do',
  chooseRole: 'Choose a role.',
  linkTitle: 'Invitation link',
  linkText: (email: string) =>
    `Give this to ${email}. Whoever opens it joins with that address. It works once, for a week, and is not shown again.`,
  copyLink: 'Copy the link',
  linkDone: 'Back to the team',

  invited: 'Invited',
  by: 'by',
  mailed: 'mailed',
  waits: 'on its way by mail',
  unmailed: 'could not be sent: invite again, or show the link',
  byLink: 'by a link',
  goodUntil: 'valid until',
  over: 'expired: invite again',
  revoke: 'Revoke',
  revokeOf: (email: string) => `Revoke the invitation of ${email}`,

  changeRole: 'Change role',
  saveRole: 'Save role',
  remove: 'Remove from the team',
  removeTitle: (name: string) => `Remove ${name}?`,
  removeMeans:
    'They lose access at once, and their open invitations are revoked. API keys that they know continue to work: roll those keys.',
  removeYou: 'You leave the team. To return, you need an invitation.',
  aboveYou: 'Your role cannot change or remove a member with this role.',

  required: 'Required: members without a second factor cannot see this business.',
  notRequired:
    'If you require it, members without a second factor can’t see this business until they add one.',
  require: 'Require a second factor',
  dontRequire: 'Stop requiring it',

  pendingTitle: 'Pending change: a second factor is no longer required',
  askedBy: 'Requested by',
  takesEffect: 'Takes effect',
  pendingOwn:
    'You requested this, so another owner must confirm it. Otherwise it takes effect at that time.',
  pendingOther: 'It takes effect at that time, or as soon as another owner confirms it.',
  confirmPending: 'Confirm change',
  cancelPending: 'Cancel change',

  done: {
    invited: 'Invitation sent.',
    revoked: 'Invitation revoked.',
    role: 'Role changed. It applies from the next page.',
    removed: 'Person removed from the team.',
    factor: 'Saved.',
    waits: 'This waits for another owner, or 24 hours. See below.',
    kept: 'Change canceled. A second factor is still required.',
  },
} as const
