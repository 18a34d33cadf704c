import type { Module } from '../../core/module.ts'
import { sealedColumn } from '../../db/sealed.ts'
import { waitsForNothing } from '../jobs/timers.ts'
import { sealedPages } from './kept-pages.ts'
import { looseningTask } from './loosenings.ts'
import { makerRefusals } from './makers.ts'
import { stopSecondFactor } from './members.ts'
import { teamTasks } from './tasks.ts'
import { invitationTimeline, personTimeline } from './timeline.ts'

const totpSecrets = sealedColumn({
  table: 'persons',
  column: 'totp_secret',
  key: ['id'],
  ofServer: 'without a mode',
  purpose: 'authenticator secret',
  ownerOf: ({ id }) => id,
})

export const team = {
  tasks: {
    [looseningTask('second_factor')]: (ctx, { loosening_id: id }) =>
      ctx.write((work) => stopSecondFactor(work, id)),
  },
  periodic: (app) => teamTasks(app),
  checks: [
    {
      name: 'every change that loosens and waits has a timer or a job',
      text: waitsForNothing(
        `select business_id, true as livemode, id, 'loosening of ' || subject || ' ' || id as what from loosenings`,
        'loosening_id',
        [looseningTask('limits'), looseningTask('second_factor')],
      ),
    },
  ],
  refusals: makerRefusals,
  sealed: [totpSecrets, sealedPages],
  timelines: [personTimeline, invitationTimeline],
} satisfies Module
