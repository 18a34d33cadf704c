/**
 * The page of one record: what it says, what belongs to it, what happened to it, and what can be
 * done.
 */
import { changesOf } from '../../books/audit/audit.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import type { Id } from '../../lib/ids.ts'
import { namesOf } from './approvals.ts'
import type { BusinessPage, Visit } from './place.ts'
import { type AnyAction, type AnyRecord, hrefOf, type Resource, type Seen } from './resource.ts'
import { resources } from './resources.ts'
import { withNames } from './tables.ts'
import { timelineOf } from './timeline.ts'
import { page } from './view/layout.ts'
import { badge, code, fact, facts, form, keyInput, toast } from './view/parts.ts'
import { en } from './view/strings.ts'

/** The record that a path names. @throws {Refusal} `not_found` */
export async function recordOf(visit: Visit, { get, key }: Resource): Promise<AnyRecord> {
  const doc = await visit.operate(get, { params: { [key]: visit.request.params.key ?? '' } })
  return doc as AnyRecord
}

/** What the page of a record is called. */
export const calledOf = ({ called, one }: Resource, doc: AnyRecord): string =>
  called?.(doc) ?? `${one} ${doc.id}`

/** Returns the actions that the visitor may take on a record as it stands. */
const allowedActions = (visit: Visit, { actions }: Resource, doc: AnyRecord): AnyAction[] =>
  actions.filter(({ operation, when }) => visit.allowed(operation) && (when?.(doc, visit) ?? true))

/** The page of a resource's records. */
export function detailPage(resource: Resource): BusinessPage {
  return {
    method: 'GET',
    path: `/${resource.path}/{key}`,
    async handler(visit) {
      const doc = await recordOf(visit, resource)
      const seen = await withNames(visit, resource, [doc])
      const [sections, timeline, acts] = await Promise.all([
        Promise.all(
          (resource.sections ?? []).map(
            async ({ title, content }) => [title, await content(doc, seen)] as const,
          ),
        ),
        resource.untold ? null : timelineOf(visit, doc),
        resource.untold ? [] : actsOf(visit, doc),
      ])
      const aside = [timeline, simulationsOf(seen, resource, doc)]
      const main = html`${doneOf(visit, resource, doc)}${headOf(seen, resource, doc)}
<div${aside.some(Boolean) && html` class="columns"`}><div>
<section class="sheet"><h2>${en.detail.details}</h2>${factsOf(resource, doc, seen, acts)}</section>
${sections.map(([title, content]) => content && html`<section class="sheet"><h2>${title}</h2>${content}</section>`)}
${metadataOf(doc)}
</div>${aside.some(Boolean) && html`<div>${aside}</div>`}</div>`
      const { title, path, goesOn } = resource
      const above = [[`${visit.base}/${path}`, title]] as const
      return {
        html: page(visit, {
          title: calledOf(resource, doc),
          main,
          above,
          goesOn: goesOn?.(doc) === true,
        }),
      }
    },
  }
}

/**
 * What was done before this page: by an action of its resource, or of another that is named before
 * it.
 */
function doneOf(visit: Visit, resource: Resource, doc: AnyRecord): Part {
  const [name = '', path = resource.path] = (visit.request.query.done ?? '').split('.').reverse()
  const of = path === resource.path ? resource : resources.find((one) => one.path === path)
  const { actions = [], create } = of ?? {}
  const action = [...actions, ...(create ? [create] : [])].find((one) => one.name === name)
  if (!action) return null
  const isOwn = path === resource.path
  const undo = isOwn && allowedActions(visit, resource, doc).find((one) => one.name === action.undo)
  return toast((isOwn && action.ended?.(doc)) || action.done, {
    closes: visit.path,
    undo:
      undo &&
      form(
        visit.session.csrf,
        `${hrefOf(visit, resource, doc)}/${undo.name}`,
        html`${keyInput()}<button class="second" name="step" value="do">${en.undo}</button>`,
      ),
  })
}

function headOf(seen: Seen, resource: Resource, doc: AnyRecord): Html {
  const { heading, status } = resource
  const actions = allowedActions(seen, resource, doc).filter(
    ({ simulates, placed }) => !simulates && !placed,
  )
  const elsewhere = resource.elsewhere?.(doc, seen) ?? []
  return html`<div class="head"><div><h1 class="amount"><span>${heading(doc, seen)}</span>${status && badge(status(doc))}</h1></div>
${
  actions.length + elsewhere.length > 0 &&
  html`<div class="buttons">${elsewhere.map(
    ([path, title]) => html`<a class="button second" href="${seen.base}${path}">${title}</a>`,
  )}${actions.map(
    (action) =>
      html`<a class="button${!action.leads && ' second'}${action.danger && ' danger'}" href="${hrefOf(seen, resource, doc)}/${action.name}">${action.title}</a>`,
  )}</div>`
}</div>`
}

/** Who made a record, and who canceled or voided it, as the audit log has it. */
async function actsOf(visit: Visit, { id }: AnyRecord): Promise<Html[]> {
  const changes = await changesOf(visit.ctx, [id as Id], mostActs)
  const nameOf = await namesOf(visit)
  return changes.toReversed().flatMap(({ action, actor }) => {
    const label = en.detail.acts[action.split('.')[1] ?? '']
    return label === undefined ? [] : [fact(label, nameOf(actor))]
  })
}

const mostActs = 20

function factsOf({ rows }: Resource, doc: AnyRecord, seen: Seen, acts: readonly Html[]): Html {
  const { show } = seen
  const shown = rows(doc, seen).filter(
    (row) => row && row[1] !== null && row[1] !== undefined && row[1] !== false,
  )
  return facts([
    ...(shown as (readonly [string, Part])[]).map(([label, value]) => fact(label, value)),
    ...acts,
    doc.created_at !== undefined && fact(en.detail.created, show.time(doc.created_at)),
    doc.updated_at !== undefined &&
      doc.updated_at !== doc.created_at &&
      fact(en.detail.updated, show.time(doc.updated_at)),
    fact(en.detail.id, code(doc.id)),
  ])
}

function metadataOf({ metadata }: AnyRecord): Part {
  const entries = Object.entries(metadata ?? {})
  if (entries.length === 0) return null
  const text = (value: unknown): string =>
    typeof value === 'string' ? value : JSON.stringify(value)
  return html`<section class="sheet"><h2>${en.detail.metadata}</h2>${facts(
    entries.map(([name, value]) => fact(html`<bdi>${name}</bdi>`, html`<bdi>${text(value)}</bdi>`)),
  )}</section>`
}

function simulationsOf(seen: Seen, resource: Resource, doc: AnyRecord): Part {
  const actions = allowedActions(seen, resource, doc).filter(({ simulates }) => simulates)
  return (
    actions.length > 0 &&
    html`<section class="sheet"><h2>${en.detail.tryOut}</h2><p class="dim">${en.detail.tryOutMeans}</p><div class="buttons">${actions.map(
      ({ name, title }) =>
        html`<a class="button second" href="${hrefOf(seen, resource, doc)}/${name}">${title}</a>`,
    )}</div></section>`
  )
}
