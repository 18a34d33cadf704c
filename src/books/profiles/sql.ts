import { sql, sqlOfAll, sqlOfMany } from '../../db/db.ts'
import type { ImageType } from '../../lib/images.ts'
import type { Address } from '../../lib/schema.ts'

/** The fields of a change. */
export type ProfileFields = {
  name: string
  locale: string
  time_zone: string
  color: string | null
  statement_name: string | null
  support_email: string | null
  support_phone: string | null
  address: Address | null
  tax_id: string | null
  registration_number: string | null
  terms_url: string | null
  receipts: boolean
  metadata: Record<string, unknown>
}

/** A logo without its content. */
export type LogoRow = {
  slug: string
  hash: string
  media_type: ImageType
  width: number
  height: number
}

export type ProfileRow = ProfileFields & { created_at: Date; updated_at: Date } & {
  [K in keyof LogoRow as `logo_${K}`]: LogoRow[K] | null
}

const profileColumns = `p.name, p.locale, p.time_zone, p.color, p.statement_name, p.support_email, p.support_phone, p.address, p.tax_id,
       p.registration_number, p.terms_url, p.receipts, p.metadata, p.created_at, p.updated_at,
       l.slug as logo_slug, l.hash as logo_hash, l.media_type as logo_media_type, l.width as logo_width, l.height as logo_height`

const profile = `select ${profileColumns}
  from business_profiles p
  left join business_logos l on l.business_id = p.business_id and l.livemode = p.livemode
 where p.business_id = $1 and p.livemode = $2`

export const selectProfile = sql<ProfileRow>('profiles.select_profile', profile)

export const lockProfile = sql<ProfileRow>(
  'profiles.lock_profile',
  `${profile} for no key update of p`,
)

export const insertProfile = sqlOfMany(
  'profiles.insert_profile',
  `insert into business_profiles (business_id, livemode, name, created_at, updated_at) values ($1, $2, $3, $4, $4)`,
)

export const updateProfile = sql(
  'profiles.update_profile',
  `update business_profiles
      set name = $3, locale = $4, time_zone = $5, color = $6, statement_name = $7, support_email = $8, support_phone = $9,
          address = $10, tax_id = $11, registration_number = $12, terms_url = $13, receipts = $14, metadata = $15, updated_at = $16
    where business_id = $1 and livemode = $2`,
)

export const deleteLogo = sql(
  'profiles.delete_logo',
  'delete from business_logos where business_id = $1 and livemode = $2',
)

export const insertLogo = sql(
  'profiles.insert_logo',
  `insert into business_logos (business_id, livemode, slug, hash, media_type, width, height, content, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
)

export const selectLogo = sql<{ hash: string; media_type: ImageType; content: Buffer }>(
  'profiles.select_logo',
  'select hash, media_type, content from business_logos where business_id = $1 and livemode = $2',
)

/** Public: a logo is on pages for everyone, and its address is unguessable. */
export const findLogo = sqlOfAll<{ media_type: ImageType; content: Buffer }>(
  'profiles.find_logo',
  'select media_type, content from business_logos where slug = $1',
)
