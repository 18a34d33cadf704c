import { type Ctx, route } from '../../core/context.ts'
import type { Route } from '../../core/route.ts'
import { advanceClock, readClock } from './clock.ts'
import { AdvanceIn, ClockRecord } from './schema.ts'

export const clockRoutes: Route<Ctx>[] = [
  route({
    method: 'GET',
    path: '/test/clock',
    tag: 'Test',
    summary: 'Read the test clock',
    mode: 'test',
    schema: { data: ClockRecord },
    handler: async (ctx) => ({ message: 'Test clock', data: await readClock(ctx) }),
  }),
  route({
    method: 'POST',
    path: '/test/clock',
    tag: 'Test',
    summary: 'Move the test clock ahead',
    description:
      'Everything that is due by then fires, as if the time had passed: quotes expire, retries and payouts go on.',
    mode: 'test',
    schema: { body: AdvanceIn, data: ClockRecord },
    handler: async (ctx, { body }) => ({ message: 'Test clock moved', data: await advanceClock(ctx, body.advance) }),
  }),
]
