/**
 * Paystack's list of banks: a worker reads it once a day into a table, which every process reads.
 */
import { sqlOfAll } from '../../db/db.ts'
import { modeOf } from '../../lib/mode.ts'
import type { PeriodicTask } from '../../lib/periodic.ts'
import type { ListedBank } from '../ports/routes.ts'
import type { Account } from './account.ts'
import { asObject, textOf, wholeOf } from './client.ts'

const dayMs = 86_400_000
/** How long a process uses what it read from the table. */
const staleMs = 60_000
/** A bound above the real number of pages, so that an endless list stops. */
const mostPages = 50

type Row = { code: string; name: string; nip_code: string | null; usable: boolean }

const selectBanks = sqlOfAll<Row>(
  'paystack.select_banks',
  `select code, name, nip_code, active and transfers as usable from provider_banks
    where livemode = $1 and rail = $2 order by code`,
)
const selectAge = sqlOfAll<{ seen_at: Date | null }>(
  'paystack.select_banks_age',
  'select max(seen_at) as seen_at from provider_banks where livemode = $1 and rail = $2',
)
const selectCode = sqlOfAll<{ code: string }>(
  'paystack.select_bank_code',
  'select code from provider_banks where livemode = $1 and rail = $2 and provider_id = $3 order by active desc, code limit 1',
)
/** A bank that is no longer listed keeps its row, inactive. */
const keepBanks = sqlOfAll(
  'paystack.keep_banks',
  `with listed as (
     select * from unnest($4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::boolean[], $10::boolean[])
       as one (code, provider_id, name, slug, nip_code, active, transfers)
   ), gone as (
     update provider_banks set active = false
      where livemode = $1 and rail = $2 and active and code not in (select code from listed)
   )
   insert into provider_banks (livemode, rail, code, provider_id, name, slug, nip_code, active, transfers, seen_at)
   select $1, $2, code, provider_id, name, slug, nip_code, active, transfers, $3 from listed
   on conflict (livemode, rail, code) do update
     set provider_id = excluded.provider_id, name = excluded.name, slug = excluded.slug, nip_code = excluded.nip_code,
         active = excluded.active, transfers = excluded.transfers, seen_at = excluded.seen_at`,
)

type Bank = ReturnType<typeof bankIn> & object

function bankIn(row: unknown) {
  const bank = asObject(row)
  const [code, name, id] = [textOf(bank?.code), textOf(bank?.name)?.trim(), wholeOf(bank?.id)]
  if (bank === null || !code || !name || id === null || code.length > 20) return null
  const nip = textOf(bank.nip_sort_code)
  return {
    code,
    name,
    id,
    slug: textOf(bank.slug) ?? '',
    nipCode: nip !== null && /^\d{6}$/.test(nip) ? nip : null,
    active: bank.active === true && bank.is_deleted !== true,
    // Published rows sometimes omit the field: only an explicit `false` counts.
    transfers: bank.supports_transfer !== false,
  }
}

/** Reads all banks from Paystack, by code; null if a page failed. */
async function askBanks({ client }: Account): Promise<Map<string, Bank> | null> {
  const banks = new Map<string, Bank>()
  let next: string | null = null
  for (let page = 0; page < mostPages; page++) {
    const answer = await client.ask({
      method: 'GET',
      path: '/bank',
      urgency: 'sweep',
      query: {
        country: 'nigeria',
        currency: 'NGN',
        use_cursor: 'true',
        perPage: '100',
        include_nip_sort_code: 'true',
        ...(next === null ? {} : { next }),
      },
    })
    if (answer.is !== 'answered' || !Array.isArray(answer.data)) return null
    for (const row of answer.data) {
      const bank = bankIn(row)
      // Some codes are listed twice; the active row wins.
      if (bank && !(banks.get(bank.code)?.active && !bank.active)) banks.set(bank.code, bank)
    }
    next = textOf(asObject(answer.meta)?.next)
    if (next === null) return banks
  }
  return null
}

export function paystackBanks(account: Account) {
  const { db, clock, livemode, name } = account
  let known: readonly ListedBank[] = []
  let readAt = Number.NEGATIVE_INFINITY

  /** Reads the stored list. */
  async function read(): Promise<void> {
    readAt = clock.now().getTime()
    const rows = await db.rows(selectBanks, [livemode, name])
    known = rows.map((row) => ({
      code: row.code,
      name: row.name,
      nipCode: row.nip_code,
      usable: row.usable,
    }))
  }

  async function refresh(): Promise<void> {
    const seen = (await db.row(selectAge, [livemode, name]))?.seen_at?.getTime() ?? 0
    if (clock.now().getTime() - seen < dayMs) return
    await keepListed()
  }

  async function keepListed(): Promise<void> {
    const listed = await askBanks(account)
    // Keeps the earlier list, because an incomplete one would hide banks.
    if (listed === null || listed.size === 0) return
    const all = [...listed.values()]
    await db.rows(keepBanks, [
      livemode,
      name,
      clock.now(),
      all.map((bank) => bank.code),
      all.map((bank) => bank.id),
      all.map((bank) => bank.name),
      all.map((bank) => bank.slug),
      all.map((bank) => bank.nipCode),
      all.map((bank) => bank.active),
      all.map((bank) => bank.transfers),
    ])
    await read()
  }

  return {
    read,
    /**
     * Returns a bank's code by Paystack's id, and reads the list first if it was never read; null
     * if not listed.
     */
    async codeOf(providerId: bigint): Promise<string | null> {
      const find = () => db.row(selectCode, [livemode, name, providerId])
      const kept = await find()
      if (kept || (await db.row(selectAge, [livemode, name]))?.seen_at) return kept?.code ?? null
      await keepListed()
      return (await find())?.code ?? null
    },
    /** Returns the last-read list. A list older than a minute is read again for later calls. */
    banks(): readonly ListedBank[] {
      if (clock.now().getTime() - readAt > staleMs)
        read().catch((error: unknown) =>
          account.log.warn({ err: error, rail: name }, 'the banks could not be read'),
        )
      return known
    },
    /** Refreshes the list within an hour after it is a day old. */
    task: {
      name: `banks of ${modeOf(livemode)} ${name}`,
      everyMs: 3_600_000,
      run: refresh,
    } satisfies PeriodicTask,
  }
}
