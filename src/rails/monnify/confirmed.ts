/**
 * Confirmed facts about Monnify, each with its source. Pages: developers.monnify.com, 2026-11.
 * Recorded: bodies of its sandbox in the tests of Monnify/monnify-dotnet-lib (2026-07), samples of
 * its webhooks, the formats that Monnify/Monnify-java-sdk reads (2025-08).
 */

import { later } from '../../lib/clock.ts'
import { isTransient } from '../http/refusals.ts'

/** The webhook of a payment (pages). */
export const paidEvent = 'SUCCESSFUL_TRANSACTION'

/** Webhooks of payouts (pages). */
export const isOfPayout = (type: string): boolean =>
  /^(SUCCESSFUL|FAILED|REVERSED)_DISBURSEMENT$/.test(type)

/**
 * The meaning of a transfer's status (pages). `code`: it waits for a code that Monnify mailed to
 * the operator. Other statuses are unknown. [U] That `EXPIRED` is final, so that it pays no money
 * later.
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
 * Monnify's reason for a failed transfer: `comment` in the answer to it, `transactionDescription`
 * elsewhere (recorded).
 */
export const whyIn = ({ transactionDescription, comment }: Record<string, unknown>): string =>
  String(transactionDescription ?? comment ?? '')

/**
 * Whether a transfer failed because the wallet could not cover it and its fee (a sample of 2024-07:
 * "You do not have sufficient balance …").
 */
export const isForMoney = (transfer: Record<string, unknown>): boolean =>
  /(in|not have )sufficient (wallet )?balance/i.test(whyIn(transfer))

/**
 * Whether Monnify does not know a transfer, transaction or account: by "Could not find …", "Cannot
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

/** Whether the bank does not know the account (pages: 99 of the validation). */
export const isUnknownAccount = ({ message }: { message: string }): boolean =>
  /invalid (destination )?account/i.test(message) && !isTransient({ message })

/** The search's name for payments to reserved accounts (recorded). */
export const reservedChannel = 'RESERVED_ACCOUNT'

const iso =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?(?::?\s*([AP]M))?\s*(Z|[+-]\d\d:?\d\d)?$/i
const slashed = /^(\d\d)\/(\d\d)\/(\d{4}) (\d{1,2}):([0-5]\d):([0-5]\d) ([AP]M)$/i

/** Lagos is always one hour ahead of UTC. */
const lagosMinutes = 60

/**
 * Parses a time of Monnify: with an offset, or else in Lagos time, such as `2021-11-17
 * 11:28:42.615`, `2025-03-04 10:27:AM`, `30/08/2023 5:13:57 PM` (day first) or `21/01/2022 03:49:28
 * PM` (recorded). Null for anything else, including impossible dates.
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

/** The parts of `dd/mm/yyyy h:mm:ss AM` in the order of ISO 8601. */
const inOrder = (found: RegExpExecArray | null): (string | undefined)[] | null =>
  found && ['', found[3], found[2], found[1], found[4], found[5], found[6], undefined, found[7]]

/** Returns an hour of the day. Java's client also reads hours up to 23 with AM or PM. */
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
