/**
 * The client.
 */
import type { MoneyOption } from './amounts.ts';
import { Resources } from './resources.ts';
import { verify } from './webhooks.ts';
export type BursarOptions<Money extends MoneyOption = 'number'> = {
    /** `sk_test_…` or `sk_live_…`. Default: the environment's BURSAR_KEY. */
    apiKey?: string | undefined;
    /**
     * Where the server is, such as `https://pay.example.com`. Default: the environment's BURSAR_URL.
     */
    baseUrl?: string | undefined;
    /** How often a call is tried again. Default 2. */
    maxRetries?: number | undefined;
    /**
     * For each try, in milliseconds: more than 0, at most 2,147,483,647, which `Infinity` is too.
     * Default 30,000.
     */
    timeout?: number | undefined;
    /**
     * What amounts are, in minor units: `number` (default), which throws beyond 2^53 rather than
     * round, or `bigint`.
     */
    money?: Money | undefined;
    /** Instead of the runtime's own. */
    fetch?: typeof globalThis.fetch | undefined;
};
/** Checks of webhooks, which need no client. */
export declare const webhooks: {
    readonly verify: typeof verify;
};
/** A client of a Bursar server, with the key of a business. */
export declare class Bursar<Money extends MoneyOption = 'number'> extends Resources<Money extends 'bigint' ? bigint : number> {
    /** The same as `webhooks` of this module. */
    static readonly webhooks: {
        readonly verify: typeof verify;
    };
    /** @throws {BursarError} when there is no key, or no URL */
    constructor(options?: BursarOptions<Money>);
}
