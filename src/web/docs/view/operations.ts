/**
 * The reference as HTML: the operations of a group with their fields, samples, answers and
 * refusals, and the records that they speak of.
 */
import { type Html, html } from '../../../lib/html.ts'
import {
  type Event,
  exampleOf,
  type Group,
  type Operation,
  type Parameter,
  type Reference,
  type Schema,
} from '../document.ts'
import { prose } from '../markdown.ts'
import { samplesOf } from '../samples.ts'
import { code, inLanguages, languageChoice } from './layout.ts'

/** A record within a record is shown in its place down to here; below, by its name. */
const deepest = 3

const typeOf = (reference: Reference, schema: Schema): string => {
  const {
    type,
    enum: values,
    format,
    items,
    anyOf,
    oneOf,
    allOf,
    properties,
  } = reference.resolve(schema)
  const choices = anyOf ?? oneOf
  if (choices) return [...new Set(choices.map((one) => typeOf(reference, one)))].join(' or ')
  if (items) return `list of ${typeOf(reference, items)}`
  if (values) return 'text, one of'
  if (properties || allOf) return 'object'
  const words: Record<string, string> = {
    string: 'text',
    integer: 'integer',
    boolean: 'true or false',
  }
  const types = (Array.isArray(type) ? type : [type ?? 'any']).map((one) => words[one] ?? one)
  const text = types.join(' or ')
  const of = format === undefined || format === 'int64' ? '' : `, ${format}`
  return text + of
}

/** The values that a field may have, or each of its list; none where that is not said. */
function valuesOf(reference: Reference, schema: Schema): unknown[] {
  const { enum: values, items, anyOf = [], oneOf = [] } = reference.resolve(schema)
  if (values) return values
  return items
    ? valuesOf(reference, items)
    : [...anyOf, ...oneOf].flatMap((choice) => valuesOf(reference, choice))
}

/** The values and bounds that a field may have. */
function boundsOf(reference: Reference, schema: Schema): Html | false {
  const {
    default: otherwise,
    minimum,
    maximum,
    minLength,
    maxLength,
    maxItems,
  } = reference.resolve(schema)
  const values = valuesOf(reference, schema)
  const bounds = [
    minimum !== undefined && minimum !== 0 && `at least ${minimum}`,
    maximum !== undefined && maximum < 2 ** 53 - 1 && `at most ${maximum}`,
    maxLength !== undefined &&
      `${minLength ? `${minLength} to ` : 'up to '}${maxLength} characters`,
    maxItems !== undefined && `up to ${maxItems}`,
    otherwise !== undefined && `default ${JSON.stringify(otherwise)}`,
  ].filter((bound) => bound !== false)
  if (values.length === 0 && bounds.length === 0) return false
  return html`<span class="type">${values.map((value, i) => html`${i > 0 && ', '}<code>${String(value)}</code>`)}${
    values.length > 0 && bounds.length > 0 && '; '
  }${bounds.join(', ')}</span>`
}

/**
 * The object that a field is, or has in its list or among its choices; null where it has no fields.
 */
function partsOf(reference: Reference, schema: Schema): Schema | null {
  const found = reference.resolve(schema)
  if (found.properties) return found
  if (found.items) return partsOf(reference, found.items)
  if (found.allOf) {
    const parts = found.allOf
      .map((part) => partsOf(reference, part))
      .filter((part) => part !== null)
    return {
      properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
      required: parts.flatMap(({ required = [] }) => required),
    }
  }
  const choices = (found.anyOf ?? found.oneOf ?? []).map((choice) => partsOf(reference, choice))
  return choices.find((choice) => choice !== null) ?? null
}

function field(
  reference: Reference,
  name: string,
  schema: Schema,
  must: boolean,
  depth: number,
): Html {
  const { description } = reference.resolve(schema)
  const parts = depth < deepest ? partsOf(reference, schema) : null
  return html`<div><dt><code>${name}</code><span class="type">${typeOf(reference, schema)}</span>${boundsOf(reference, schema)}${
    must && html`<span class="must">required</span>`
  }</dt>${description !== undefined && html`<dd>${prose(description)}</dd>`}${
    parts &&
    html`<dd><details><summary>Fields of <code>${name}</code></summary>${fields(reference, parts, depth + 1)}</details></dd>`
  }</div>`
}

const fields = (
  reference: Reference,
  { properties = {}, required = [] }: Schema,
  depth = 0,
  says = true,
): Html =>
  html`<dl class="fields">${Object.entries(properties).map(([name, schema]) =>
    field(reference, name, schema, says && required.includes(name), depth),
  )}</dl>`

const parameters = (reference: Reference, title: string, found: Parameter[]): Html | false =>
  found.length > 0 &&
  html`<h3>${title}</h3><dl class="fields">${found.map(
    ({ name, schema, description, required = false }) =>
      field(
        reference,
        name,
        description === undefined ? schema : { ...schema, description },
        required,
        0,
      ),
  )}</dl>`

/** What the record of an answer is called, where it has a name: a list's are of its items. */
function recordOf(
  reference: Reference,
  { schema }: Operation['answer'],
): { name: string; isList: boolean } | null {
  if (!schema) return null
  const data = reference.resolve(reference.resolve(schema).properties?.data ?? {})
  const docs = data.properties?.docs ?? data
  const items = reference.resolve(docs).items
  const { name } = reference.resolve(items ?? docs)
  return name === undefined ? null : { name, isList: items !== undefined }
}

