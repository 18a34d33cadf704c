/**
 * What can go wrong between a provider and those who ask it, by name; and the rules that a test has
 * set.
 */
import type { Mode } from './books.ts'

/**
 * What can befall an answer. "Before" is before anything was done, "after" when it was done and
 * only the answer is lost. `no_connection` closes the whole server: the operation's connection is
 * refused, and so is everyone else's until the rule is lifted. `arrives_late` is done when the test
 * says so, long after the connection was lost.
 */
export const answerFaults = [
  'no_connection',
  'reset_before',
  'reset_after',
  'arrives_late',
  'timeout_before',
  'timeout_after',
  'error_before',
  'error_after',
  'rate_limited',
  'unauthorized',
  'truncated',
  'html',
  'empty',
  'endless',
  'redirect',
  'status_false',
  'other_reference',
  'other_amount',
  'other_currency',
  'other_mode',
  'slow',
] as const

/** What can befall the webhooks that an operation leads to. */
export const webhookFaults = [
  'webhook_before_answer',
  'webhook_twice_at_once',
  'webhook_never',
  'webhook_out_of_order',
  'webhook_late',
  'webhook_forged',
  'webhook_changed_amount',
  'webhook_test_key',
  'webhook_previous_secret',
  'webhook_oversized',
] as const

export const faults = [...answerFaults, ...webhookFaults] as const

/**
 * Faults of the doubles that name them, beside all of `faults`. `unclear_after`: it was done, and
 * is refused by a code that leaves the outcome open.
 */
export const moreFaults = ['unclear_after'] as const

export type AnswerFault = (typeof answerFaults)[number] | (typeof moreFaults)[number]
export type WebhookFault = (typeof webhookFaults)[number]
export type Fault = AnswerFault | WebhookFault

/**
 * Operations whose order was not carried out when the fault is answered. Of the others the asker
 * cannot know.
 */
export const beforeFaults: readonly Fault[] = [
  'no_connection',
  'reset_before',
  'arrives_late',
  'timeout_before',
  'error_before',
  'rate_limited',
  'unauthorized',
  'redirect',
  'status_false',
]

export type Rule = { mode: Mode; operation: string; fault: Fault; times: number; applied: number }

const isWebhook = (fault: Fault): fault is WebhookFault => fault.startsWith('webhook_')

/** The rules that stand. Each is used up by as many requests, or events, as it names. */
export function openRules() {
  const rules: Rule[] = []
  const take = (
    mode: Mode,
    operation: string,
    fits: (fault: Fault) => boolean,
  ): Rule | undefined => {
    const rule = rules.find(
      (one) => one.mode === mode && one.operation === operation && one.times > 0 && fits(one.fault),
    )
    if (rule !== undefined) {
      rule.times -= 1
      rule.applied += 1
    }
    return rule
  }
  return {
    rules,
    add(rule: Rule): Rule {
      rules.push(rule)
      return rule
    },
    clear: (): void => void rules.splice(0),
    /** The fault of this request's answer, if one is due. */
    ofAnswer: (mode: Mode, operation: string): AnswerFault | null =>
      (take(mode, operation, (fault) => !isWebhook(fault))?.fault as AnswerFault | undefined) ??
      null,
    /** Whether the events of this request are to overtake its answer. */
    overtakes: (mode: Mode, operation: string): boolean =>
      take(mode, operation, (fault) => fault === 'webhook_before_answer') !== undefined,
    /** The fault of an event that this operation led to. */
    ofEvent: (mode: Mode, operation: string): WebhookFault | null =>
      (take(mode, operation, (fault) => isWebhook(fault) && fault !== 'webhook_before_answer')
        ?.fault as WebhookFault | undefined) ?? null,
  }
}
export type Rules = ReturnType<typeof openRules>
