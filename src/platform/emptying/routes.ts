import { getBusiness } from '../../books/profiles/profiles.ts'
import { named, routesOf } from '../../core/route.ts'
import { refuseInput } from '../../lib/errors.ts'
import * as s from '../../lib/schema.ts'
import { requireFreshFactor, requireRightNow } from '../team/team.ts'
import { askToEmpty, latestRemoval } from './emptying.ts'

const route = routesOf('Test')

const Removal = s.Type.Object(
  {
    id: s.IdText('This time.'),
    requested_at: s.Timestamp('When it was requested.'),
    ended_at: s.Nullable(s.Timestamp('When it was done.')),
  },
  { title: 'TestDataRemoval', description: 'An emptying of the test data of a business.' },
)

export const emptyingOperations = named({
  getEmptying: route.get('/test/emptying', {
    scope: 'empty',
    summary: 'See when the test data were emptied last',
    mode: 'test',
    schema: {
      data: s.Type.Object(
        { last: s.Nullable(Removal) },
        { title: 'LastRemoval', description: 'The last time.' },
      ),
    },
    message: 'Test data',
    read: async (ctx) => ({ last: await latestRemoval(ctx) }),
  }),
  emptyTestData: route.post('/test/empty', {
    scope: 'empty',
    summary: 'Empty the test data',
    mode: 'test',
    schema: {
      body: s.Body({ name: s.Text(1, 200, { description: 'The name of the business.' }) }),
      data: Removal,
    },
    message: 'Test data are being emptied',
    async run(work, { body }) {
      await requireRightNow(work, 'empty')
      requireFreshFactor(work.scope)
      const { name } = await getBusiness(work)
      if (body.name.trim() !== name.trim())
        refuseInput([
          {
            path: 'name',
            message: 'Type the name of the business as it stands here.',
            location: 'body',
          },
        ])
      return askToEmpty(work)
    },
  }),
})
