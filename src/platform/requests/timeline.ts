import { mayDo } from '../../books/businesses/businesses.ts'
import type { TimelineSource } from '../../core/timeline.ts'
import { selectRequest } from './sql.ts'

/** Only for who may list them: they show who acts. */
export const requestTimeline: TimelineSource = {
  kind: 'request',
  async read(view, id) {
    if (!mayDo(view.scope, 'manage')) return null
    const row = await view.row(selectRequest, [id])
    if (!row) return null
    const { method, path, status, code, subject, created_at, ms } = row
    return {
      status: String(status),
      moments:
        subject === null
          ? [
              {
                at: created_at,
                title: `${method} ${path} was answered ${status}`,
                detail: { status, ...(code === null ? {} : { code }), ms },
              },
            ]
          : [],
      parts: subject === null ? [] : [{ id: subject }],
    }
  },
}
