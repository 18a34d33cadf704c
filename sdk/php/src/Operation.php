<?php

declare(strict_types=1);

namespace Bursar;

/** An operation of the API, as the generated methods describe it. */
final class Operation
{
    /**
     * @param 'json'|'page'|'bytes'|'stream' $kind what is answered: the answer's `data`, a page of a list, the body as it is, events
     * @param mixed $shape how what is answered is read: the class of a record, `[class]`, `['*' => class]`; null: as it came
     * @param bool $keyed whether it takes an Idempotency-Key
     * @param bool $cursor whether its list goes on by a cursor, or by the number of the page
     */
    public function __construct(
        public readonly string $method,
        public readonly string $path,
        public readonly string $kind = 'json',
        public readonly mixed $shape = null,
        public readonly bool $keyed = false,
        public readonly bool $cursor = false,
    ) {
    }
}
