/**
 * The operations as a collection for Postman, in its format 2.1: a folder for each group, with
 * bodies that work in test mode.
 */
import { exampleOf, type Operation, type Reference } from './document.ts'

const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'

/** Makes the collection. Its variables are the address and the key. */
export function postmanCollection(reference: Reference, baseUrl: string): object {
  return {
    info: { name: reference.title, description: reference.about, schema },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{api_key}}', type: 'string' }] },
    variable: [
      { key: 'base_url', value: baseUrl },
      { key: 'api_key', value: '' },
    ],
    item: reference.groups
      .filter(({ operations }) => operations.length > 0)
      .map(({ name, description, operations }) => ({
        name,
        description,
        item: operations.map((operation) => requestOf(reference, operation)),
      })),
  }
}

function requestOf(reference: Reference, operation: Operation): object {
  const { id, summary, description, method, path, needsKey, body, answer } = operation
  const of = (where: string) => operation.parameters.filter((parameter) => parameter.in === where)
  const value = ({ name, schema: shape }: Operation['parameters'][number]): string =>
    String(exampleOf(reference, shape, name))
  const parts = path
    .slice(1)
    .replaceAll(/\{(\w+)\}/g, ':$1')
    .split('/')
  const example = answer.schema && exampleOf(reference, answer.schema)
  const request = {
    method,
    ...(needsKey ? {} : { auth: { type: 'noauth' } }),
    header: body ? [{ key: 'Content-Type', value: 'application/json' }] : [],
    url: {
      raw: `{{base_url}}/${parts.join('/')}`,
      host: ['{{base_url}}'],
      path: parts,
      variable: of('path').map((parameter) => ({
        key: parameter.name,
        value: value(parameter),
        description: parameter.description ?? '',
      })),
      query: of('query').map((parameter) => ({
        key: parameter.name,
        value: value(parameter),
        description: parameter.description ?? '',
        disabled: !parameter.required,
      })),
    },
    ...(body
      ? {
          body: {
            mode: 'raw',
            raw: JSON.stringify(exampleOf(reference, body.schema), null, 2),
            options: { raw: { language: 'json' } },
          },
        }
      : {}),
    description,
  }
  const isJson = answer.contentType === 'application/json'
  const response = {
    name: 'Success',
    originalRequest: request,
    status: answer.status === '201' ? 'Created' : 'OK',
    code: Number(answer.status),
    header: [{ key: 'Content-Type', value: answer.contentType }],
    body: JSON.stringify(example, null, 2),
  }
  return { id, name: summary, request, response: isJson ? [response] : [] }
}
