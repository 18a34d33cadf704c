/**
 * A request in each language that has samples: as a command, and as a call of an SDK.
 */
import { exampleOf, type Operation, type Reference } from './document.ts'
import { sdkNames } from './sdk-names.ts'

/** The languages of samples, in their order. A page's choice among them is by `key`. */
export const languages = [
  { key: 'sh', name: 'curl' },
  { key: 'typescript', name: 'TypeScript' },
  { key: 'python', name: 'Python' },
  { key: 'php', name: 'PHP' },
] as const
export type Language = (typeof languages)[number]['key']

export type Sample = { language: Language; text: string }

const indent = (text: string, by = '  '): string => text.replaceAll('\n', `\n${by}`)
const snake = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
/** Words of Python that no argument can be called. */
const ofPython = (name: string): string =>
  ['from', 'in', 'is', 'and', 'or'].includes(name) ? `${name}_` : name

/** A value in a language: short on one line, else with a line for each part. */
function literal(value: unknown, write: Writer): string {
  if (value === null || typeof value !== 'object') return write.plain(value)
  const parts = Array.isArray(value)
    ? value.map((item) => literal(item, write))
    : Object.entries(value).map(([key, item]) => write.pair(key, literal(item, write)))
  const [open, close] = Array.isArray(value) ? write.list : write.map
  return block(parts, open, close, write.padded)
}

function block(parts: string[], open: string, close: string, padded = ''): string {
  if (parts.length === 0) return open + close
  const line = `${open}${padded}${parts.join(', ')}${padded}${close}`
  if (line.length <= 68 && !line.includes('\n')) return line
  return `${open}\n  ${parts.map((part) => indent(part)).join(',\n  ')},\n${close}`
}

type Writer = {
  plain(value: unknown): string
  pair(key: string, value: string): string
  list: readonly [string, string]
  map: readonly [string, string]
  padded: string
}

const quoted = (value: unknown): string =>
  typeof value === 'string'
    ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
    : value === null
      ? 'null'
      : String(value)

const typescript: Writer = {
  plain: quoted,
  list: ['[', ']'],
  map: ['{', '}'],
  padded: ' ',
  pair: (key, value) => `${/^[\w$]+$/.test(key) ? key : quoted(key)}: ${value}`,
}
const php: Writer = {
  plain: quoted,
  list: ['[', ']'],
  map: ['[', ']'],
  padded: '',
  pair: (key, value) => `${quoted(key)} => ${value}`,
}
const python: Writer = {
  plain: (value) =>
    value === null
      ? 'None'
      : value === true
        ? 'True'
        : value === false
          ? 'False'
          : JSON.stringify(value),
  list: ['[', ']'],
  map: ['{', '}'],
  padded: '',
  pair: (key, value) => `${JSON.stringify(key)}: ${value}`,
}

/** The samples of an operation. Who has no SDK has the command alone. */
export function samplesOf(
  reference: Reference,
  operation: Operation,
  keyName = 'BURSAR_KEY',
): Sample[] {
  const params = operation.parameters.filter((parameter) => parameter.in === 'path')
  const values = Object.fromEntries(
    params.map(({ name, schema }) => [name, String(exampleOf(reference, schema, name))] as const),
  )
  const asked = operation.parameters.filter(
    (parameter) => parameter.in === 'query' && parameter.required,
  )
  const query = Object.fromEntries(
    asked.map(({ name, schema }) => [name, exampleOf(reference, schema, name)]),
  )
  const body =
    operation.body && (exampleOf(reference, operation.body.schema) as Record<string, unknown>)
  const samples: Sample[] = [
    { language: 'sh', text: curl(operation, { values, query, body, keyName }) },
  ]
  const name = sdkNames[operation.id]
  if (name === undefined) return samples
  const [resource, method] = name.split('.') as [string, string]
  const fields = { ...query, ...body }
  const has = Object.keys(fields).length > 0
  const ids = Object.values(values)
  const call = (args: string[], open: string): string => `${open}(${args.join(', ')})`
  return [
    ...samples,
    {
      language: 'typescript',
      text: `const answer = await ${call([...ids.map(quoted), ...(has ? [literal(fields, typescript)] : [])], `bursar.${resource}.${method}`)}`,
    },
    {
      language: 'python',
      text: `answer = bursar.${snake(resource)}.${snake(method)}${block(
        [
          ...ids.map((id) => python.plain(id)),
          ...Object.entries(fields).map(
            ([key, value]) => `${ofPython(key)}=${literal(value, python)}`,
          ),
        ],
        '(',
        ')',
      )}`,
    },
    {
      language: 'php',
      text: `$answer = ${call([...ids.map(quoted), ...(has ? [literal(fields, php)] : [])], `$bursar->${resource}->${method}`)};`,
    },
  ]
}

type Asked = {
  values: Record<string, string>
  query: Record<string, unknown>
  body: Record<string, unknown> | null
  keyName: string
}

function curl(
  { method, path, needsKey, answer }: Operation,
  { values, query, body, keyName }: Asked,
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? name),
  )
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, String(value)] as [string, string]),
  ).toString()
  const options = [
    ...(method === 'GET' || (method === 'POST' && body) ? [] : [`-X ${method}`]),
    ...(needsKey ? [`-H "Authorization: Bearer $${keyName}"`] : []),
    ...(body ? ["-H 'Content-Type: application/json'"] : []),
    ...(body ? [`-d '${indent(JSON.stringify(body, null, 2)).replaceAll("'", "'\\''")}'`] : []),
    ...(answer.contentType === 'application/pdf' ? ['-o answer.pdf'] : []),
  ]
  const stream = answer.contentType === 'text/event-stream' ? ' -N' : ''
  return [`curl${stream} "$BURSAR_URL${filled}${search && `?${search}`}"`, ...options].join(
    ' \\\n  ',
  )
}
