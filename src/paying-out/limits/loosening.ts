/**
 * Loosening of limits: in live mode it waits for a second person or for a day. A pending change has
 * fields by name, such as `ngn.approve_above` or `approval_hours`.
 */
import type { View, Work } from '../../core/inside.ts'
import { showMoney, type WalletCurrency, walletCurrencies } from '../../lib/money.ts'
import {
  askForLoosening,
  findLoosening,
  looseningWaits,
  narrowLoosening,
  toWho,
} from '../../platform/team/team.ts'
import { type OwnName, ownLabels, ownList } from './names.ts'
import type { PayoutsByKey } from './schema.ts'
import type { Settings } from './stored.ts'

type Value = bigint | number | string | null
type Fields = Record<string, Value>

const hours = ['approval_hours', 'beneficiary_cooling_off_hours'] as const
const shared = [...hours, 'payouts_by_key'] as const

/** Settings by field name. */
function fieldsOf(settings: Settings): Fields {
  return Object.fromEntries<Value>([
    ...walletCurrencies.flatMap((currency) =>
      ownList.map((name): [string, Value] => [`${currency}.${name}`, settings[currency][name]]),
    ),
    ...shared.map((name): [string, Value] => [name, settings[name]]),
  ])
}

/** The inverse. Amounts from JSON are numbers. */
function toSettings(fields: Fields): Settings {
  const own = (currency: WalletCurrency, name: OwnName): bigint | null => {
    const value = fields[`${currency}.${name}`]
    return value == null ? null : BigInt(value)
  }
  return {
    ...(Object.fromEntries(
      walletCurrencies.map((currency) => [
        currency,
        Object.fromEntries(ownList.map((name) => [name, own(currency, name)])),
      ]),
    ) as Pick<Settings, WalletCurrency>),
    approval_hours: Number(fields.approval_hours),
    beneficiary_cooling_off_hours: Number(fields.beneficiary_cooling_off_hours),
    payouts_by_key: fields.payouts_by_key as PayoutsByKey,
  }
}

function isLooser(name: string, from: Value, to: Value): boolean {
  if (name === 'payouts_by_key') return from === 'beneficiaries' && to === 'any'
  if (name === 'beneficiary_cooling_off_hours') return Number(to) < Number(from)
  return from !== null && (to === null || to > from)
}

/**
 * Returns the names of fields whose change allows more payouts, or payouts without approval.
 * Without any limit, only cooling-off times delay payouts.
 */
export function looserFields(before: Settings, after: Settings): string[] {
  const [from, to] = [fieldsOf(before), fieldsOf(after)]
  const counts = (name: string): boolean =>
    name === 'beneficiary_cooling_off_hours' || isLimited(before)
  return Object.keys(from).filter(
    (name) => counts(name) && isLooser(name, from[name] ?? null, to[name] ?? null),
  )
}

/** Returns settings with a pending change applied. */
export const withChange = (settings: Settings, change: Record<string, unknown>): Settings =>
  toSettings({ ...fieldsOf(settings), ...(change as Fields) })

/** Whether a business has any limit: without one, nothing can be loosened. */
const isLimited = (settings: Settings): boolean =>
  settings.payouts_by_key !== 'any' ||
  walletCurrencies.some((currency) => ownList.some((name) => settings[currency][name] !== null))

/**
 * Postpones loosening fields if they must wait, and removes from a pending change the fields that
 * are decided otherwise now.
 * @returns the settings that hold from now on
 */
export async function putOffLooser(
  work: Work,
  before: Settings,
  requested: Settings,
): Promise<Settings> {
  const [from, to] = [fieldsOf(before), fieldsOf(requested)]
  const looser = looseningWaits(work) ? looserFields(before, requested) : []
  const pick = (fields: Fields) =>
    Object.fromEntries(looser.map((name) => [name, fields[name] ?? null]))
  if (looser.length > 0) {
    const lines = looser.map(
      (name) => `${labelOf(name)}: ${inWords(name, from[name])} → ${inWords(name, to[name])}`,
    )
    await askForLoosening(work, 'limits', { change: pick(to), before: pick(from), lines })
    return toSettings({ ...to, ...pick(from) })
  }
  const waiting = await findLoosening(work, 'limits')
  if (waiting) {
    const left = Object.entries(waiting.change).filter(([name]) => from[name] === to[name])
    if (left.length < Object.keys(waiting.change).length)
      await narrowLoosening(work, waiting, Object.fromEntries(left))
  }
  return requested
}

function labelOf(name: string): string {
  const [currency = '', own] = name.split('.')
  return own === undefined
    ? ownLabels[name as 'approval_hours']
    : `${currency.toUpperCase()}, ${ownLabels[own as OwnName]}`
}

function inWords(name: string, value: Value | undefined): string {
  if (value == null) return 'no limit'
  const [currency, own = ''] = name.split('.')
  return own === '' || own.endsWith('_count')
    ? String(value)
    : showMoney(BigInt(value), currency as WalletCurrency)
}

/** Returns the pending change as in the API: the limits once it takes effect. */
export async function pendingOf(view: View, settings: Settings) {
  const waiting = await findLoosening(view, 'limits')
  if (!waiting) return null
  const { id, change, made_by, created_at, takes_effect_at } = waiting
  const { approval_hours, payouts_by_key, beneficiary_cooling_off_hours, ...own } = withChange(
    settings,
    change,
  )
  return {
    id,
    made_by: toWho(made_by),
    created_at,
    takes_effect_at,
    currencies: walletCurrencies.map((currency) => ({ currency, ...own[currency] })),
    approval_hours,
    payouts_by_key,
    beneficiary_cooling_off_hours,
  }
}
