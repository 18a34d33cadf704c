/** The tables that move with a cell or with a business, and how. */
import type { newClient } from '../db.ts'

export type Client = ReturnType<typeof newClient>

/** What moves: a business, or the whole cell (null). */
export type Moving = { business: string | null }

/**
 * @property letter the new cell
 * @property from the old database, as a role that owns its tables and may replicate; an address
 * that the new server reaches
 * @property to the new database, as a role that will own its tables and may subscribe
 * @property serve the new database as the serving role; null: the same role
 */
export type Move = Moving & { letter: string; from: string; to: string; serve: string | null }

/** Returns the move's key in `cell_moves`, in its guard triggers and in its locks. */
export const subjectOf = ({ business }: Moving): string => business ?? ''

/** Why a move is not possible, for the operator. */
export class MoveError extends Error {}

/** A table that logical replication copies and follows. */
export type ReplicatedTable = {
  name: string
  /** The rows that move, as a condition on `new`; null: all. */
  where: string | null
  /** The column of the business; null if it has none or all rows move. */
  owner: string | null
  /** Whether its writers wait for the switch. */
  guarded: boolean
}

/** Each database has its own rows. */
const ofEachDatabase = ['schema_migrations', 'event_positions', 'own_cell', 'cell_moves']

/**
 * Aggregates that tasks maintain: they must continue for other businesses, so they do not wait for
 * the switch.
 */
const aggregates = [
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

/** Folded into counts at the switch. Without a key, replication could not find deleted rows. */
const foldedAtSwitch = ['list_changes']

/**
 * Tables without a business that move with one, as a whole. Earlier proofs remain valid with the
 * cell that signed them.
 */
const movesWithBusiness = [
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
 * Tables that stay: of the cell, its operator, networks and provider accounts, and sessions of
 * people, who sign in again.
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
  'kept_pages',
  'person_sessions',
  'invitations',
]

/**
 * People of the business and their sign-in methods, copied at the switch; by the column of the
 * person.
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

/** @throws {Error} for a table without a business that no list above mentions */
export async function replicatedTables(
  client: Client,
  { business }: Moving,
): Promise<ReplicatedTable[]> {
  const { rows } = await client.query<{ name: string; logged: boolean; owned: boolean }>(
    selectTables,
  )
  return rows.flatMap(({ name, logged, owned }): ReplicatedTable[] => {
    if (!logged || ofEachDatabase.includes(name) || foldedAtSwitch.includes(name)) return []
    const guarded = !aggregates.includes(name)
    const whole = { name, where: null, owner: null, guarded }
    if (business === null) return [whole]
    if (ofCell.includes(name) || name in ofPeople) return []
    if (owned || name === 'businesses') {
      const owner = owned ? 'business_id' : 'id'
      return [{ ...whole, where: `new.${owner} = '${business}'`, owner }]
    }
    // Keeps test addresses unique.
    if (name === 'crypto_keys') return [{ ...whole, where: `new.key = 'sandbox'`, guarded: false }]
    if (!movesWithBusiness.includes(name))
      throw new Error(`It is not decided whether ${name} goes with a business that moves.`)
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

/** Returns, in words, what a business has at providers and networks, which stays with its cell. */
export async function whatStays(client: Client, { business }: Moving): Promise<string[]> {
  if (business === null) return []
  const { rows } = await client.query<{ what: string }>(selectStaying, [business])
  return rows.map(({ what }) => what)
}
