/**
 * The people of businesses: who may sign in, to which businesses, and as what.
 */
export { addMember, createPerson, emailOf, type NewPerson } from './persons.ts'
export { isRole, mayGive, type PersonRole, type Right, rightsOf, roles, roleTable } from './roles.ts'
export {
  actorOf,
  type Browser,
  endSession,
  findSession,
  forgetOldSessions,
  type Member,
  openSession,
  type Session,
  sessionCookie,
} from './sessions.ts'
