"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.headersOf = void 0;
exports.request = request;
exports.urlOf = urlOf;
exports.timeoutOf = timeoutOf;
exports.nameTry = nameTry;
exports.requireOwn = requireOwn;
exports.lost = lost;
exports.refusalOf = refusalOf;
exports.waitOf = waitOf;
exports.sleep = sleep;
const errors_ts_1 = require("./errors.js");
const generated_ts_1 = require("./generated.js");
const json_ts_1 = require("./json.js");
const runtime_ts_1 = require("./runtime.js");
/** How long the longest wait may be that the server asks for. */
const longestWaitMs = 60_000;
/** A longer timer fires at once. */
const longestTimeoutMs = 2 ** 31 - 1;
/** What the server gives back in the answer to a try. */
const idHeader = 'x-client-request-id';
const firstBackoffMs = 500;
const longestBackoffMs = 8_000;
/**
 * Asks, and asks again where that does no harm: a lost connection, a time-out, 429, 500, 502, 503
 * and 504, of what only reads, says how things shall be (PUT, DELETE), or carries an
 * Idempotency-Key. Nothing else is sent twice.
 * @returns the `data` of the answer, or its bytes
 * @throws {ApiError} what was refused
 * @throws {APIConnectionError} when no answer came
 */
async function request(connection, operation, args, query, body, options = {}) {
    const { method, keyed } = operation;
    const key = keyed ? (options.idempotencyKey ?? crypto.randomUUID()) : undefined;
    if (key !== undefined && !/^[!-~]{1,255}$/.test(key))
        throw new errors_ts_1.BursarError('The idempotencyKey must be 1 to 255 visible ASCII characters.');
    const timeout = timeoutOf(options.timeout ?? connection.timeout);
    const url = urlOf(connection, operation, args, query);
    const text = body === undefined
        ? undefined
        : (0, json_ts_1.writeJson)(body, operation.body ? (generated_ts_1.money[operation.body] ?? {}) : {});
    const repeatable = key !== undefined || method === 'GET' || method === 'PUT' || method === 'DELETE';
    const client = repeatable ? null : (0, runtime_ts_1.freshClient)();
    const init = {
        ...(client === null ? {} : { client }),
        method,
        redirect: 'manual',
        headers: {
            ...(0, exports.headersOf)(connection),
            accept: operation.bytes ? '*/*' : 'application/json',
            ...(text === undefined ? {} : { 'content-type': 'application/json' }),
            ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
        ...(text === undefined ? {} : { body: text }),
    };
    const most = repeatable ? (options.maxRetries ?? connection.maxRetries) : 0;
    for (let tries = 0;; tries++) {
        try {
            return await attempt(connection, operation, url, init, timeout, options.signal);
        }
        catch (error) {
            const wait = tries < most ? waitOf(error, tries) : null;
            if (wait === null)
                throw error;
            await sleep(wait, options.signal);
        }
        finally {
            client?.close();
        }
    }
}
function urlOf({ baseUrl }, { path }, args, query) {
    let at = 0;
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => {
        const given = args[at++];
        if (typeof given !== 'string' || given === '' || given === '.' || given === '..')
            throw new errors_ts_1.BursarError(`Give the ${name} of ${path} as a text that is not empty; it was ${String(given)}.`);
        return encodeURIComponent(given);
    });
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query ?? {}))
        if (value !== undefined && value !== null) {
            if (typeof value === 'number')
                (0, json_ts_1.requireExact)(value);
            search.set(name, String(value));
        }
    return baseUrl + filled + (search.size > 0 ? `?${search}` : '');
}
/**
 * Returns the time-out that is used, in milliseconds: an infinite one, or one of more than 24.8
 * days, is that long.
 * @throws {BursarError} when it is not more than 0, or no number
 */
function timeoutOf(timeout) {
    if (typeof timeout !== 'number' || !(timeout > 0))
        throw new errors_ts_1.BursarError(`The timeout must be a number of milliseconds that is more than 0; it was ${String(timeout)}.`);
    return Math.min(timeout, longestTimeoutMs);
}
/** Returns the headers of a try, which has an id of its own, and the id. */
function nameTry(headers) {
    const id = crypto.randomUUID();
    return { id, headers: { ...headers, [idHeader]: id } };
}
/**
 * Fails when an answer names another request. One that names none is taken: an older server, or a
 * proxy in between, leaves the name out.
 * @throws {APIConnectionError}
 */