const recordId = (name: string): string => `record-${name}`

/** What the script makes a form of, which sends the operation with the reader's test key. */
function tryOf(reference: Reference, { method, path, body, answer }: Operation): Html | false {
  if (answer.contentType !== 'application/json') return false
  const sample = body && JSON.stringify(exampleOf(reference, body.schema), null, 2)
  return html` data-try="${method} ${path}"${sample !== null && html` data-body="${sample}"`}`
}

function operationView(
  reference: Reference,
  operation: Operation,
  keyName: string,
  shown: ReadonlySet<string>,
): Html {
  const {
    id,
    method,
    path,
    summary,
    description,
    scope,
    needsKey,
    deprecated,
    body,
    answer,
    refusals,
  } = operation
  const of = (where: string): Parameter[] =>
    operation.parameters.filter((parameter) => parameter.in === where)
  const record = recordOf(reference, answer)
  const parts = body && partsOf(reference, body.schema)
  return html`<section class="op two" id="${id}"${needsKey && keyName === 'BURSAR_KEY' && tryOf(reference, operation)}><div>
<h2><a class="anchor" href="#${id}">${summary}</a></h2>
<p class="line"><span class="method ${method}">${method}</span><code>${path}</code>${deprecated && html`<span class="old">deprecated</span>`}</p>
${description !== '' && html`<p>${prose(description)}</p>`}
<p class="dim">${needsKey ? (scope === null ? 'Needs a key.' : html`Needs a key with the scope <code>${scope}</code>.`) : 'Needs no key.'}</p>
${parameters(reference, 'In the path', of('path'))}
${parameters(reference, 'In the query', of('query'))}
${parts && html`<h3>In the body</h3>${fields(reference, parts)}`}
${of('header').length > 0 && html`<details><summary>Headers</summary>${parameters(reference, 'Headers', of('header'))}</details>`}
<h3>Answer</h3>
<p><code>${answer.status}</code> ${
    record
      ? html`with ${record.isList ? 'records' : 'a record'} <a href="${shown.has(record.name) ? `#${recordId(record.name)}` : `/docs/search?q=${record.name}`}">${record.name}</a> in <code>data</code>.`
      : html`as <code>${answer.contentType}</code>.`
  }</p>
${
  refusals.length > 0 &&
  html`<details><summary>Refusals</summary><dl class="fields">${refusals
    .filter(({ status }) => status !== 'default')
    .map(
      ({ status, description: meaning, codes }) =>
        html`<div><dt><code>${status}</code></dt><dd>${meaning} ${codes.map(
          (one, i) => html`${i > 0 && ', '}<a href="/docs/errors#${one}"><code>${one}</code></a>`,
        )}</dd></div>`,
    )}</dl></details>`
}
</div><div class="samples">${inLanguages(samplesOf(reference, operation, keyName))}</div></section>`
}

/** A record of the group: its fields once, with an example. */
function recordView(reference: Reference, name: string): Html {
  const schema = { $ref: `#/components/schemas/${name}` }
  const { description, examples } = reference.resolve(schema)
  const parts = partsOf(reference, schema)
  return html`<section class="op two" id="${recordId(name)}"><div><h2><a class="anchor" href="#${recordId(name)}">${name}</a></h2>
${description !== undefined && html`<p>${prose(description)}</p>`}
${parts ? fields(reference, parts, 0, false) : html`<p>${typeOf(reference, schema)} ${boundsOf(reference, schema)}</p>`}
</div><div class="samples">${examples?.length && code(JSON.stringify(examples[0], null, 2), 'json')}</div></section>`
}

function eventView(reference: Reference, { type, meaning, schema }: Event): Html {
  return html`<section class="op two" id="${type}"><div><h2><a class="anchor" href="#${type}">${type}</a></h2><p>${prose(meaning)}</p></div>
<div class="samples"><details><summary>What is sent</summary>${code(JSON.stringify({ ...(exampleOf(reference, schema) as object), type }, null, 2), 'json')}</details></div></section>`
}

/** The names of the records that the operations of a group answer with. */
export const recordsOf = (reference: Reference, { operations }: Group): string[] => [
  ...new Set(
    operations.flatMap(({ answer }) => {
      const record = recordOf(reference, answer)
      return record ? [record.name] : []
    }),
  ),
]

/** The page of a group. @param keyName the variable of the samples that has the key */
export function groupView(
  reference: Reference,
  group: Group,
  keyName: string,
  hasSdks: boolean,
): Html {
  const records = recordsOf(reference, group)
  const shown = new Set(records)
  return html`<h1>${group.name}</h1>
<p class="lead">${prose(group.description)}</p>
<ul class="list">${group.operations.map(
    ({ id, method, path, summary }) =>
      html`<li><a href="#${id}">${summary}</a><span><span class="method ${method}">${method}</span> <code>${path}</code></span></li>`,
  )}${group.events.map(({ type, meaning }) => html`<li><a href="#${type}">${type}</a><span>${prose(meaning)}</span></li>`)}</ul>
${hasSdks && group.operations.length > 0 && languageChoice}
${group.operations.map((operation) => operationView(reference, operation, keyName, shown))}
${records.length > 0 && html`<h1 class="records">Records</h1>${records.map((name) => recordView(reference, name))}`}
${group.events.map((event) => eventView(reference, event))}`
}
