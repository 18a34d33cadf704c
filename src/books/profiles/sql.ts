import { sql, sqlOfMany } from '../../db/db.ts'

export type ProfileRow = {
  name: string
  locale: string
  time_zone: string
  metadata: Record<string, unknown>
  created_at: Date
  updated_at: Date
}

const profileColumns = 'name, locale, time_zone, metadata, created_at, updated_at'

export const selectProfile = sql<ProfileRow>(
  'profiles.select_profile',
  `select ${profileColumns} from business_profiles where business_id = $1 and livemode = $2`,
)

export const lockProfile = sql<ProfileRow>(
  'profiles.lock_profile',
  `select ${profileColumns} from business_profiles where business_id = $1 and livemode = $2 for no key update`,
)

export const insertProfile = sqlOfMany(
  'profiles.insert_profile',
  `insert into business_profiles (business_id, livemode, name, created_at, updated_at) values ($1, $2, $3, $4, $4)`,
)

/** What is null stays as it is. */
export const updateProfile = sql<ProfileRow>(
  'profiles.update_profile',
  `update business_profiles
      set name = coalesce($3, name), locale = coalesce($4, locale), time_zone = coalesce($5, time_zone),
          metadata = coalesce($6, metadata), updated_at = $7
    where business_id = $1 and livemode = $2
   returning ${profileColumns}`,
)
