/**
 * What errors of JSON-RPC mean: nodes and providers say in their own words what they have against a
 * request.
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

/**
 * An error in one line, without the URLs that viem's own texts carry: providers' keys are in them.
 */
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

/**
 * What may be a key in the URL that an error came from: servers like to repeat the path that they
 * were asked for.
 */
function keysOf(error: unknown): string[] {
  if (!(error instanceof BaseError)) return []
  const from = error.walk((cause) =>
    URL.canParse((cause as { url?: string } | null)?.url ?? ''),
  ) as {
    url: string
  } | null
  if (from === null) return []
  const { pathname, search } = new URL(from.url)
  return `${pathname}${search}`.split(/[/?&=]/).filter((part) => part.length >= 8)
}

export const isRevert = (error: unknown): boolean =>
  error instanceof BaseError &&
  error.walk((cause) => cause instanceof ExecutionRevertedError) !== null

/**
 * Whether a call was made, and the contract is what failed: a node in trouble must not pass for a
 * wrong contract.
 */
export const isOfContract = (error: Error): boolean =>
  error instanceof BaseError &&
  error.walk((cause) => {
    const { name, code, details = '' } = cause as { name: string; code?: number; details?: string }
    return (
      /^AbiDecoding|^PositionOutOfBounds/.test(name) ||
      code === 3 ||
      /execution reverted|invalid opcode/i.test(details)
    )
  }) !== null

/**
 * An answer over HTTP that is no JSON-RPC, or comes with a status that says that it failed. The
 * message begins with the status.
 */
export class HttpFailure extends Error {
  readonly status: number
  /** How long the provider asks to wait, by its `Retry-After`; null: it does not say. */
  readonly retryAfterMs: number | null

  constructor(status: number, sentence: string, retryAfterMs: number | null) {
    super(`${status} ${sentence}`)
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

/**
 * The endpoint lacks blocks that were read already, or that it says it has, which tells nothing of
 * the chain.
 */
export class NodeBehind extends Error {}

/** What names a range of blocks, or the size of its answer, and what names a limit of it. */
const ofRange = /\b(ranges?|blocks?|blockrange|results?|logs|response|size)\b/i
const ofLimit =
  /limit|exceed|too (wide|large|big|many|long)|(more|bigger|greater|smaller) than|up to|over|max|at most|should work/i
/** What names requests over time, or a plan's quota of them. */
const ofThrottling =
  /\brate\b|rate.?limit|too many requests|\brps\b|per (second|minute|hour|day|month)|requests? (count|limit)|compute units?|\bcredits?\b|quota|throughput|throttl|capacity/i
/** What says that a range ends, or begins, at blocks that the node does not have. */
const ofHead =
  /(beyond|after|above|exceeds?|past|(greater|higher|larger|later|newer) than) (the )?(current |latest |last )?(head|latest|accepted)|out ?of ?range/i

/**
 * Whether a provider refuses to answer because it was asked too often or too much, or is not paid
 * for. Another endpoint may be asked right away, this one not for a while. -32005 is "limit
 * exceeded" of EIP-1474, which says neither of what.
 * @returns how long to leave the endpoint alone in milliseconds, 0 when the provider does not say;
 * null: it is not throttling
 */
export function throttledMs(error: unknown): number | null {
  const failure = causeOf(error, HttpFailure)
  if (failure?.status === 429 || failure?.status === 402) return failure.retryAfterMs ?? 0
  const text = messageOf(error)
  const says =
    ofThrottling.test(text) ||
    ((/\bplan\b/i.test(text) || [429, -32_005].includes(codeOf(error))) && !ofRange.test(text))
  return says ? (failure?.retryAfterMs ?? 0) : null
}

/** Whether a node says that it does not have the blocks of a range yet. */
export const isBehind = (error: unknown): boolean =>
  ofHead.test(messageOf(error)) && throttledMs(error) === null

/** Whether a provider says that a range of blocks, or the answer to it, is too large. */
export function isRangeError(error: unknown): boolean {
  const text = messageOf(error)
  return ofRange.test(text) && ofLimit.test(text) && throttledMs(error) === null && !isBehind(error)
}

function causeOf<Kind extends Error>(
  error: unknown,
  kind: abstract new (...all: never[]) => Kind,
): Kind | null {
  if (error instanceof kind) return error
  return error instanceof BaseError
    ? (error.walk((cause) => cause instanceof kind) as Kind | null)
    : null
}

/** The code of a JSON-RPC error; 0: there is none. */
function codeOf(error: unknown): number {
  if (!(error instanceof BaseError)) return 0
  const found = error.walk(
    (cause) => typeof (cause as { code?: unknown } | null)?.code === 'number',
  )
  return (found as { code: number } | null)?.code ?? 0
}
