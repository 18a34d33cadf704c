import { Body, IdText, Text, Timestamp, Type } from '../../lib/schema.ts'

export const AdvanceIn = Body({
  advance: Text(1, 20, { description: 'How far: `90s`, `15m`, `24h`, `3d`.', examples: ['3d'] }),
})

export const ClockRecord = Type.Object(
  {
    now: Timestamp('The time of this business’s test mode.'),
    offset_ms: Type.Integer({ description: 'How far it runs ahead of the machine, in milliseconds.' }),
    livemode: Type.Boolean({ description: 'Always `false`: live time cannot be moved.' }),
    fired: Type.Array(
      Type.Object({
        task: Type.String({ description: 'What was due.' }),
        subject: IdText('The record it was about.'),
        due_at: Timestamp('When it was due.'),
      }),
      { description: 'What this move made due.' },
    ),
  },
  { title: 'TestClock', description: 'The time of a business’s test mode.' },
)
