/**
 * Which tables go to another database with a cell, or with one business of it, and how each does.
 */
import type { newClient } from '../db.ts'

export type Client = ReturnType<typeof newClient>

/** What moves: a business, or all of the cell (null). */
export type Moving = { business: string | null }

/**
 * @property letter the cell that it is in afterwards
 * @property from the old database, as a role that owns its tables and may replicate, and as the new
 * one's server reaches it
 * @property to the new one, as a role that is to own its tables and may subscribe
 * @property serve the new one as the role that is to serve; null: the same
 */
export type Move = Moving & { letter: string; from: string; to: string; serve: string | null }

/** What it is called in `cell_moves`, by the triggers that guard it and by the locks. */
export const subjectOf = ({ business }: Moving): string => business ?? ''

/** Why a move cannot be, in a sentence for who asked. */
export class MoveError extends Error {}

/** A table that is copied, and followed from then on, by PostgreSQL's logical replication. */
export type Followed = {
  name: string
  /** Which rows of it go, as a condition of `new`; null: all. */
  where: string | null
  /** The column of the business whose rows go; null: it has none, or all go. */
  owner: string | null
  /** Whether who writes it waits for the switch. */
  guarded: boolean
}

/** Each database has its own. */
const ofEachDatabase = ['schema_migrations', 'event_positions', 'own_cell', 'cell_moves']

/**
 * What tasks add up of other tables: they must go on for all others, so they do not wait for the
 * switch.
 */
const derived = [
  'list_counts',
  'transaction_sums',
  'posting_sums',
  'folded_postings',
  'ledger_closings',
  'opening_balances',
  'event_retention',
  'posting_seals',
  'seal_salts',
]

/**
 * All of it is added to the counts at the switch. It has no key, by which the other side could find
 * what is deleted.
 */
const emptied = ['list_changes']

/**
 * What of no business goes with one, whole. What was proven before stays proven there: by the cell
 * that signed it.
 */
const alongWithBusiness = [
  'price_plans',
  'price_versions',
  'exchange_limits',
  'exchange_rates',
  'tier_limits',
  'screening_entries',
  'sealing_keys',
  'folded_postings',
  'ledger_closings',
  'event_retention',
  'sealed_postings',
  'proofs',
  'proof_keys',
]

/**
 * What stays: it is of the cell, of its operator, its networks and its accounts at providers, or of
 * a person's visit, who signs in again.
 */
const ofCell = [
  'backups',
  'evm_blocks',
  'evm_broadcasts',
  'evm_networks',
  'evm_obstacles',
  'evm_senders',
  'evm_transactions',
  'moved_chains',
  'ledger_verifications',
  'operator_alerts',
  'operator_keys',
  'outgoing_holds',
  'rail_accounts',
  'provider_banks',
  'provider_blocks',
  'provider_events',
  'provider_incidents',
  'provider_orders',
  'provider_recipients',
  'provider_reconciliations',
  'provider_settlements',
  'provider_sweeps',
  'passkey_challenges',
  'password_resets',
  'person_sessions',
  'invitations',
]

/**
 * Those who belong to the business, and how they sign in: copied at the switch. By the column that
 * has the person.
 */
export const ofPeople: Record<string, string> = {
  persons: 'id',
  passkeys: 'person_id',
  recovery_codes: 'person_id',
}

const selectTables = `
select c.relname as name, c.relpersistence = 'p' as logged,
       exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'business_id' and not a.attisdropped) as owned
  from pg_class c
 where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
 order by c.relname`

/**
 * @throws {Error} for a table without a business of which nobody has decided whether it goes with
 * one
 */
export async function followedTables(client: Client, { business }: Moving): Promise<Followed[]> {
  const { rows } = await client.query<{ name: string; logged: boolean; owned: boolean }>(
    selectTables,
  )
  return rows.flatMap(({ name, logged, owned }): Followed[] => {
    if (!logged || ofEachDatabase.includes(name) || emptied.includes(name)) return []
    const guarded = !derived.includes(name)
    const whole = { name, where: null, owner: null, guarded }
    if (business === null) return [whole]
    if (ofCell.includes(name) || name in ofPeople) return []
    if (owned || name === 'businesses') {
      const owner = owned ? 'business_id' : 'id'
      return [{ ...whole, where: `new.${owner} = '${business}'`, owner }]
    }
    // No test address is given out twice.
    if (name === 'crypto_keys') return [{ ...whole, where: `new.key = 'sandbox'`, guarded: false }]
    if (!alongWithBusiness.includes(name))
      throw new Error(`Nobody has decided whether ${name} goes with a business that moves.`)
    return [{ ...whole, guarded: false }]
  })
}

const selectStaying = `
select distinct 'the account ' || rail || ' at its provider' as what
  from (select rail from provider_references where business_id = $1
        union select rail from provider_receipts where business_id = $1
        union select rail from provider_customers where business_id = $1
        union select rail from provider_events where business_id = $1) known
union all
select 'addresses of the cell’s own keys on a network' where exists (select from crypto_addresses where business_id = $1 and key <> 'sandbox')
 order by 1`

/** What a business has at providers and on networks, which stays with its cell, in words. */
export async function whatStays(client: Client, { business }: Moving): Promise<string[]> {
  if (business === null) return []
  const { rows } = await client.query<{ what: string }>(selectStaying, [business])
  return rows.map(({ what }) => what)
}
