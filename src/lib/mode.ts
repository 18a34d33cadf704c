/**
 * The mode of keys, records and accounts at providers, by the name that configuration, commands and
 * addresses give it.
 */
export type Mode = 'live' | 'test'

export const modeOf = (livemode: boolean): Mode => (livemode ? 'live' : 'test')
