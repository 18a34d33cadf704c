/**
 * What of a change of limits lets more out than before: in live mode it waits for a second person,
 * or a day. A waiting change has fields by their names, as `ngn.approve_above` or `approval_hours`.
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

/** Settings by the names of their fields. */
function fieldsOf(settings: Settings): Fields {
  return Object.fromEntries<Value>([
    ...walletCurrencies.flatMap((currency) =>
      ownList.map((name): [string, Value] => [`${currency}.${name}`, settings[currency][name]]),
    ),
    ...shared.map((name): [string, Value] => [name, settings[name]]),
  ])
}

/** The same as settings. Of JSON, amounts are numbers. */
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
 * The names of the fields by which something may go out, or go out unseen, that could not before.
 * Where nothing is limited, only the cooling-off of beneficiaries and of sellers' destinations
 * holds anything back.
 */
export function looserFields(before: Settings, after: Settings): string[] {
  const [from, to] = [fieldsOf(before), fieldsOf(after)]
  const counts = (name: string): boolean =>
    name === 'beneficiary_cooling_off_hours' || isLimited(before)
  return Object.keys(from).filter(
    (name) => counts(name) && isLooser(name, from[name] ?? null, to[name] ?? null),
  )
}

/** Settings as they are once a waiting change has taken effect. */
export const withChange = (settings: Settings, change: Record<string, unknown>): Settings =>
  toSettings({ ...fieldsOf(settings), ...(change as Fields) })

/**
 * Whether a business limits anything: where it does not, there is nothing that could be loosened.
 */
const isLimited = (settings: Settings): boolean =>
  settings.payouts_by_key !== 'any' ||
  walletCurrencies.some((currency) => ownList.some((name) => settings[currency][name] !== null))

/**
 * Puts what loosens off, where that has to wait; and takes from a change that waits already the
 * fields that are decided otherwise now.
 * @returns the settings that hold from now on
 */
export async function putOffLooser(
  work: Work,
  before: Settings,
  asked: Settings,
): Promise<Settings> {
  const [from, to] = [fieldsOf(before), fieldsOf(asked)]
  const looser = looseningWaits(work) ? looserFields(before, asked) : []
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
  return asked
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

/** The change that waits, as the API shows it: the limits once it has taken effect. */
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
