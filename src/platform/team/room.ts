import type { Room } from '../../core/room.ts'
import { sealedColumn } from '../../db/sealed.ts'
import { invitationTimeline, personTimeline } from './timeline.ts'

const totpSecrets = sealedColumn({
  ...{ table: 'persons', column: 'totp_secret', key: ['id'], ofServer: 'without a mode' },
  purpose: 'authenticator secret',
  ownerOf: ({ id }) => id,
})

export const team: Room = { sealed: [totpSecrets], timelines: [personTimeline, invitationTimeline] }
