import { type Connection, type Operation, type Query, type RequestOptions } from './transport.ts';
/** Events as they happen. `break` out of the loop, or abort the signal, to end it. */
export declare class EventStream<Event> implements AsyncIterable<Event> {
    #private;
    /**
     * The place of what was given last. Keep it, once you have acted on the event, and go on from it
     * another time: `stream({ after: place })`.
     */
    lastEventId: string | undefined;
    constructor(connection: Connection, operation: Operation, query: Query | undefined, options?: RequestOptions);
    /**
     * @throws {ApiError} what is refused; what passes (429, 5xx) is tried again, as often as
     * `maxRetries` says until the stream is open, and then without end
     */
    [Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined>;
}
