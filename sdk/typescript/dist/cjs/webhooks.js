"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.verify = verify;
const errors_ts_1 = require("./errors.js");
const json_ts_1 = require("./json.js");
function refuse(message) {
    throw new errors_ts_1.SignatureVerificationError(message);
}
/**
 * Checks a webhook by its Standard Webhooks headers: `webhook-id`, `webhook-timestamp` and
 * `webhook-signature`. Compares in constant time. A delivery can come twice: keep the ids of events
 * that you have acted on.
 * @param secret of the endpoint, `weh_…` or `whsec_…`; several while you change from one to another
 * @returns the event
 * @throws {SignatureVerificationError} when it is not Bursar's, not fresh, or cannot be checked
 */
async function verify(rawBody, headers, secret, { tolerance = 300, allowXSignature = false, money = 'number', } = {}) {
    const body = bytesOf(rawBody);
    const keys = keysOf(secret);
    const get = readerOf(headers);
    const [id, timestamp, signature] = [
        get('webhook-id'),
        get('webhook-timestamp'),
        get('webhook-signature'),
    ];
    const standard = id !== null || timestamp !== null || signature !== null;
    if (standard)
        await verifyStandard(body, keys, { id, timestamp, signature }, tolerance);
    else if (allowXSignature === true)
        await verifyOurs(body, keys, [get('x-signature'), get('x-signature-previous')]);
    else
        refuse('The request has no webhook-id, webhook-timestamp and webhook-signature: give all its headers, and refuse it if it has none. X-Signature alone covers no time, so it may be a replay: only allowXSignature accepts it.');
    try {
        const event = (0, json_ts_1.readJson)(new TextDecoder().decode(body), json_ts_1.eventFields, money);
        if (!standard)
            requireFreshEvent(event?.timestamp, tolerance);
        return event;
    }
    catch (cause) {
        if (cause instanceof SyntaxError)
            refuse('The signature is right, but the body is not JSON: check that the whole raw body is given.');
        throw cause;
    }
}
async function verifyStandard(body, keys, { id, timestamp, signature, }, tolerance) {
    if (!id || !timestamp || !signature)
        refuse('The request needs webhook-id, webhook-timestamp and webhook-signature: give all its headers, and see what takes them away.');
    if (!/^\d{1,15}$/.test(timestamp))
        refuse('The webhook-timestamp is not in whole seconds: refuse the request.');
    requireFresh('webhook-timestamp', Number(timestamp), tolerance);
    const signed = join(new TextEncoder().encode(`${id}.${timestamp}.`), body);
    const given = signature
        .split(' ')
        .filter((one) => one.startsWith('v1,'))
        .map((one) => fromBase64(one.slice(3)));
    if (given.length === 0)
        refuse('The webhook-signature has no signature of the scheme v1: update this SDK, or refuse the request.');
    await requireOne(keys, given, signed);
}
/** Fails unless an event happened within the tolerance. */
function requireFreshEvent(timestamp, tolerance) {
    const sent = typeof timestamp === 'string' && isoTime.test(timestamp)
        ? Date.parse(timestamp) / 1_000
        : Number.NaN;
    if (Number.isNaN(sent))
        refuse('The body has no timestamp that is a time: refuse the request.');
    requireFresh("body's timestamp", sent, tolerance);
}
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
/** Fails unless a time, in seconds since 1970, is within the tolerance of now. */
function requireFresh(what, seconds, tolerance) {
    const age = Date.now() / 1_000 - seconds;
    // So put, a tolerance that is no number allows nothing.
    if (!(Math.abs(age) <= tolerance))
        refuse(`The ${what} is ${age > 0 ? 'older than' : 'ahead of your clock by more than'} ${tolerance} s: it may be a replay. Refuse the request, and keep your clock right.`);
}
async function verifyOurs(body, keys, headers) {
    const there = headers.filter((header) => header !== null);
    if (there.length === 0)
        refuse('The request has no webhook-signature and no X-Signature: give its headers, and refuse it if it has none.');
    const given = there
        .filter((one) => /^sha256=[0-9a-f]{64}$/.test(one))
        .map((one) => fromHex(one.slice(7)));
    if (given.length === 0)
        refuse('The X-Signature is not sha256= and 64 hex digits: refuse the request.');
    await requireOne(keys, given, body);
}
/** Fails unless one of the signatures is that of one of the keys. */
async function requireOne(keys, given, signed) {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' };
    let right = false;
    for (const bytes of keys) {
        const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
        for (const one of given)
            if (one !== null && (await crypto.subtle.verify('HMAC', key, one, signed)))
                right = true;
    }
    if (!right)
        refuse('No signature fits: give the raw body as it came, before any parser, and the secret of this endpoint. If both are right, refuse the request.');
}
function bytesOf(body) {
    if (typeof body === 'string')
        return new TextEncoder().encode(body);
    if (body instanceof Uint8Array)
        return new Uint8Array(body);
    if (body instanceof ArrayBuffer)
        return new Uint8Array(body);
    return refuse('The raw body is needed, as a string or bytes: an object that was parsed is other bytes. With Express, take express.raw() for this route.');
}
/** The bytes of secrets: of the whole `weh_…` text, or of the base64 behind `whsec_`. */
function keysOf(secret) {
    const secrets = typeof secret === 'string' ? [secret] : [...(secret ?? [])];
    const keys = secrets.map((one) => one?.startsWith('whsec_') ? fromBase64(one.slice(6)) : new TextEncoder().encode(one ?? ''));
    if (keys.length === 0 || keys.some((key) => key === null || key.length < 16))
        refuse('The secret is missing or cut: give the weh_… or the whsec_… that the endpoint was registered with.');
    return keys;
}
/** A reader of headers by name, whatever its case. */
function readerOf(headers) {
    if (headers === null || typeof headers !== 'object')
        return refuse('The headers of the request are needed beside its body.');
    if (typeof headers.get === 'function') {
        const { get } = headers;
        return (name) => get.call(headers, name);
    }
    const found = new Map();
    for (const [name, value] of Object.entries(headers)) {
        const text = Array.isArray(value) ? value.join(' ') : value;
        if (typeof text === 'string')
            found.set(name.toLowerCase(), text);
    }
    return (name) => found.get(name) ?? null;
}
function join(a, b) {
    const whole = new Uint8Array(a.length + b.length);
    whole.set(a);
    whole.set(b, a.length);
    return whole;
}
function fromBase64(text) {
    try {
        return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    }
    catch {
        return null;
    }
}
const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
