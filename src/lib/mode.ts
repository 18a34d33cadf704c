/**
 * The mode of keys, records and provider accounts, as named in configuration, commands and
 * addresses.
 */
export type Mode = 'live' | 'test'

export const modeOf = (livemode: boolean): Mode => (livemode ? 'live' : 'test')
