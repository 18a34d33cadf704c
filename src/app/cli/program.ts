import { Command } from 'commander'
import { version } from '../../lib/version.ts'

/** The command `bursar`, to which its commands are added. */
export function newProgram(): Command {
  return new Command('bursar')
    .description('The open, self-hosted merchant payments server.')
    .version(version)
    .showHelpAfterError('(add --help for help)')
    .addHelpText(
      'after',
      `
Settings come from the environment; docs/configuration.md has them all.

Examples:
  npx bursar serve
  npx bursar business create --name "Ada's Books" --json
  npx bursar keys create --live --name checkout --allow-ip 203.0.113.7 --allow-ip 2001:db8::/32
  npx bursar keys create --live --name reports --scopes read --expires 90d
  npx bursar keys roll 6925f3a1c0ffee00c0ffee01 --overlap 24h
  npx bursar team invite ada@example.com --role finance
  npx bursar ledger verify
  npx bursar demo-data
  npx bursar listen --forward-to http://localhost:3000/webhook
  npx bursar doctor
  npx bursar backup /mnt/elsewhere/2026-11-22 --passphrase-file /root/backup.pass
  npx bursar restore /mnt/elsewhere/2026-11-22 --drill --passphrase-file /root/backup.pass`,
    )
}
