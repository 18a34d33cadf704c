"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.EventStream = void 0;
/**
 * Server-sent events, followed for as long as they are read: a lost connection is made anew where
 * it was, so that no event is missed.
 */
const errors_ts_1 = require("./errors.js");
const json_ts_1 = require("./json.js");
const transport_ts_1 = require("./transport.js");
/**
 * The server says something every 15 s. A connection that is silent for longer than this is dead.
 */
const longestSilenceMs = 45_000;
/** Events as they happen. `break` out of the loop, or abort the signal, to end it. */
class EventStream {
    #connection;
    #operation;
    #query;
    #options;
    /**
     * The place of what was given last. Keep it, once you have acted on the event, and go on from it
     * another time: `stream({ after: place })`.
     */
    lastEventId;
    constructor(connection, operation, query, options = {}) {
        this.#connection = connection;
        this.#operation = operation;
        this.#query = query;
        this.#options = options;
    }
    /**
     * @throws {ApiError} what is refused; what passes (429, 5xx) is tried again, as often as
     * `maxRetries` says until the stream is open, and then without end
     */
    async *[Symbol.asyncIterator]() {
        const { signal, maxRetries = this.#connection.maxRetries } = this.#options;
        let opened = false;
        for (let failures = 0;; failures++) {
            try {
                for await (const event of this.#connect()) {
                    opened = true;
                    failures = 0;
                    if (event !== null)
                        yield event;
                }
            }
            catch (error) {
                signal?.throwIfAborted();
                const wait = (0, transport_ts_1.waitOf)(error, Math.min(failures, 4));
                if (wait === null || (!opened && failures >= maxRetries))
                    throw error;
                await (0, transport_ts_1.sleep)(wait, signal);
                continue;
            }
            // The server ends it when it stops, and comes back.
            await (0, transport_ts_1.sleep)((0, transport_ts_1.waitOf)(new errors_ts_1.APIConnectionError(), Math.min(failures, 4)) ?? 0, signal);
        }
    }
    /** One connection: its events, and null for each sign of life. */
    async *#connect() {
        const { signal } = this.#options;
        const url = (0, transport_ts_1.urlOf)(this.#connection, this.#operation, [], this.#query);
        const stop = new AbortController();
        const onAbort = () => stop.abort(signal?.reason);
        signal?.throwIfAborted();
        signal?.addEventListener('abort', onAbort, { once: true });
        let timer;
        const live = () => {
            clearTimeout(timer);
            timer = setTimeout(() => stop.abort(), longestSilenceMs);
        };
        try {
            live();
            const { fetch } = this.#connection;
            const { id, headers } = (0, transport_ts_1.nameTry)({
                ...(0, transport_ts_1.headersOf)(this.#connection),
                accept: 'text/event-stream, application/json',
                ...(this.lastEventId === undefined ? {} : { 'last-event-id': this.lastEventId }),
            });
            const response = await fetch(url, { redirect: 'manual', headers, signal: stop.signal });
            (0, transport_ts_1.requireOwn)(url, response, id);
            if (!response.ok)
                throw (0, transport_ts_1.refusalOf)(response, await response.text());
            if (!response.body || !/event-stream/.test(response.headers.get('content-type') ?? ''))
                throw new errors_ts_1.APIConnectionError(`What answered at ${url} is no stream of events: check the base URL.`);
            const reader = response.body.getReader();
            stop.signal.addEventListener('abort', () => void reader.cancel().catch(() => { }));
            const decoder = new TextDecoder();
            let rest = '';
            try {
                for (;;) {
                    const { done, value } = await reader.read();
                    if (done)
                        return;
                    live();
                    rest += decoder.decode(value, { stream: true });
                    const blocks = rest.split('\n\n');
                    rest = blocks.pop();
                    for (const block of blocks)
                        yield this.#read(block);
                }
            }
            finally {
                await reader.cancel().catch(() => { });
            }
        }
        catch (error) {
            throw error instanceof errors_ts_1.BursarError ? error : (0, transport_ts_1.lost)(url, error);
        }
        finally {
            clearTimeout(timer);
            signal?.removeEventListener('abort', onAbort);
            stop.abort();
        }
    }
    #read(block) {
        let data = null;
        let place = this.lastEventId;
        for (const line of block.split('\n')) {
            if (line.startsWith('id: '))
                place = line.slice(4);
            if (line.startsWith('data: '))
                data = data === null ? line.slice(6) : `${data}\n${line.slice(6)}`;
        }
        const event = data === null ? null : (0, json_ts_1.readJson)(data, json_ts_1.eventFields, this.#connection.money);
        // Not before: what cannot be read is not passed over.
        this.lastEventId = place;
        return event;
    }
}
exports.EventStream = EventStream;
