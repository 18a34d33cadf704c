/** The form of a dispute's evidence: texts, and a file of each kind. It submits nothing. */
import type { AnswerOf, BodyOf } from '../../core/operations.ts'
import type { PageAnswer } from '../../core/route.ts'
import { Refusal, refuseInput } from '../../lib/errors.ts'
import { html, type Part } from '../../lib/html.ts'
import { readPhone } from '../../lib/phone.ts'
import { keyForm } from './acts.ts'
import { deadline } from './deadline.ts'
import type { BusinessPage, Visit } from './place.ts'
import type { Values } from './resource.ts'
import { page } from './view/layout.ts'
import { messagePage } from './view/message.ts'
import { type Field, field, form, keyInput, notice } from './view/parts.ts'
import { en, wordOf } from './view/strings.ts'

type Evidence = AnswerOf<'getDisputeEvidence'>
const words = en.evidence

type FieldName = keyof typeof words.fields
const fields: readonly (Field & { name: FieldName })[] = (
  [
    ['explanation', 'area'],
    ['customer_name', 'text'],
    ['customer_email', 'email'],
    ['customer_phone', 'phone'],
    ['delivery_address', 'area'],
    ['delivery_date', 'date'],
  ] as const
).map(([name, kind]) => ({ name, kind, label: words.fields[name] }))
const fileKinds = Object.keys(words.files) as (keyof typeof words.files)[]

/** What is saved; before that, what is known of the customer. */
async function startOf(visit: Visit, evidence: Evidence, customer: string | null): Promise<Values> {
  const known = customer ? await visit.api.getCustomer({ params: { id: customer } }) : null
  const start: Record<string, string | null> = {
    customer_name: known?.name ?? null,
    customer_email: known?.email ?? null,
    customer_phone: known?.phone ?? null,
  }
  const textOf = (name: FieldName): string => String(evidence[name] ?? start[name] ?? '')
  return Object.fromEntries(fields.map(({ name }) => [name, textOf(name)]))
}

type FileField = { evidence: Evidence; kind: (typeof fileKinds)[number]; error: string | null }

function fileField(visit: Visit, { evidence, kind, error }: FileField): Part {
  const saved = evidence.files.find((one) => one.kind === kind)
  const id = `f-${kind}`
  return html`<div class="field${error !== null && ' bad'}"><label for="${id}">${words.files[kind]} <small>${en.optional}</small></label>
${saved && html`<p class="hint">${words.saved(wordOf(saved.type), visit.show.number(Math.ceil(saved.bytes / 1_024)))}</p>`}
<input type="file" id="${id}" name="${kind}" accept="application/pdf,image/png,image/jpeg"${error !== null && html` aria-invalid="true" aria-describedby="${id}-error"`}>${error !== null && html`<p class="wrong" id="${id}-error">${error}</p>`}</div>
${saved && field({ name: `without_${kind}`, label: words.remove, kind: 'check' })}`
}

type Wrong = { values: Values; errors: Values; status: number }

async function show(visit: Visit, wrong: Wrong | null = null): Promise<PageAnswer> {
  const id = visit.request.params.key ?? ''
  const [dispute, evidence] = await Promise.all([
    visit.api.getDispute({ params: { id } }),
    visit.api.getDisputeEvidence({ params: { id } }),
  ])
  const values = wrong?.values ?? (await startOf(visit, evidence, dispute.customer))
  const errors = wrong?.errors ?? {}
  const above = [
    [`${visit.base}/disputes`, words.list],
    [`${visit.base}/disputes/${id}`, visit.show.money(dispute.amount, dispute.currency)],
  ] as const
  const main = html`<div class="narrow"><div class="head"><div><h1>${words.title}</h1>
<p class="hint">${words.about}${dispute.evidence_due_at && html` ${en.evidenceDue} ${deadline(visit, dispute.evidence_due_at)}.`}</p></div></div>
${wrong && notice('bad', errors[''] ?? en.mend)}
${form(
  visit.session.csrf,
  visit.path,
  html`${keyInput()}<section class="sheet fields">${fields.map((one) =>
    field(
      evidence.needs.includes(one.name) ? { ...one, hint: words.needed } : one,
      values[one.name] ?? '',
      errors[one.name] ?? null,
    ),
  )}</section>
<section class="sheet fields"><h2>${words.filesTitle}</h2><p class="hint">${words.filesAbout}</p>${fileKinds.map(
    (kind) => fileField(visit, { evidence, kind, error: errors[`files.${kind}`] ?? null }),
  )}</section>
<div class="buttons"><button name="step" value="do">${words.save}</button><a class="button second" href="${visit.base}/disputes/${id}">${en.cancel}</a></div>`,
  html` enctype="multipart/form-data"`,
)}</div>`
  const title = wrong ? en.wrong(words.title) : words.title
  return { html: page(visit, { title, main, above }), status: wrong?.status ?? 200 }
}

/** What was typed, as the API takes it. A file that is not given stays. */
function bodyOf({ request, country }: Visit): BodyOf<'updateDisputeEvidence'> {
  const { form: typed, files } = request
  const texts = fields.map(({ name, kind }) => {
    const text = (typed[name] ?? '').trim()
    return [name, (kind === 'phone' && readPhone(text, country)) || text || null] as const
  })
  const given: NonNullable<BodyOf<'updateDisputeEvidence'>['files']> = {}
  for (const kind of fileKinds) {
    const file = files[kind]
    if (file === null)
      refuseInput([{ path: `files.${kind}`, message: words.tooLarge, location: 'body' }])
    if (file && file.length > 0) given[kind] = Buffer.from(file).toString('base64')
    else if (typed[`without_${kind}`] === 'true') given[kind] = null
  }
  return { ...Object.fromEntries(texts), files: given }
}

/** What is refused, at the fields that it is about, in the words of the form. */
function errorsOf({ data, message }: Refusal): Values {
  const issues = Array.isArray(data) ? (data as { path: string; message: string }[]) : []
  if (issues.length === 0) return { '': message }
  return Object.fromEntries(
    issues.map(({ path, message: said }) => {
      const kind = fileKinds.find((one) => path === `files.${one}`)
      const label = kind ? words.files[kind] : fields.find(({ name }) => name === path)?.label
      return [path, label ? said.replace(path, label) : said]
    }),
  )
}

export const evidencePages: BusinessPage[] = [
  { method: 'GET', path: '/disputes/{key}/evidence', handler: (visit) => show(visit) },
  {
    method: 'POST',
    path: '/disputes/{key}/evidence',
    takesFile: true,
    async handler(visit) {
      const { form: typed, params } = visit.request
      if (!keyForm.test(typed.key ?? '')) return messagePage('out_of_date', visit.session, visit)
      try {
        const input = { params: { id: params.key ?? '' }, body: bodyOf(visit) }
        await visit.api.updateDisputeEvidence(input, typed.key)
        return { redirect: `${visit.base}/disputes/${params.key}?done=evidence` }
      } catch (error) {
        const isSaid = error instanceof Refusal && error.status < 500 && error.status !== 404
        if (!isSaid || error.code === 'scope_missing') throw error
        const status = Math.max(400, error.status)
        return show(visit, { values: typed, errors: errorsOf(error), status })
      }
    },
  },
  {
    method: 'GET',
    path: '/disputes/{key}/bundle',
    async handler({ file, request }) {
      const id = request.params.key ?? ''
      const content = await file('getDisputeEvidencePdf', { params: { id } })
      return { file: content, contentType: 'application/pdf', name: `evidence-${id}.pdf` }
    },
  },
]
