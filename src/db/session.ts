/** The settings of every session, whatever the server, database or role prescribe. */
import pg from 'pg'

/**
 * The settings on which our parsers and statements rely. They travel in the startup message and not
 * as `options`, because poolers such as PgBouncer track these names and reject `options`.
 */
const sessionSettings = {
  DateStyle: 'ISO, YMD',
  TimeZone: 'UTC',
  standard_conforming_strings: 'on',
}

/** The driver's client with our session settings. */
export class SessionClient extends pg.Client {
  /** Returns the parameters of the startup message. The driver has no option for these. */
  getStartupConf(): Record<string, string> {
    const { getStartupConf } = pg.Client.prototype as unknown as SessionClient
    return { ...getStartupConf.call(this), ...sessionSettings }
  }
}
