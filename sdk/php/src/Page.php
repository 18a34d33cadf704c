<?php

declare(strict_types=1);

namespace Bursar;

/**
 * One page of a list. `foreach` over it walks all the pages from this one on.
 *
 * @template T of Record
 *
 * @implements \IteratorAggregate<int, T>
 */
final class Page implements \IteratorAggregate, \JsonSerializable
{
    /** @var list<T> the records of this page */
    public readonly array $docs;
    /** Records that match, on all pages. */
    public readonly int $totalDocs;
    public readonly int $limit;
    public readonly int $page;
    public readonly int $totalPages;
    public readonly bool $hasNextPage;
    public readonly bool $hasPrevPage;
    public readonly ?int $nextPage;
    public readonly ?int $prevPage;

    /**
     * @internal
     *
     * @param list<string> $path
     * @param array<string, mixed> $query
     * @param array<string, mixed> $options
     * @param array<string, mixed> $data
     */
    public function __construct(
        private readonly Client $client,
        private readonly Operation $operation,
        private readonly array $path,
        private readonly array $query,
        private readonly array $options,
        private readonly array $data,
    ) {
        $this->docs = Record::read([$operation->shape], $data['docs']);
        $this->totalDocs = $data['totalDocs'];
        $this->limit = $data['limit'];
        $this->page = $data['page'];
        $this->totalPages = $data['totalPages'];
        $this->hasNextPage = $data['hasNextPage'];
        $this->hasPrevPage = $data['hasPrevPage'];
        $this->nextPage = $data['nextPage'];
        $this->prevPage = $data['prevPage'];
    }

    /**
     * The page that comes after this one; null: this is the last.
     *
     * @return self<T>|null
     */
    public function getNextPage(): ?self
    {
        if (!$this->hasNextPage || $this->docs === []) {
            return null;
        }
        $filters = array_diff_key($this->query, ['page' => 0, 'after' => 0]);
        $next = $this->operation->cursor ? ['after' => $this->docs[array_key_last($this->docs)]['id']] : ['page' => $this->nextPage];
        return $this->client->call($this->operation, $this->path, [...$filters, ...$next], null, $this->options);
    }

    /** @return \Generator<int, T> */
    public function getIterator(): \Generator
    {
        $number = 0;
        for ($page = $this; $page !== null; $page = $page->getNextPage()) {
            foreach ($page->docs as $one) {
                yield $number++ => $one;
            }
        }
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return $this->data;
    }

    /** As it came. */
    public function jsonSerialize(): mixed
    {
        return ['docs' => $this->docs] + $this->data;
    }
}