function requireOwn(url, { headers, body }, id) {
    if ((headers.get(idHeader) ?? id) === id)
        return;
    void body?.cancel().catch(() => { });
    throw new errors_ts_1.APIConnectionError(`What came from ${url} is the answer to another request (X-Client-Request-Id). It may have been done all the same. Check the proxies in between.`);
}
const headersOf = ({ apiKey }) => ({
    authorization: `Bearer ${apiKey}`,
    'user-agent': runtime_ts_1.agent,
});
exports.headersOf = headersOf;
async function attempt(connection, { answer, bytes }, url, init, timeout, signal) {
    const { response, content } = await whole(connection, url, init, timeout, signal);
    if (!response.ok)
        throw refusalOf(response, decode(content));
    if (bytes)
        return content;
    let read;
    try {
        read = (0, json_ts_1.readJson)(decode(content), answer ? { data: answer } : {}, connection.money);
    }
    catch (error) {
        if (error instanceof errors_ts_1.BursarError)
            throw error;
    }
    if (typeof read !== 'object' || read === null || !('data' in read))
        throw new errors_ts_1.APIConnectionError(`What answered at ${url} with ${response.status} is not Bursar: check the base URL.`);
    return read.data;
}
const decode = (content) => new TextDecoder().decode(content);
/** An answer with all its bytes. */
async function whole({ fetch }, url, init, timeout, signal) {
    signal?.throwIfAborted();
    const stop = new AbortController();
    const onAbort = () => stop.abort(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    let late = false;
    const timer = setTimeout(() => {
        late = true;
        stop.abort();
    }, timeout);
    try {
        const named = nameTry(init.headers);
        const response = await fetch(url, { ...init, headers: named.headers, signal: stop.signal });
        requireOwn(url, response, named.id);
        return { response, content: new Uint8Array(await response.arrayBuffer()) };
    }
    catch (cause) {
        signal?.throwIfAborted();
        if (cause instanceof errors_ts_1.BursarError)
            throw cause;
        throw late
            ? new errors_ts_1.APITimeoutError(`No whole answer came from ${url} within ${timeout} ms.`, { cause })
            : lost(url, cause);
    }
    finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
    }
}
/** What became of a connection that broke, or never was. */
function lost(url, cause) {
    const { message = String(cause), cause: deeper } = (cause ?? {});
    const why = deeper?.message ? `${message}: ${deeper.message}` : message;
    return new errors_ts_1.APIConnectionError(`The connection to ${url} failed: ${why}`, { cause });
}
/** A refusal, of what stands in the answer; a proxy's page is one, too. */
function refusalOf(response, text) {
    const { status, headers } = response;
    let said = {};
    try {
        said = JSON.parse(text) ?? {};
    }
    catch {
        // It is not the server's.
    }
    const { code = null, ...details } = said.errors ?? {};
    const message = typeof said.message === 'string'
        ? said.message
        : `Something between here and the server answered with ${status}: it is no answer of Bursar.`;
    return new ((0, errors_ts_1.classOf)(status))(message, {
        status,
        code: code,
        requestId: headers.get('x-request-id'),
        errors: Array.isArray(said.data) ? said.data : [],
        details,
        retryAfter: secondsOf(headers.get('retry-after')),
    });
}
/** `Retry-After`: seconds, or a time. */
function secondsOf(header) {
    if (header === null)
        return null;
    if (/^\d+$/.test(header))
        return Number(header);
    const at = Date.parse(header);
    return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1_000));
}
/**
 * How long to wait before another try, in milliseconds, or null: another would not help, or not
 * soon enough.
 */
function waitOf(error, tries) {
    if (error instanceof errors_ts_1.ApiError) {
        if (![429, 500, 502, 503, 504].includes(error.status))
            return null;
        if (error.retryAfter !== null)
            return error.retryAfter * 1_000 <= longestWaitMs ? error.retryAfter * 1_000 : null;
    }
    else if (!(error instanceof errors_ts_1.APIConnectionError))
        return null;
    // Anything from nothing to the bound: those who failed together do not come back together.
    return Math.random() * Math.min(longestBackoffMs, firstBackoffMs * 2 ** tries);
}
/** @throws the signal's reason when it aborts */
function sleep(ms, signal) {
    return new Promise((resolve, reject) => {
        const stop = () => {
            clearTimeout(timer);
            reject(signal?.reason);
        };
        const timer = setTimeout(() => {
            signal?.removeEventListener('abort', stop);
            resolve();
        }, ms);
        if (signal?.aborted)
            stop();
        else
            signal?.addEventListener('abort', stop, { once: true });
    });
}
