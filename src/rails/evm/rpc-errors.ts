/** Classifies JSON-RPC errors, which nodes and providers word differently. */
import { BaseError, ExecutionRevertedError } from 'viem'

/** The chain differs from the table, so nothing of it can be trusted. */
export class ChainMismatch extends Error {}
/** The provider does not answer for a range of blocks this wide. */
export class RangeTooWide extends Error {}
/** The call would fail on the chain. */
export class WouldRevert extends Error {}
/** A failure of our own side, with its cause. */
export class OurFailure extends Error {}

/** Whether an error is no reason to query another endpoint. */
export const isFinal = (error: unknown): boolean =>
  [ChainMismatch, RangeTooWide, WouldRevert, OurFailure].some((kind) => error instanceof kind)

/** Returns an error in one line, without URLs, which may contain providers' keys. */
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
 * Returns possible keys in the URL of an error, because servers often repeat the requested path.
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
 * Whether the contract itself failed a call, so that a faulty node is not mistaken for a wrong
 * contract.
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
 * An HTTP answer that is not JSON-RPC, or has an error status. The message starts with the status.
 */
export class HttpFailure extends Error {
  readonly status: number
  /** The wait that the provider requests by `Retry-After`; null: none given. */
  readonly retryAfterMs: number | null

  constructor(status: number, sentence: string, retryAfterMs: number | null) {
    super(`${status} ${sentence}`)
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

/**
 * The endpoint lacks blocks that were read before, or that it announced; says nothing about the
 * chain.
 */
export class NodeBehind extends Error {}

/** Words for a range of blocks or the size of its answer, and words for a limit. */
const ofRange = /\b(ranges?|blocks?|blockrange|results?|logs|response|size)\b/i
const ofLimit =
  /limit|exceed|too (wide|large|big|many|long)|(more|bigger|greater|smaller) than|up to|over|max|at most|should work/i
/** Words for a request rate or a plan's quota. */
const ofThrottling =
  /\brate\b|rate.?limit|too many requests|\brps\b|per (second|minute|hour|day|month)|requests? (count|limit)|compute units?|\bcredits?\b|quota|throughput|throttl|capacity/i
/** Words for a range that the node does not have yet. */
const ofHead =
  /(beyond|after|above|exceeds?|past|(greater|higher|larger|later|newer) than) (the )?(current |latest |last )?(head|latest|accepted)|out ?of ?range/i

/**
 * Whether a provider rejects for too many or too large requests, or an unpaid plan. Another
 * endpoint can be queried at once, this one only later. -32005 is "limit exceeded" of EIP-1474,
 * which does not say of what.
 * @returns how long to rest the endpoint in milliseconds, 0 when the provider does not say; null:
 * not throttled
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

/** Whether a provider says that a range of blocks, or its answer, is too large. */
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

/** The code of a JSON-RPC error, or 0. */
function codeOf(error: unknown): number {
  if (!(error instanceof BaseError)) return 0
  const found = error.walk(
    (cause) => typeof (cause as { code?: unknown } | null)?.code === 'number',
  )
  return (found as { code: number } | null)?.code ?? 0
}
