import { momentsOf, type TimelineSource } from '../../core/timeline.ts'
import { describeDestination } from '../../platform/destinations/destinations.ts'
import { selectAny } from './sql.ts'

export const beneficiaryTimeline: TimelineSource = {
  kind: 'beneficiary',
  async read(view, id) {
    const row = await view.row(selectAny, [id])
    if (!row) return null
    const { label, destination, own, usable_from, confirmed_at, deleted_at, created_at } = row
    const { now } = view.scope
    const coolsOff = usable_from > now
    return {
      status: deleted_at ? 'deleted' : coolsOff ? 'cooling_off' : 'active',
      moments: momentsOf([
        {
          at: created_at,
          title: 'The beneficiary was saved',
          detail: { label, to: describeDestination(destination), own },
        },
        {
          at: coolsOff && !deleted_at ? created_at : null,
          title: 'The beneficiary can be paid once it has cooled off',
          detail: { usable_from },
        },
        { at: coolsOff ? null : usable_from, title: 'The beneficiary could be paid from here on' },
        { at: confirmed_at, title: 'The account was confirmed as the business’s own' },
        { at: deleted_at, title: 'The beneficiary was deleted' },
      ]),
    }
  },
}
