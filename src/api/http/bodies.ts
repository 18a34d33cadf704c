/**
 * Bounds the memory of request bodies that are still arriving, so that clients that send half of
 * many bodies cannot fill the process's memory or starve others.
 */

import { finished, type Readable, Transform } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { makeCounts } from '../../lib/counts.ts'
import { generalRefusal, type Refusal } from '../../lib/errors.ts'

const mib = 1024 * 1024

/** For the API and pages, where a body comes with a key or a session, or is small. */
export const mostOfBodies = 64 * mib
/** For providers' webhooks, whose signature can be checked only with the whole body. */
export const mostOfDeliveries = 16 * mib

/** Smaller bodies are always admitted, because a connection alone uses as much memory. */
const smallBytes = 16 * 1024
/** One sender gets a quarter. */
const share = 4

/**
 * Counts a request's body: the last step of `preParsing`, after every refusal by the headers.
 * @param sender the business or address of the body
 * @returns the stream to read instead of the payload
 * @throws {Refusal} `overloaded`
 */
export type HoldBody = (
  request: FastifyRequest,
  reply: FastifyReply,
  payload: Readable,
  sender: string,
) => Readable

/**
 * Limits the bytes of bodies in a process. A declared length counts from the headers on; other
 * bodies count as they arrive, until they are complete or the client is gone.
 */
export function makeBodies(most: number): HoldBody {
  const held = makeCounts()

  return (request, reply, payload, sender) => {
    const {
      'content-length': declared,
      'transfer-encoding': coding,
      'content-type': type = '',
    } = request.headers
    const limit = request.routeOptions.bodyLimit
    // A larger body is refused by its headers with another code; of a form with files, at most the
    // limit is held.
    const isRefused = Number(declared) > limit && !type.startsWith('multipart/form-data')
    const bytes = Math.min(Number(declared ?? 0), limit)
    if (coding === undefined && (isRefused || bytes <= smallBytes)) return payload
    let own = 0
    const take = (bytes: number): Refusal | null => {
      if (held.total + bytes > most || held.of(sender) + bytes > most / share) return tooMany(reply)
      own += bytes
      held.add(sender, bytes)
      return null
    }
    finished(request.raw, { writable: false }, () => {
      held.add(sender, -own)
      own = 0
    })
    if (coding === undefined) {
      const refusal = take(bytes)
      if (refusal) throw refusal
      return payload
    }
    const counted = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        const refusal = take(chunk.length)
        if (refusal) done(refusal)
        else done(null, chunk)
      },
    })
    payload.on('error', (error) => counted.destroy(error))
    return payload.pipe(counted)
  }
}

/** Answers before the body has arrived, and does not wait for it. */
function tooMany(reply: FastifyReply): Refusal {
  reply.header('connection', 'close')
  return generalRefusal(
    'overloaded',
    'More is on its way to the server than it can hold; nothing was done. Try again in a second.',
  )
}
