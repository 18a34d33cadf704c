import * as s from '../../lib/schema.ts'

const methods = s.Named('HttpMethod', ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const)

export const RequestRecord = s.Type.Object(
  {
    id: s.IdText('The request’s id: its `X-Request-Id`, and that of its line in the server’s log.'),
    method: s.Type.String({ description: 'The HTTP method.', examples: ['POST'] }),
    path: s.Type.String({ description: 'What was asked for, without its query.' }),
    status: s.Small('The HTTP status of the answer.'),
    code: s.Nullable(
      s.Type.String({ description: 'Why it was refused: `errors.code` of the answer.' }),
    ),
    key: s.IdText('The API key that it was asked with.'),
    address: s.Type.String({ description: 'Where it came from.' }),
    ms: s.Type.Number({
      description: 'How long it took until the answer was sent, in milliseconds.',
    }),
    body: s.Nullable(
      s.Type.String({
        description:
          'In test mode, of a request that was refused: its body as JSON, the first 2 KiB, with numbers of cards, accounts and documents masked and secrets left out. Else null.',
      }),
    ),
    subject: s.Nullable(
      s.IdText(
        'The record that its answer was; null where that has no id, and of what was refused or only read.',
      ),
    ),
    idempotency_key: s.Nullable(
      s.Type.String({ description: 'The `Idempotency-Key` that it came with.' }),
    ),
    livemode: s.Type.Boolean({ description: '`true` for live keys, `false` for test keys.' }),
    created_at: s.Timestamp(
      'When it came, by the server’s clock; the test clock does not move it.',
    ),
  },
  {
    title: 'Request',
    description: 'A request that was made with one of your keys, and what became of it.',
  },
)

export const RequestQuery = s.Body({
  ...s.pageQuery,
  status: s.Type.Optional(s.Small('Only this status.', { minimum: 100, maximum: 599 })),
  failed: s.Type.Optional(
    s.Type.Boolean({ description: 'Only those answered with 400 or above; `false`: only others.' }),
  ),
  code: s.Type.Optional(s.Text(1, 100, { description: 'Only those refused with this code.' })),
  method: s.Type.Optional(s.OneOf(methods, { description: 'Only this method.' })),
  path: s.Type.Optional(
    s.Text(1, 1_000, { description: 'Only paths that begin so.', examples: ['/payouts'] }),
  ),
  ...s.rangeQuery,
})

export const RequestParams = s.Body({
  id: s.Type.String({ description: 'The request, by its `X-Request-Id`.' }),
})
