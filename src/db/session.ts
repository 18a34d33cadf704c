/**
 * The settings of every session, whatever the server, the database or the role is set to.
 */
import pg from 'pg'

/**
 * What the driver's readers and our statements rely on. These travel in the startup message and not
 * as `options`: poolers such as PgBouncer keep track of these names, and refuse others.
 */
const sessionSettings = {
  DateStyle: 'ISO, YMD',
  TimeZone: 'UTC',
  standard_conforming_strings: 'on',
}

/** The driver's client with the settings of our sessions. */
export class SessionClient extends pg.Client {
  /** Returns the parameters of the startup message. The driver has no option for these. */
  getStartupConf(): Record<string, string> {
    const { getStartupConf } = pg.Client.prototype as unknown as SessionClient
    return { ...getStartupConf.call(this), ...sessionSettings }
  }
}
