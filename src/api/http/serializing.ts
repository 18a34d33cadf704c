/** Serializes answers by their schemas. */
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifyInstance } from 'fastify'

/**
 * Like Fastify, but compiles a route's serializer at its first answer: compiling all would delay
 * the start, and few are used.
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
