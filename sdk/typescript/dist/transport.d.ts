/**
 * One request and its retries: how it is sent, when it is sent again, and what its answer means.
 */
import type { MoneyOption } from './amounts.ts';
import { APIConnectionError, ApiError } from './errors.ts';
export type RequestOptions = {
    /**
     * For each try, in milliseconds, the answer's body included: more than 0, at most 2,147,483,647,
     * which `Infinity` is too.
     */
    timeout?: number | undefined;
    /** How often it is tried again. */
    maxRetries?: number | undefined;
    /**
     * Gives up: the call rejects with the signal's reason. What was sent may be done all the same.
     */
    signal?: AbortSignal | undefined;
};
export type WriteOptions = RequestOptions & {
    /** Your own. Default: a new one for each call, the same in all its tries. */
    idempotencyKey?: string | undefined;
};
/** An operation, as the transport needs it. */
export type Operation = {
    readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
    /** With `{name}` for each argument, in order. */
    readonly path: string;
    /** Whether it takes an Idempotency-Key. */
    readonly keyed?: true;
    /** The schema of its body, where amounts are in it. */
    readonly body?: string;
    /** The schema of what it gives, where amounts are in it. */
    readonly answer?: string;
    /** It gives a file. */
    readonly bytes?: true;
};
export type Connection = {
    readonly apiKey: string;
    readonly baseUrl: string;
    readonly maxRetries: number;
    readonly timeout: number;
    readonly money: MoneyOption;
    readonly fetch: typeof globalThis.fetch;
};
/** What is asked for, by name. */
export type Query = object;
/**
 * Asks, and asks again where that does no harm: a lost connection, a time-out, 429, 500, 502, 503
 * and 504, of what only reads, says how things shall be (PUT, DELETE), or carries an
 * Idempotency-Key. Nothing else is sent twice.
 * @returns the `data` of the answer, or its bytes
 * @throws {ApiError} what was refused
 * @throws {APIConnectionError} when no answer came
 */
export declare function request(connection: Connection, operation: Operation, args: readonly string[], query: Query | undefined, body: unknown, options?: WriteOptions): Promise<unknown>;
export declare function urlOf({ baseUrl }: Connection, { path }: Operation, args: readonly string[], query: Query | undefined): string;
/**
 * Returns the time-out that is used, in milliseconds: an infinite one, or one of more than 24.8
 * days, is that long.
 * @throws {BursarError} when it is not more than 0, or no number
 */
export declare function timeoutOf(timeout: number): number;
/** Returns the headers of a try, which has an id of its own, and the id. */
export declare function nameTry(headers: Record<string, string>): {
    id: string;
    headers: Record<string, string>;
};
/**
 * Fails when an answer names another request. One that names none is taken: an older server, or a
 * proxy in between, leaves the name out.
 * @throws {APIConnectionError}
 */
export declare function requireOwn(url: string, { headers, body }: Response, id: string): void;
export declare const headersOf: ({ apiKey }: Connection) => Record<string, string>;
/** What became of a connection that broke, or never was. */
export declare function lost(url: string, cause: unknown): APIConnectionError;
/** A refusal, of what stands in the answer; a proxy's page is one, too. */
export declare function refusalOf(response: Response, text: string): ApiError;
/**
 * How long to wait before another try, in milliseconds, or null: another would not help, or not
 * soon enough.
 */
export declare function waitOf(error: unknown, tries: number): number | null;
/** @throws the signal's reason when it aborts */
export declare function sleep(ms: number, signal?: AbortSignal): Promise<void>;
