import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  dayAfter,
  dayOf,
  daysBetween,
  isTimeZone,
  localTime,
  longDay,
  momentAfter,
  showDay,
  startOfDay,
} from './days.ts'

describe('days of a time zone', () => {
  it('begin when it is midnight there, or when the clocks let them', () => {
    assert.equal(startOfDay('2026-11-21', 'UTC').toISOString(), '2026-11-21T00:00:00.000Z')
    assert.equal(startOfDay('2026-11-21', 'Africa/Lagos').toISOString(), '2026-11-20T23:00:00.000Z')
    // The day that the clocks go forward has 23 hours, and the one that they go back has 25.
    assert.equal(
      startOfDay('2026-03-08', 'America/New_York').toISOString(),
      '2026-03-08T05:00:00.000Z',
    )
    assert.equal(
      startOfDay('2026-03-08', 'America/New_York', 1).toISOString(),
      '2026-03-09T04:00:00.000Z',
    )
    assert.equal(
      startOfDay('2026-11-01', 'America/New_York', 1).toISOString(),
      '2026-11-02T05:00:00.000Z',
    )
    // It had no midnight.
    assert.equal(
      startOfDay('2018-11-04', 'America/Sao_Paulo').toISOString(),
      '2018-11-04T03:00:00.000Z',
    )
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

  it('are the same in each way of writing them, for every zone and moment', () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'))
    const moments = fc.date({
      min: new Date('1980-01-01'),
      max: new Date('2100-01-01'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(zones, moments, fc.integer({ min: -90, max: 90 }), (zone, moment, days) => {
        const day = dayOf(moment, zone)
        const written = (locale: string, dateStyle: 'long' | 'medium') =>
          new Intl.DateTimeFormat(locale, { dateStyle, timeZone: zone }).format(moment)
        assert.equal(longDay(day), written('en-GB', 'long'))
        for (const locale of ['en', 'fr-FR', 'ar'])
          assert.equal(showDay(day, locale), written(locale, 'medium'))
        assert.equal(localTime(moment, zone).slice(0, 10), day)
        assert.equal(dayOf(startOfDay(day, zone), zone), day)
        const other = dayOf(momentAfter(moment, days, zone), zone)
        assert.ok(
          [dayAfter(day, days), dayAfter(day, days + 1)].includes(other),
          'but where a zone leaves out a day',
        )
        assert.ok([days, days + 1].includes(daysBetween(day, other)))
      }),
    )
  })

  it('know time zones by their names', () => {
    for (const name of ['UTC', 'Africa/Lagos', 'America/Argentina/Buenos_Aires', 'Etc/GMT+3'])
      assert.ok(isTimeZone(name))
    for (const name of ['', '+01:00', 'Lagos', 'Africa/Nowhere', '../etc/passwd'])
      assert.ok(!isTimeZone(name), name)
  })
})
