import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { dayOf, localTime } from '../../lib/days.ts'
import { type Rule, runsAhead } from './calendar.ts'
import { intervals, weekdays } from './schema.ts'

const daily: Rule = { interval: 'daily', weekday: null, day: null, time: '06:00' }
const at = (
  rule: Rule,
  timeZone: string,
  after: string,
  count: number,
  lastDay: string | null = null,
) =>
  runsAhead(rule, timeZone, new Date(after), lastDay, count).map((one) =>
    one.at.toISOString().slice(0, 16),
  )

describe('the runs ahead of a rule', () => {
  it('are at their time on the clocks there, in summer and in winter', () => {
    assert.deepEqual(at(daily, 'Europe/Berlin', '2027-03-27T00:00Z', 3), [
      '2027-03-27T05:00',
      '2027-03-28T04:00',
      '2027-03-29T04:00',
    ])
    // At half past two the clocks have gone to three, and months later show it twice.
    const night = { ...daily, time: '02:30' }
    assert.deepEqual(at(night, 'Europe/Berlin', '2027-03-27T12:00Z', 2), [
      '2027-03-28T01:30',
      '2027-03-29T00:30',
    ])
    assert.deepEqual(at(night, 'Europe/Berlin', '2027-10-30T12:00Z', 2), [
      '2027-10-31T00:30',
      '2027-11-01T01:30',
    ])
  })

  it('are on the day of the month, or on its last', () => {
    const monthly: Rule = { ...daily, interval: 'monthly', day: 31 }
    assert.deepEqual(at(monthly, 'UTC', '2028-01-31T06:00Z', 3), [
      '2028-02-29T06:00',
      '2028-03-31T06:00',
      '2028-04-30T06:00',
    ])
  })

  it('are once a day, in their order, on days of the rule, whatever the zone and the moment', () => {
    const zones = [
      'Africa/Lagos',
      'Europe/Berlin',
      'America/New_York',
      'Pacific/Apia',
      'Australia/Lord_Howe',
      'UTC',
    ]
    const rules = fc.record({
      interval: fc.constantFrom(...intervals),
      weekday: fc.constantFrom(...weekdays),
      day: fc.integer({ min: 1, max: 31 }),
      time: fc
        .tuple(fc.nat({ max: 23 }), fc.nat({ max: 59 }))
        .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':')),
    })
    const moments = fc.date({
      min: new Date('2010-01-01'),
      max: new Date('2040-01-01'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(rules, fc.constantFrom(...zones), moments, (rule, zone, after) => {
        const ahead = runsAhead(rule, zone, after, null, 4)
        let last = { day: '', at: after }
        for (const one of ahead) {
          assert.ok(one.at > last.at && one.day > last.day)
          last = one
          // Clocks that leave out the time are past it, on Apia's missing day by a whole day.
          const local = localTime(one.at, zone)
          assert.ok(
            local.slice(0, 16) >= `${one.day} ${rule.time}`,
            `${local} for ${one.day} ${rule.time}`,
          )
        }
        const next = runsAhead(rule, zone, after, ahead[0]?.day ?? null, 3)
        assert.deepEqual(next, ahead.slice(1), 'and those after one are those after its day')
        assert.ok((ahead[0]?.day as string) >= dayOf(after, zone))
      }),
      { numRuns: 200 },
    )
  })
})
