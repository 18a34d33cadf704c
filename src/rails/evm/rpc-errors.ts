/**
 * What errors of JSON-RPC mean: nodes and providers say in their own words what they have against a request.
 */
import { BaseError, ExecutionRevertedError } from 'viem'

/** The chain is not what the table says: nothing of it can be believed. */
export class ChainMismatch extends Error {}
/** A range of blocks that this provider does not answer in one piece. */
export class RangeTooWide extends Error {}
/** The call would fail on the chain. */
export class WouldRevert extends Error {}
/** A failure of our own side, whose cause it carries. */
export class OurFailure extends Error {}

/** What is no reason to ask another endpoint. */
export const isFinal = (error: unknown): boolean =>
  [ChainMismatch, RangeTooWide, WouldRevert, OurFailure].some((kind) => error instanceof kind)

/** An error in one line, without the URLs that viem's own texts carry: providers' keys are in them. */
export function messageOf(error: unknown): string {
  const text =
    error instanceof BaseError
      ? error.details || error.shortMessage
      : error instanceof Error
        ? error.message
        : String(error)
  const line = (text.split('\n')[0] as string).replaceAll(/\b(https?|wss?):\/\/\S+/gi, 'a URL')
  return keysOf(error)
    .reduce((shown, key) => shown.replaceAll(key, '…'), line)
    .slice(0, 300)
}

/** What may be a key in the URL that an error came from: servers like to repeat the path that they were asked for. */
function keysOf(error: unknown): string[] {
  if (!(error instanceof BaseError)) return []
  const from = error.walk((cause) => URL.canParse((cause as { url?: string } | null)?.url ?? '')) as {
    url: string
  } | null
  if (from === null) return []
  const { pathname, search } = new URL(from.url)
  return `${pathname}${search}`.split(/[/?&=]/).filter((part) => part.length >= 8)
}

export const isRevert = (error: unknown): boolean =>
  error instanceof BaseError && error.walk((cause) => cause instanceof ExecutionRevertedError) !== null

/** Whether a call was made, and the contract is what failed: a node in trouble must not pass for a wrong contract. */
export const isOfContract = (error: Error): boolean =>
  error instanceof BaseError &&
  error.walk((cause) => {
    const { name, code, details = '' } = cause as { name: string; code?: number; details?: string }
    return (
      /^AbiDecoding|^PositionOutOfBounds/.test(name) || code === 3 || /execution reverted|invalid opcode/i.test(details)
    )
  }) !== null

/**
 * Providers say in their own words that a range, or its answer, is too large; in much the same words they say that they were asked
 * too often, where smaller ranges would be the wrong thing to do.
 */
export const isRangeError = (error: unknown): boolean => {
  const text = messageOf(error)
  return (
    /range|limit|too many|too large|too big|more than|exceed|response size|10,?000|query timeout/i.test(text) &&
    !/\brate\b|rate.?limit|too many requests|per (second|minute|day)|request (count|limit)|compute unit|credits|quota|throughput|throttl|capacity/i.test(
      text,
    )
  )
}
