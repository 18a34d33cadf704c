/**
 * Webhooks: whether a request is from Bursar, and fresh, before anything of it is believed.
 */
import type { MoneyOption } from './amounts.ts';
import type { StreamedEvent } from './generated.ts';
/** An event: `type` says what its `payload` is. */
export type WebhookEvent<Money extends MoneyOption = 'number'> = StreamedEvent<Money extends 'bigint' ? bigint : number>;
/** The body as it came, before any parser. */
export type RawBody = string | Uint8Array | ArrayBuffer;
/** `request.headers` of Node.js, or a `Headers`. */
export type WebhookHeaders = {
    get(name: string): string | null;
} | {
    readonly [name: string]: string | readonly string[] | undefined;
};
export type VerifyOptions<Money extends MoneyOption = 'number'> = {
    /** How old, or ahead of your clock, a delivery may be, in seconds. Default 300. */
    tolerance?: number | undefined;
    /**
     * Accept a delivery that has only `X-Signature`, which does not cover the time it was sent. Its
     * age is then that of the event's `timestamp`, so a retry is older than the first try. Default
     * `false`.
     */
    allowXSignature?: boolean | undefined;
    /** What amounts are. Default `number`. */
    money?: Money | undefined;
};
/**
 * Checks a webhook by its Standard Webhooks headers: `webhook-id`, `webhook-timestamp` and
 * `webhook-signature`. Compares in constant time. A delivery can come twice: keep the ids of events
 * that you have acted on.
 * @param secret of the endpoint, `weh_…` or `whsec_…`; several while you change from one to another
 * @returns the event
 * @throws {SignatureVerificationError} when it is not Bursar's, not fresh, or cannot be checked
 */
export declare function verify<Money extends MoneyOption = 'number'>(rawBody: RawBody, headers: WebhookHeaders, secret: string | readonly string[], { tolerance, allowXSignature, money, }?: VerifyOptions<Money>): Promise<WebhookEvent<Money>>;
