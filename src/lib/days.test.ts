import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dayOf, isTimeZone, startOfDay } from './days.ts'

describe('days of a time zone', () => {
  it('begin when it is midnight there, or when the clocks let them', () => {
    assert.equal(startOfDay('2026-11-21', 'UTC').toISOString(), '2026-11-21T00:00:00.000Z')
    assert.equal(startOfDay('2026-11-21', 'Africa/Lagos').toISOString(), '2026-11-20T23:00:00.000Z')
    // The day that the clocks go forward has 23 hours, and the one that they go back has 25.
    assert.equal(startOfDay('2026-03-08', 'America/New_York').toISOString(), '2026-03-08T05:00:00.000Z')
    assert.equal(startOfDay('2026-03-08', 'America/New_York', 1).toISOString(), '2026-03-09T04:00:00.000Z')
    assert.equal(startOfDay('2026-11-01', 'America/New_York', 1).toISOString(), '2026-11-02T05:00:00.000Z')
    // It had no midnight.
    assert.equal(startOfDay('2018-11-04', 'America/Sao_Paulo').toISOString(), '2018-11-04T03:00:00.000Z')
  })

  it('are those of the calendar', () => {
    assert.equal(startOfDay('2028-02-29', 'UTC', 1).toISOString(), '2028-03-01T00:00:00.000Z')
    assert.throws(() => startOfDay('2026-02-29', 'UTC'), RangeError)
  })

  it('are told from moments', () => {
    const moment = new Date('2026-11-20T23:30:00Z')
    assert.equal(dayOf(moment, 'UTC'), '2026-11-20')
    assert.equal(dayOf(moment, 'Africa/Lagos'), '2026-11-21')
  })

  it('know time zones by their names', () => {
    for (const name of ['UTC', 'Africa/Lagos', 'America/Argentina/Buenos_Aires', 'Etc/GMT+3'])
      assert.ok(isTimeZone(name))
    for (const name of ['', '+01:00', 'Lagos', 'Africa/Nowhere', '../etc/passwd']) assert.ok(!isTimeZone(name), name)
  })
})
