import { Nullable, OneOf, Small, Type } from '../../lib/schema.ts'

const Finding = Type.Object(
  {
    check: Type.String({ description: 'What was looked at.', examples: ['backups'] }),
    level: OneOf(['ok', 'warn', 'fail'], {
      description: '`warn`: works, and should be looked at. `fail`: does not work, or will stop to.',
    }),
    found: Type.String({ description: 'What was found.' }),
    todo: Nullable(Type.String({ description: 'What a person does about it; null: nothing is to be done.' })),
  },
  { title: 'Finding', description: 'What a check of the installation found.' },
)
export const InstallationHealth = Type.Object(
  {
    healthy: Type.Boolean({ description: 'Whether nothing fails.' }),
    failures: Small('How many fail.'),
    warnings: Small('How many should be looked at.'),
    findings: Type.Array(Finding),
  },
  { title: 'InstallationHealth', description: 'What may be wrong with the installation.' },
)
