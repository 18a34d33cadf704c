import { named, routesOf } from '../../core/route.ts'
import { advanceClock, prepareMove, readClock } from './clock.ts'
import { AdvanceIn, ClockRecord } from './schema.ts'

const route = routesOf('Test')

export const clockRoutes = named({
  getTestClock: route.get('/test/clock', {
    scope: 'read',
    summary: 'Read the test clock',
    description: 'The time by which test mode expires, retries and reminds.',
    mode: 'test',
    schema: { data: ClockRecord },
    message: 'Test clock',
    read: (ctx) => readClock(ctx),
  }),
  advanceTestClock: route.post('/test/clock', {
    scope: 'manage',
    summary: 'Move the test clock ahead',
    description:
      'Everything that is due by then fires, as if the time had passed: quotes expire, retries and payouts go on.',
    mode: 'test',
    example: { advance: '3d' },
    schema: { body: AdvanceIn, data: ClockRecord },
    message: 'Test clock moved',
    prepare: (ctx, { body }) => prepareMove(ctx, body.advance),
    run: advanceClock,
  }),
})
