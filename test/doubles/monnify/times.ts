/**
 * The forms in which Monnify writes times, as recorded: without an offset they are the time of
 * Lagos, an hour ahead of UTC. Its references have the same time in them:
 * `MNFY|04|20211117112842|000170` was paid on `2021-11-17 11:28:42.615`.
 */

const lagosMs = 3_600_000

/** The parts of a time in Lagos, as text. */
function partsOf(at: Date) {
  const [date = '', time = ''] = new Date(at.getTime() + lagosMs)
    .toISOString()
    .slice(0, -1)
    .split('T')
  const [year, month, day] = date.split('-')
  const [hour = '', minute, rest = ''] = time.split(':')
  const of12 = Number(hour) % 12 || 12
  return {
    date,
    time,
    day: `${day}/${month}/${year}`,
    of12,
    hour,
    minute,
    second: rest.slice(0, 2),
    half: half(hour),
  }
}
const half = (hour: string): string => (Number(hour) < 12 ? 'AM' : 'PM')

/** `2026-06-27T08:32:49.000+00:00`: lists and summaries. */
export const withOffset = (at: Date): string => at.toISOString().replace('Z', '+00:00')

/** `2021-11-17 11:28:42.615`: webhooks of payments. */
export function spaced(at: Date): string {
  const { date, time } = partsOf(at)
  return `${date} ${time}`
}

/** `30/08/2023 5:13:57 PM`: webhooks of disbursements, and some of payments. */
export function slashed(at: Date): string {
  const { day, of12, minute, second, half } = partsOf(at)
  return `${day} ${of12}:${minute}:${second} ${half}`
}

/** `21/01/2022 03:49:28 PM`: single transactions. */
export function padded(at: Date): string {
  const { day, of12, minute, second, half } = partsOf(at)
  return `${day} ${String(of12).padStart(2, '0')}:${minute}:${second} ${half}`
}
