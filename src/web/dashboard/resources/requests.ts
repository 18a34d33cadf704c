import type { AnswerOf } from '../../../core/operations.ts'
import { html } from '../../../lib/html.ts'
import { copied, linkTo } from '../related.ts'
import type { Resource } from '../resource.ts'
import { cells } from '../tables.ts'
import { badge } from '../view/parts.ts'
import { source } from '../view/source.ts'

type Request = AnswerOf<'getRequest'>

const toneOf = ({ status }: Request) => (status < 400 ? 'good' : status < 500 ? 'warn' : 'bad')

export const requests: Resource<Request> = {
  path: 'requests',
  title: 'Requests',
  one: 'request',
  more: 'requests',
  group: 'developers',
  list: 'listRequests',
  get: 'getRequest',
  key: 'id',
  right: 'manage',
  tabs: 'failed',
  untold: true,
  about: 'API requests with your keys, for as long as the operator keeps them.',
  columns: [
    { title: 'Request', cell: ({ method, path }) => html`<bdi>${method} ${path}</bdi>` },
    { title: 'Status', cell: (doc) => badge('status', toneOf(doc), String(doc.status)) },
    { title: 'Refused with', cell: cells.text('code') },
    { title: 'When', cell: cells.created },
    { title: 'Took', cell: ({ ms }, { show }) => `${show.number(ms)} ms`, less: true, right: true },
  ],
  heading: ({ method, path }) => html`<bdi>${method} ${path}</bdi>`,
  called: ({ method, path }) => `${method} ${path}`,
  rows: (doc, seen) => [
    ['Status', badge('status', toneOf(doc), String(doc.status))],
    ['Refused with', doc.code && html`<code>${doc.code}</code>`],
    ['Request id', copied(doc.id)],
    ['Key', linkTo(seen, 'keys', doc.key)],
    ['From', doc.address],
    ['Took', `${seen.show.number(doc.ms)} ms`],
    ['Record', doc.subject && copied(doc.subject)],
    ['Idempotency-Key', doc.idempotency_key && html`<bdi>${doc.idempotency_key}</bdi>`],
  ],
  sections: [{ title: 'Body', content: ({ body }) => body !== null && source(body) }],
  actions: [],
}
