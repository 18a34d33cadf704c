import { Body, Count, Documented, IdText, Text, Timestamp, Type } from '../../lib/schema.ts'

export const AdvanceIn = Body({
  advance: Documented(
    Text(1, 20, {
      description: 'How far: `90s`, `15m`, `24h`, `3d`; at most `366d`.',
      examples: ['3d'],
    }),
    {
      pattern: '^[0-9]{1,9}(ms|s|m|h|d)$',
    },
  ),
})

export const ClockRecord = Type.Object(
  {
    now: Timestamp('The time of this business’s test mode.'),
    offset_ms: Count('How far it runs ahead of the machine, in milliseconds.'),
    livemode: Type.Boolean({ description: 'Always `false`: live time cannot be moved.' }),
    fired: Type.Array(
      Type.Object(
        {
          task: Type.String({ description: 'What was due.' }),
          subject: IdText('The record it was about.'),
          due_at: Timestamp('When it was due.'),
        },
        { title: 'FiredTask', description: 'Something that a move of the clock made due.' },
      ),
      { description: 'What this move made due.' },
    ),
  },
  { title: 'TestClock', description: 'The time of a business’s test mode.' },
)
