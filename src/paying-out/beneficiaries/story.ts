import { momentsOf, type Story } from '../../core/story.ts'
import { describeDestination } from '../destinations/destinations.ts'
import { selectAny } from './sql.ts'

export const beneficiaryStory: Story = {
  kind: 'beneficiary',
  async tell(view, id) {
    const row = await view.row(selectAny, [id])
    if (!row) return null
    const { label, destination, own, usable_from, confirmed_at, deleted_at, created_at } = row
    const { now } = view.scope
    const coolsOff = usable_from > now
    return {
      status: deleted_at ? 'deleted' : coolsOff ? 'cooling_off' : 'active',
      moments: momentsOf([
        { at: created_at, title: 'Beneficiary saved', detail: { label, to: describeDestination(destination), own } },
        { at: coolsOff ? null : usable_from, title: 'Beneficiary can be paid' },
        { at: confirmed_at, title: 'Confirmed as an account of the business’s own' },
        { at: deleted_at, title: 'Beneficiary deleted' },
      ]),
    }
  },
}
