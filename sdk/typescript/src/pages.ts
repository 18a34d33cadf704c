/**
 * Lists: a page, or all records by as many requests as it takes.
 */

/** What pages of every list have. */
export type AnyPage<T> = { docs: T[]; hasNextPage: boolean; nextPage: number | null }
type ListQuery = { after?: string | undefined; page?: number | undefined }

/**
 * A list that was asked for. `await` it for one page; `for await` gives all records of it and of
 * the pages after it. Nothing is sent before.
 */
export class ListRequest<T, Page extends AnyPage<T>>
  implements PromiseLike<Page>, AsyncIterable<T>
{
  readonly #load: (query: ListQuery) => Promise<unknown>
  readonly #cursor: boolean
  #first: Promise<Page> | undefined

  /** @param cursor whether the list goes on by `after`, else by `page` */
  constructor(load: (query: ListQuery) => Promise<unknown>, cursor: boolean) {
    this.#load = load
    this.#cursor = cursor
  }

  #page(): Promise<Page> {
    this.#first ??= this.#load({}) as Promise<Page>
    return this.#first
  }

  // biome-ignore lint/suspicious/noThenProperty: it is awaited for its first page
  then<A = Page, B = never>(
    done?: ((page: Page) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#page().then(done, failed)
  }

  catch<B = never>(failed?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<Page | B> {
    return this.#page().catch(failed)
  }

  finally(last?: (() => void) | null): Promise<Page> {
    return this.#page().finally(last)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    let page: AnyPage<T> = await this.#page()
    for (;;) {
      yield* page.docs
      const last = page.docs.at(-1) as { id: string } | undefined
      if (!page.hasNextPage || last === undefined) return
      const next = this.#cursor
        ? { after: last.id, page: undefined }
        : { page: page.nextPage ?? undefined }
      page = (await this.#load(next)) as AnyPage<T>
    }
  }
}
