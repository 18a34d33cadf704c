/**
 * How many bytes of bodies that are still on their way a process holds at once: whoever sends half a body, or half of a thousand, fills nobody's memory, and
 * takes the room of nobody else.
 */
import { finished, type Readable, Transform } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { generalRefusal, type Refusal } from '../../lib/errors.ts'

const mib = 1024 * 1024

/** Of all that come to the API and the pages: each has shown a key or a session, or is small. */
export const mostOfBodies = 64 * mib
/** Of what comes to the addresses of providers, which can be looked at for a signature only when all of it is there. */
export const mostOfDeliveries = 16 * mib

/** What is smaller is let in always: a connection by itself takes as much. */
const smallBytes = 16 * 1024
/** What one sender may have on its way, as a part of the whole. */
const share = 4

/**
 * Holds the body of a request: the last step of `preParsing`, after everything that refuses a request by its head.
 * @param sender whose body it is: a business, a session, an address
 * @returns what is read in place of the payload
 * @throws {Refusal} `overloaded`
 */
export type HoldBody = (request: FastifyRequest, reply: FastifyReply, payload: Readable, sender: string) => Readable

/**
 * Makes what holds the bodies of a process within a number of bytes. What a request says that its body has counts from its head on, what does not say it
 * counts as it comes, until all of it is there or the client is gone.
 */
export function makeBodies(most: number): HoldBody {
  let held = 0
  const bySender = new Map<string, number>()

  return (request, reply, payload, sender) => {
    const { 'content-length': declared, 'transfer-encoding': coding } = request.headers
    if (coding === undefined) {
      const bytes = Number(declared ?? 0)
      // What is too large is refused by its head as well, in its own words.
      if (bytes <= smallBytes || bytes > request.routeOptions.bodyLimit) return payload
    }
    let own = 0
    const take = (bytes: number): Refusal | null => {
      const ofSender = bySender.get(sender) ?? 0
      if (held + bytes > most || ofSender + bytes > most / share) return tooMany(reply)
      held += bytes
      own += bytes
      bySender.set(sender, ofSender + bytes)
      return null
    }
    finished(request.raw, { writable: false }, () => {
      held -= own
      const left = (bySender.get(sender) ?? 0) - own
      if (left > 0) bySender.set(sender, left)
      else bySender.delete(sender)
      own = 0
    })
    if (coding === undefined) {
      const refusal = take(Number(declared))
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
