/**
 * Bounds the memory of request bodies that are still arriving. A client that sends half of many
 * bodies fills neither the memory of the process nor the module of other clients.
 */

import { finished, type Readable, Transform } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { makeCounts } from '../../lib/counts.ts'
import { generalRefusal, type Refusal } from '../../lib/errors.ts'

const mib = 1024 * 1024

/** For the API and the pages. A body there comes with a key or a session, or is small. */
export const mostOfBodies = 64 * mib
/** For the addresses of providers. A signature can be checked only when the whole body is there. */
export const mostOfDeliveries = 16 * mib

/** Smaller bodies are always let in: a connection alone takes as much memory. */
const smallBytes = 16 * 1024
/** One sender gets a quarter of the module. */
const share = 4

/**
 * Holds the body of a request: the last step of `preParsing`, after everything that refuses a
 * request by its head.
 * @param sender whose body it is: a business or an address
 * @returns what is read in place of the payload
 * @throws {Refusal} `overloaded`
 */
export type HoldBody = (
  request: FastifyRequest,
  reply: FastifyReply,
  payload: Readable,
  sender: string,
) => Readable

/**
 * Makes what holds the bodies of a process within a number of bytes. What a request says that its
 * body has counts from its head on, what does not say it counts as it comes, until all of it is
 * there or the client is gone.
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
    // A larger body is refused by its head, in its own words; of a form with files no more than the
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

/** It is answered before its body is there, which is then not waited for. */
function tooMany(reply: FastifyReply): Refusal {
  reply.header('connection', 'close')
  return generalRefusal(
    'overloaded',
    'More is on its way to the server than it can hold; nothing was done. Try again in a second.',
  )
}
