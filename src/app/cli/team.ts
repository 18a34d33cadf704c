/**
 * `bursar team`: members of businesses, and what an operator does for members who cannot sign in.
 */
import type { Command } from 'commander'
import type { BusinessRow } from '../../books/businesses/businesses.ts'
import type { App } from '../../core/app.ts'
import { type Ctx, outside } from '../../core/outside.ts'
import {
  changeRole,
  emailOf,
  invitationUrl,
  invite,
  inviteFirstOwner,
  isRole,
  listInvitations,
  listMembers,
  makeReset,
  type PersonRole,
  removeMember,
  resetSecondFactors,
  resetUrl,
  roles,
  type TeamMember,
  teamScope,
} from '../../platform/team/team.ts'
import { businessOf } from './business-option.ts'
import { addCommands, commandsWith, type Report } from './commands.ts'
import type { CommandContext } from './context.ts'
import { printable, UserError } from './terminal.ts'

/** Adds `bursar team …`. */
export function addTeamCommands(program: Command, { withApp, print }: CommandContext): void {
  const team = program.command('team').description('manage the people of a business')
  addCommands(team, commands, { open: withApp, print })
}

const businessOption = {
  '--business <id>': 'whose team; may be left out when there is one business',
} as const
const jsonOption = { '--json': 'print JSON' } as const
const emailArgument = { email: '' } as const

const command = commandsWith<App>()

const commands = {
  invite: command({
    description: 'create an invitation link; without an address, for the first owner',
    arguments: { email: { text: 'who may accept it', isOptional: true } },
    options: {
      '--role <role>': { text: `their role: ${roles.join(', ')}`, default: 'viewer' },
      '--installation-owner': 'who also looks after the whole installation',
      ...businessOption,
      ...jsonOption,
    },
    async run(app, { email, role: roleText, installation_owner: isOwner, business }) {
      if (email === undefined) return inviteFirst(app)
      const { ctx, name } = await teamOf(app, business)
      const role = readRole(roleText)
      const invited = await ctx.write((work) =>
        invite(work, { email, role, installationOwner: isOwner ?? false }, 'shown'),
      )
      const url = invitationUrl(ctx, invited.token as string)
      return {
        json: { email: invited.email, role, url },
        lines: [
          url,
          `${invited.email} joins ${name} as ${role} by this link, within a week. It works once.`,
        ],
      }
    },
  }),
  list: command({
    description: 'list the members of the team and its open invitations',
    options: { ...businessOption, ...jsonOption },
    async run(app, { business }) {
      const { ctx } = await teamOf(app, business)
      const [members, open] = await Promise.all([listMembers(ctx), listInvitations(ctx)])
      const invitations = open.map(({ id, email, role, expires_at }) => ({
        id,
        email,
        role,
        expires_at,
      }))
      const lines = [
        ...members.map(memberLine),
        ...invitations.map(
          ({ email, role, expires_at }) =>
            `${email}  ${role}  invited, until ${expires_at.toISOString()}`,
        ),
      ]
      return {
        json: { members, invitations },
        lines: lines.length === 0 ? ['The team has no members and no invitations.'] : lines,
      }
    },
  }),
  role: command({
    description: 'change the role of a member, from the next request on',
    arguments: { ...emailArgument, role: roles.join(', ') },
    options: businessOption,
    async run(app, { email, role: roleText, business }) {
      const { ctx, name } = await teamOf(app, business)
      const member = await memberOf(ctx, name, email)
      const role = readRole(roleText)
      await ctx.write((work) => changeRole(work, member.person_id, role))
      return { lines: [`${member.email} is ${role} of ${name}.`] }
    },
  }),
  remove: command({
    description: 'remove a member from the team, from the next request on',
    arguments: emailArgument,
    options: businessOption,
    async run(app, { email, business }) {
      const { ctx, name } = await teamOf(app, business)
      const member = await memberOf(ctx, name, email)
      await ctx.write((work) => removeMember(work, member.person_id))
      return { lines: [`${member.email} was removed from the team of ${name}.`] }
    },
  }),
  'reset-password': command({
    description: 'create a password reset link for a member',
    arguments: emailArgument,
    async run(app, { email }) {
      const token = await makeReset(app, email)
      if (token === null) throw unknownAddress(email)
      return {
        lines: [
          resetUrl(app, token),
          `${emailOf(email)} sets a new password by this link, within an hour. It works once.`,
        ],
      }
    },
  }),
  'reset-second-factor': command({
    description: 'remove a member’s second factors',
    arguments: emailArgument,
    async run(app, { email }) {
      if (!(await resetSecondFactors(app, email))) throw unknownAddress(email)
      return {
        lines: [
          `${emailOf(email)} signs in by the password alone, and can set up a second factor again.`,
        ],
      }
    },
  }),
}

async function inviteFirst(app: App): Promise<Report> {
  const token = await inviteFirstOwner(app)
  if (token === null)
    throw new UserError('There is an owner already: give the address of the new member.')
  const url = invitationUrl(app, token)
  return {
    json: { email: null, role: 'owner', url },
    lines: [
      url,
      'The first person to open this link within a day owns this installation. It works once.',
    ],
  }
}

/** The team of a business for the operator, and the name of the business. @throws {UserError} */
async function teamOf(
  app: App,
  businessId: string | undefined,
): Promise<{ ctx: Ctx; name: BusinessRow['name'] }> {
  const { id, name } = await businessOf(app, businessId)
  const actor = { type: 'operator', at: app.clock.now() } as const
  return { ctx: outside(app, teamScope(app, id, actor)), name }
}

function memberLine({ email, role, name, has_second_factor, last_seen_at }: TeamMember): string {
  const factors = has_second_factor ? 'second factor' : 'password alone'
  const seen = last_seen_at ? `seen ${last_seen_at.toISOString()}` : 'not signed in'
  return `${email}  ${role}  ${factors}  ${seen}  ${name}`
}

const unknownAddress = (email: string): UserError =>
  new UserError(`No person has the address '${printable(email)}'.`)

function readRole(text: string): PersonRole {
  if (isRole(text)) return text
  throw new UserError(`'${text}' is no role: there are ${roles.join(', ')}.`)
}

/** @throws {UserError} when no member of the team has the address */
async function memberOf(ctx: Ctx, businessName: string, email: string): Promise<TeamMember> {
  const found = (await listMembers(ctx)).find((one) => one.email === emailOf(email))
  if (found) return found
  throw new UserError(
    `The team of ${printable(businessName)} has no member with the address '${printable(email)}'.`,
  )
}
