import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { daysOrMonths, gridOf } from './charts.ts'

describe('the grid of a chart', () => {
  it('has few lines at round values, of which the last is not below any bar', () => {
    for (const [most, unit, lines] of [
      [0n, 1n, [0n, 1n]],
      [3n, 1n, [0n, 1n, 2n, 3n]],
      [110_000n, 100n, [0n, 50_000n, 100_000n, 150_000n]],
      [9n * 10n ** 17n, 100n, [0n, 5n * 10n ** 17n, 10n ** 18n]],
    ] as const)
      assert.deepEqual(gridOf(most, unit), lines, String(most))
    for (let most = 1n; most < 10n ** 15n; most = most * 3n + 1n) {
      const grid = gridOf(most, 1n)
      assert.ok(grid.length <= 6 && (grid.at(-1) as bigint) >= most, String(most))
    }
  })

  it('is by month where days would be too narrow', () => {
    assert.deepEqual(daysOrMonths('2026-11-29', '2026-12-01', 'day'), [
      '2026-11-29',
      '2026-11-30',
      '2026-12-01',
    ])
    assert.deepEqual(daysOrMonths('2026-09-15', '2026-12-31', 'day').length, 4)
    assert.deepEqual(daysOrMonths('2026-11-29', '2026-12-01', 'month'), ['2026-11', '2026-12'])
  })
})
