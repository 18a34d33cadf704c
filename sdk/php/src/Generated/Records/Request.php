<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A request that was made with one of your keys, and what became of it.
 *
 * @property-read string $id The request’s id: its `X-Request-Id`, and that of its line in the server’s log.
 * @property-read string $method The HTTP method.
 * @property-read string $path What was asked for, without its query.
 * @property-read int $status The HTTP status of the answer.
 * @property-read string|null $code Why it was refused: `errors.code` of the answer.
 * @property-read string $key The API key that it was asked with.
 * @property-read string $address Where it came from.
 * @property-read int|float $ms How long it took until the answer was sent, in milliseconds.
 * @property-read string|null $body In test mode, of a request that was refused: its body as JSON, the first 2 KiB, with numbers of cards, accounts and documents masked and secrets left out. Else null.
 * @property-read string|null $subject The record that its answer was; null where that has no id, and of what was refused or only read.
 * @property-read string|null $idempotency_key The `Idempotency-Key` that it came with.
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read string $created_at When it came, by the server’s clock; the test clock does not move it.
 */
final class Request extends Record
{
}
