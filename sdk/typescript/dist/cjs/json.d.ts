/**
 * JSON whose amounts are exact: integers of up to 64 bits, as `number` up to 2^53, or as `bigint`.
 */
import type { Fields, MoneyOption } from './amounts.ts';
type Json = unknown;
/** An event's. */
export declare const eventFields: Fields;
/**
 * Reads JSON. What is no amount is read as `JSON.parse` does.
 * @param fields what of it is money
 * @throws {SyntaxError} when it is not JSON
 * @throws {BursarError} when an amount is beyond 2^53 and `as` is `number`
 */
export declare function readJson(text: string, fields: Fields, as: MoneyOption): Json;
/**
 * Writes a body: a `bigint` as the integer that it is.
 * @throws {BursarError} when a number is an integer that is not exact, or is none
 */
export declare function writeJson(value: Json, fields: Fields): string;
/** @throws {BursarError} when a number is an integer beyond 2^53 */
export declare function requireExact(value: number, instead?: 'bigint' | 'string'): void;
export {};
