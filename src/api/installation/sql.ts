import type { Difference } from '../../books/ledger/verify.ts'
import { sqlOfAll } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'

export type VerificationRow = {
  id: Id
  status: 'waiting' | 'running' | 'clean' | 'differs' | 'unfinished'
  checks: number
  checks_done: number
  doing: string | null
  accounts: bigint | null
  postings: bigint | null
  closed_at: Date | null
  differences: Difference[]
  differences_count: bigint
  made_by: string | null
  created_at: Date
  began_at: Date | null
  ended_at: Date | null
}

const columns =
  'id, status, checks, checks_done, doing, accounts, postings, closed_at, differences, differences_count, coalesce((select email from persons where persons.id = made_by), made_by) as made_by, created_at, began_at, ended_at'

/** No row while another one has not ended. */
export const insertVerification = sqlOfAll<VerificationRow>(
  'installation.insert_verification',
  `insert into ledger_verifications (id, status, checks, made_by, created_at) values ($1, 'waiting', $2, $3, $4)
   on conflict do nothing returning ${columns}`,
)

export const selectRunning = sqlOfAll<VerificationRow>(
  'installation.select_running_verification',
  `select ${columns} from ledger_verifications where ended_at is null`,
)

export const selectVerification = sqlOfAll<VerificationRow>(
  'installation.select_verification',
  `select ${columns} from ledger_verifications where id = $1`,
)

export const selectVerifications = sqlOfAll<VerificationRow>(
  'installation.select_verifications',
  `select ${columns} from ledger_verifications order by id desc limit 100`,
)

export const beginVerification = sqlOfAll<{ id: Id }>(
  'installation.begin_verification',
  `update ledger_verifications set status = 'running', began_at = $2 where id = $1 and status = 'waiting' returning id`,
)

export const progressVerification = sqlOfAll<{ id: Id }>(
  'installation.progress_verification',
  `update ledger_verifications set checks_done = $2, doing = $3 where id = $1 and status = 'running' returning id`,
)

export const endVerification = sqlOfAll<{ id: Id }>(
  'installation.end_verification',
  `update ledger_verifications
      set status = case when $5 = 0 then 'clean' else 'differs' end, checks_done = checks, doing = null, accounts = $2, postings = $3,
          differences = $4::text::jsonb, differences_count = $5, ended_at = $6, closed_at = $7
    where id = $1 and status = 'running' returning id`,
)

export const giveUpVerification = sqlOfAll<{ id: Id }>(
  'installation.give_up_verification',
  `update ledger_verifications set status = 'unfinished', ended_at = $2 where id = $1 and ended_at is null returning id`,
)
