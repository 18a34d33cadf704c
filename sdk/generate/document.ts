/**
 * The OpenAPI document as a server gives it, without a server.
 */
import { openApiDocument } from '../../src/api/http/openapi.ts'
import { metaRoutes } from '../../src/api/meta/meta.ts'
import { modules } from '../../src/app/modules.ts'
import { type Model, modelOf } from './model.ts'

/** The document, as it is sent. */
export function readDocument(): unknown {
  const url = 'https://payments.example'
  const vitals = { workers: () => true, warnings: async () => [] }
  return JSON.parse(
    JSON.stringify(
      openApiDocument(
        metaRoutes('', () => url, vitals),
        modules,
        url,
      ),
    ),
  )
}

export const readModel = (): Model => modelOf(readDocument())
