/**
 * Goal: the embedded database comes to another version of PostgreSQL with every row and rule, or
 * stays as it was. Method: the command as an operator runs it, from this version to the same one,
 * which is the same way; from the one before, `npm run check:long` goes it.
 */
import { describeCarrying } from '../support/carried.ts'

describeCarrying('an embedded database that is carried over')
