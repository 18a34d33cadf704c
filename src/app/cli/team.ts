/**
 * Commands that look after the people of businesses: what an operator does for who cannot sign in.
 */
import type { Command } from 'commander'
import type { BusinessRow } from '../../books/businesses/businesses.ts'
import type { App } from '../../core/app.ts'
import { type Ctx, outside } from '../../core/outside.ts'
import { toJson } from '../../lib/json.ts'
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
import type { CommandContext } from './context.ts'
import { printable, reportRefusals, UserError } from './terminal.ts'

type Options = { business?: string; json?: boolean; role?: string; installationOwner?: boolean }

/** Adds `bursar team …`. */
export function addTeamCommands(
  program: Command,
  { withApp, businessOf, print }: CommandContext,
): void {
  const team = program.command('team').description('manage who may sign in to the dashboard')
  const businessOption = [
    '--business <id>',
    'whose team; may be left out when there is one business',
  ] as const

  /** Does something about a team, as the operator; what it refuses is one line. */
  const inTeam = (options: Options, work: (ctx: Ctx, business: BusinessRow) => Promise<void>) =>
    withApp(async (app) => {
      const business = await businessOf(app, options.business)
      const actor = { type: 'operator' as const, at: app.clock.now() }
      await reportRefusals(() => work(outside(app, teamScope(app, business.id, actor)), business))
    })

  team
    .command('invite')
    .description(
      'make a link by which somebody joins; without an address, the one of the first owner',
    )
    .argument('[email]', 'who may accept it')
    .option('--role <role>', `what they may do: ${roles.join(', ')}`, 'viewer')
    .option('--installation-owner', 'who also looks after the whole installation')
    .option(...businessOption)
    .option('--json', 'print JSON')
    .action((email: string | undefined, options: Options & { role: string }) => {
      if (email === undefined) return withApp((app) => inviteFirst(app, options.json))
      return inTeam(options, async (ctx, business) => {
        const role = readRole(options.role)
        const { installationOwner = false } = options
        const invited = await ctx.write((work) =>
          invite(work, { email, role, installationOwner }, 'shown'),
        )
        const url = invitationUrl(ctx, invited.token as string)
        if (options.json) return print(toJson({ email: invited.email, role, url }))
        print(url)
        print(
          `${invited.email} joins ${printable(business.name)} as ${role} by this link, within a week. It works once.`,
        )
      })
    })

  const inviteFirst = async (app: App, json: boolean | undefined): Promise<void> => {
    const token = await inviteFirstOwner(app)
    if (token === null)
      throw new UserError('There is an owner: give the address of who is to join.')
    const url = invitationUrl(app, token)
    if (json) return print(toJson({ email: null, role: 'owner', url }))
    print(url)
    print('Who opens this link within a day is the owner of this installation. It works once.')
  }

  team
    .command('list')
    .description('list the team, and who is invited')
    .option(...businessOption)
    .option('--json', 'print JSON')
    .action((options: Options) =>
      inTeam(options, async (ctx) => {
        const [members, invitations] = await Promise.all([listMembers(ctx), listInvitations(ctx)])
        if (options.json) {
          const open = invitations.map(({ id, email, role, expires_at }) => ({
            id,
            email,
            role,
            expires_at,
          }))
          return print(toJson({ members, invitations: open }))
        }
        if (members.length + invitations.length === 0) print('There is nobody.')
        for (const { email, role, name, has_second_factor, last_seen_at } of members)
          print(
            printable(
              `${email}  ${role}  ${has_second_factor ? 'second factor' : 'password alone'}  ${last_seen_at ? `seen ${last_seen_at.toISOString()}` : 'not signed in'}  ${name}`,
            ),
          )
        for (const { email, role, expires_at } of invitations)
          print(printable(`${email}  ${role}  invited, until ${expires_at.toISOString()}`))
      }),
    )

  team
    .command('role')
    .description('change what somebody may do, from the next request on')
    .argument('<email>')
    .argument('<role>', roles.join(', '))
    .option(...businessOption)
    .action((email: string, role: string, options: Options) =>
      inTeam(options, async (ctx, business) => {
        const member = await memberOf(ctx, business, email)
        const given = readRole(role)
        await ctx.write((work) => changeRole(work, member.person_id, given))
        print(`${member.email} is ${given} of ${printable(business.name)}.`)
      }),
    )

  team
    .command('remove')
    .description('take somebody out of the team, from the next request on')
    .argument('<email>')
    .option(...businessOption)
    .action((email: string, options: Options) =>
      inTeam(options, async (ctx, business) => {
        const member = await memberOf(ctx, business, email)
        await ctx.write((work) => removeMember(work, member.person_id))
        print(`${member.email} is not in the team of ${printable(business.name)} any more.`)
      }),
    )

  team
    .command('reset-password')
    .description('make a link by which somebody sets a new password')
    .argument('<email>')
    .action((email: string) =>
      withApp(async (app) => {
        const token = await makeReset(app, email)
        if (token === null) throw nobody(email)
        print(resetUrl(app, token))
        print(`${emailOf(email)} sets a new password by this link, within an hour. It works once.`)
      }),
    )

  team
    .command('reset-second-factor')
    .description(
      'take the passkeys, the authenticator app and the recovery codes from who has lost them',
    )
    .argument('<email>')
    .action((email: string) =>
      withApp(async (app) => {
        if (!(await resetSecondFactors(app, email))) throw nobody(email)
        print(
          `${emailOf(email)} signs in by the password alone, and can set up a second factor anew.`,
        )
      }),
    )
}

const nobody = (email: string): UserError =>
  new UserError(`Nobody has the address '${printable(email)}'.`)

function readRole(text: string): PersonRole {
  if (isRole(text)) return text
  throw new UserError(`'${text}' is no role: there are ${roles.join(', ')}.`)
}

/** @throws {UserError} when nobody in the team has the address */
async function memberOf(ctx: Ctx, business: BusinessRow, email: string): Promise<TeamMember> {
  const found = (await listMembers(ctx)).find((one) => one.email === emailOf(email))
  if (found) return found
  throw new UserError(
    `The team of ${printable(business.name)} has nobody with the address '${printable(email)}'.`,
  )
}
