/**
 * Lists: a page, or all records by as many requests as it takes.
 */
/** What pages of every list have. */
export type AnyPage<T> = {
    docs: T[];
    hasNextPage: boolean;
    nextPage: number | null;
};
type ListQuery = {
    after?: string | undefined;
    page?: number | undefined;
};
/**
 * A list that was asked for. `await` it for one page; `for await` gives all records of it and of
 * the pages after it. Nothing is sent before.
 */
export declare class ListRequest<T, Page extends AnyPage<T>> implements PromiseLike<Page>, AsyncIterable<T> {
    #private;
    /** @param cursor whether the list goes on by `after`, else by `page` */
    constructor(load: (query: ListQuery) => Promise<unknown>, cursor: boolean);
    then<A = Page, B = never>(done?: ((page: Page) => A | PromiseLike<A>) | null, failed?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<A | B>;
    catch<B = never>(failed?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<Page | B>;
    finally(last?: (() => void) | null): Promise<Page>;
    [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined>;
}
export {};
