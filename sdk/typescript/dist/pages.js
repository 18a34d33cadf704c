/**
 * Lists: a page, or all records by as many requests as it takes.
 */
/**
 * A list that was asked for. `await` it for one page; `for await` gives all records of it and of
 * the pages after it. Nothing is sent before.
 */
export class ListRequest {
    #load;
    #cursor;
    #first;
    /** @param cursor whether the list goes on by `after`, else by `page` */
    constructor(load, cursor) {
        this.#load = load;
        this.#cursor = cursor;
    }
    #page() {
        this.#first ??= this.#load({});
        return this.#first;
    }
    // biome-ignore lint/suspicious/noThenProperty: it is awaited for its first page
    then(done, failed) {
        return this.#page().then(done, failed);
    }
    catch(failed) {
        return this.#page().catch(failed);
    }
    finally(last) {
        return this.#page().finally(last);
    }
    async *[Symbol.asyncIterator]() {
        let page = await this.#page();
        for (;;) {
            yield* page.docs;
            const last = page.docs.at(-1);
            if (!page.hasNextPage || last === undefined)
                return;
            const next = this.#cursor
                ? { after: last.id, page: undefined }
                : { page: page.nextPage ?? undefined };
            page = (await this.#load(next));
        }
    }
}
