/**
 * People who are signed in, for tests of pages: made by the room itself, without their way through the sign-in page.
 */
import { addMember, createPerson, openSession, type PersonRole, sessionCookie } from '../src/platform/team/team.ts'
import type { TestServer } from './harness.ts'

/** A person with a role in a business, and a browser that is signed in. */
export type SignedIn = {
  personId: string
  email: string
  /** What the browser holds: the value of its cookie. */
  token: string
  /** The request header that carries it to a test server, which has no TLS. */
  headers: { cookie: string }
}

let count = 0

/** Makes a person with a role in a business, who is signed in. */
export async function signIn(
  { app, businessId }: Pick<TestServer, 'app' | 'businessId'>,
  role: PersonRole = 'owner',
  of: { businessId?: string; email?: string; name?: string; installationOwner?: boolean } = {},
): Promise<SignedIn> {
  const email = of.email ?? `${role}-${++count}@example.com`
  const person = await createPerson(app, {
    email,
    name: of.name ?? `Ada ${role}`,
    installationOwner: of.installationOwner ?? false,
  })
  await addMember(app, of.businessId ?? businessId, person.id, role)
  const token = await openSession(app, person.id, { address: '127.0.0.1', device: 'test' })
  return { personId: person.id, email, token, headers: { cookie: `${sessionCookie}=${token}` } }
}
