/**
 * Answers by their schemas.
 */
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifyInstance } from 'fastify'

/**
 * Fastify's own way, but that what writes a route's answers is compiled by the first of them: a
 * start would wait for all, and few are used.
 */
export function compileLate(server: FastifyInstance): void {
  const compile = SerializerSelector()({}, {})
  server.setSerializerCompiler((route) => {
    let compiled: ((data: unknown) => string) | null = null
    return (data: unknown) => {
      compiled ??= compile(route as never)
      return compiled(data)
    }
  })
}
