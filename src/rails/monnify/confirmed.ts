/**
 * What Monnify's pages and its recorded answers settle, each with its source. Pages:
 * developers.monnify.com, 2026-11. Recorded: bodies of its sandbox in the tests of
 * Monnify/monnify-dotnet-lib (2026-07), samples of its webhooks, the formats that
 * Monnify/Monnify-java-sdk reads (2025-08).
 */

import { later } from '../../lib/clock.ts'
import { isTransient } from '../http/refusals.ts'

/** The webhook of a payment (pages). */
export const paidEvent = 'SUCCESSFUL_TRANSACTION'

/** Webhooks of payouts (pages). */
export const isOfPayout = (type: string): boolean =>
  /^(SUCCESSFUL|FAILED|REVERSED)_DISBURSEMENT$/.test(type)

/**
 * What each status of a transfer means (pages). `code`: it waits for a code that Monnify has sent
 * to the operator by mail. Those that are not here are not known. [U] That `EXPIRED` is final, so
 * that nobody is paid by it any more.
 */
export const transferStates: Readonly<
  Record<string, 'open' | 'code' | 'done' | 'back' | 'failed'>
> = {
  PENDING: 'open',
  AWAITING_PROCESSING: 'open',
  IN_PROGRESS: 'open',
  PENDING_AUTHORIZATION: 'code',
  OTP_EMAIL_DISPATCH_FAILED: 'code',
  SUCCESS: 'done',
  COMPLETED: 'done',
  REVERSED: 'back',
  FAILED: 'failed',
  EXPIRED: 'failed',
}

/**
 * Why a transfer failed, in Monnify's words: `comment` in the answer to it,
 * `transactionDescription` in everything else (recorded).
 */
export const whyIn = ({ transactionDescription, comment }: Record<string, unknown>): string =>
  String(transactionDescription ?? comment ?? '')

/**
 * Whether a transfer failed as the wallet had too little for it and its fee (a sample of 2024-07:
 * "You do not have sufficient balance …").
 */
export const isForMoney = (transfer: Record<string, unknown>): boolean =>
  /(in|not have )sufficient (wallet )?balance/i.test(whyIn(transfer))

/**
 * How it says that it knows no such transfer, transaction or account: "Could not find …", "Cannot
 * find …" (pages, recorded), or by its status.
 */
export const isUnknownReference = ({
  status,
  message,
}: {
  status: number
  message: string
}): boolean =>
  status === 404 ||
  /not found|does not exist|could ?n[o']t find|cannot find|no transaction/i.test(message)

/** How it says that a bank knows no such account (pages: 99 of the validation). */
export const isUnknownAccount = ({ message }: { message: string }): boolean =>
  /invalid (destination )?account/i.test(message) && !isTransient({ message })

/** What the search calls payments to reserved accounts (recorded). */
export const reservedChannel = 'RESERVED_ACCOUNT'

const iso =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?(?::?\s*([AP]M))?\s*(Z|[+-]\d\d:?\d\d)?$/i
const slashed = /^(\d\d)\/(\d\d)\/(\d{4}) (\d{1,2}):([0-5]\d):([0-5]\d) ([AP]M)$/i

/** Lagos is an hour ahead of UTC, and has no summer time. */
const lagosMinutes = 60

/**
 * A time as Monnify writes it: with an offset, or without one in the time of Lagos, as `2021-11-17
 * 11:28:42.615`, `2025-03-04 10:27:AM`, `30/08/2023 5:13:57 PM` (day first) or `21/01/2022 03:49:28
 * PM` (recorded). Null for anything else, and for what no calendar has.
 */
export function timeIn(value: unknown): Date | null {
  const text = String(value ?? '').trim()
  const [, year, month, day, hour, minute, second = '0', fraction = '', half, zone] =
    iso.exec(text) ?? inOrder(slashed.exec(text)) ?? []
  const hours = hourOf(Number(hour), half)
  if (hours === null) return null
  const ms = Number(fraction.padEnd(3, '0').slice(0, 3))
  const parts = [
    Number(year),
    Number(month) - 1,
    Number(day),
    hours,
    Number(minute),
    Number(second),
    ms,
  ] as const
  const local = new Date(Date.UTC(...parts))
  const isDate = local.getUTCMonth() === parts[1] && local.getUTCDate() === parts[2]
  return isDate ? later(local, -minutesOf(zone) * 60_000) : null
}

/** The parts of `dd/mm/yyyy h:mm:ss AM` in the order of those of ISO 8601. */
const inOrder = (found: RegExpExecArray | null): (string | undefined)[] | null =>
  found && ['', found[3], found[2], found[1], found[4], found[5], found[6], undefined, found[7]]

/** An hour of the day. Java's client also reads hours up to 23 with their half of the day. */
function hourOf(hour: number, half: string | undefined): number | null {
  if (!(hour < 24)) return null
  if (half === undefined) return hour
  const isAfternoon = half.toUpperCase() === 'PM'
  if (hour > 12) return isAfternoon ? hour : null
  return (hour % 12) + (isAfternoon ? 12 : 0)
}

function minutesOf(zone: string | undefined): number {
  if (zone === undefined) return lagosMinutes
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? ['', '+', '0', '0']
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}
