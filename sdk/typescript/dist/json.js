import { BursarError } from './errors.js';
import { money, payloads } from './generated.js';
/** The strings and the numbers of a JSON text. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Whether it is an integer that a `number` might not hold. */
const isLong = (token) => /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token));
/** An event's. */
export const eventFields = { payload: 'EventPayload' };
/** What of an object is money: of an event's payload by the event's type. */
function fieldsOf(schema, beside) {
    const name = schema === 'EventPayload' && 'type' in beside
        ? payloads[beside.type]
        : schema;
    return money[name ?? ''] ?? {};
}
const own = (fields, name) => Object.hasOwn(fields, name) ? fields[name] : undefined;
/** What of a field's value is money. */
const within = (field, beside) => typeof field === 'string' ? fieldsOf(field, beside) : {};
/**
 * Reads JSON. What is no amount is read as `JSON.parse` does.
 * @param fields what of it is money
 * @throws {SyntaxError} when it is not JSON
 * @throws {BursarError} when an amount is beyond 2^53 and `as` is `number`
 */
export function readJson(text, fields, as) {
    if (!/\d{16}/.test(text)) {
        const value = JSON.parse(text);
        return as === 'bigint' ? revive(value, { fields, as, mark: null }) : value;
    }
    // Long integers become strings that are in no text by chance, or by somebody's will.
    const mark = `${crypto.randomUUID()} `;
    const marked = text.replaceAll(tokens, (token) => (isLong(token) ? `"${mark}${token}"` : token));
    return revive(JSON.parse(marked), { fields, as, mark });
}
/** @param amount whether the value stands where an amount does */
function revive(value, reading, amount = false) {
    const { fields, as, mark } = reading;
    if (Array.isArray(value))
        return value.map((item) => revive(item, reading, amount));
    if (typeof value === 'string' && mark !== null && value.startsWith(mark)) {
        const digits = value.slice(mark.length);
        if (!amount)
            return Number(digits);
        if (as === 'bigint')
            return BigInt(digits);
        throw new BursarError(`The server answered the amount ${digits}, which a number cannot hold exactly. Make the client with money: 'bigint'. What you asked for was done.`);
    }
    if (amount && as === 'bigint' && typeof value === 'number')
        return BigInt(value);
    if (typeof value !== 'object' || value === null)
        return value;
    const copy = {};
    for (const [name, child] of Object.entries(value)) {
        const field = own(fields, name);
        const made = revive(child, { ...reading, fields: within(field, value) }, field === true);
        // `__proto__` would be no field of its own.
        Object.defineProperty(copy, name, {
            value: made,
            enumerable: true,
            writable: true,
            configurable: true,
        });
    }
    return copy;
}
/**
 * Writes a body: a `bigint` as the integer that it is.
 * @throws {BursarError} when a number is an integer that is not exact, or is none
 */
export function writeJson(value, fields) {
    return write(value, fields, false) ?? 'null';
}
function write(value, fields, amount) {
    if (typeof value === 'bigint')
        return String(value);
    if (typeof value === 'number' && !Number.isFinite(value))
        throw new BursarError(`${value} is no number of JSON, which would make null of it.`);
    if (amount && typeof value === 'number')
        requireExact(value);
    // JSON has the digits of a rounded one, and an exponent from 1e21 on.
    else if (typeof value === 'number' && Math.abs(value) < 1e21)
        requireExact(value, 'string');
    if (typeof value !== 'object' || value === null)
        return JSON.stringify(value);
    if (Array.isArray(value))
        return `[${value.map((item) => write(item, fields, amount) ?? 'null').join()}]`;
    if ('toJSON' in value && typeof value.toJSON === 'function')
        return write(value.toJSON(), fields, amount);
    const parts = [];
    for (const [name, child] of Object.entries(value)) {
        const field = own(fields, name);
        const text = write(child, within(field, value), field === true);
        if (text !== undefined)
            parts.push(`${JSON.stringify(name)}:${text}`);
    }
    return `{${parts.join()}}`;
}
/** @throws {BursarError} when a number is an integer beyond 2^53 */
export function requireExact(value, instead = 'bigint') {
    if (Number.isInteger(value) && !Number.isSafeInteger(value))
        throw new BursarError(`${value} is beyond 2^53, where a number is not exact. Give it as a ${instead}.`);
}
