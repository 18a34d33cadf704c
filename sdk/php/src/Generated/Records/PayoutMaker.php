<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * Who changed it; null: not a person or key of the business.
 *
 * @property-read string $type `key`: a request with an API key; `person`: a signed-in person; `operator`: a command.
 * @property-read string|null $id The key, or the person.
 * @property-read string|null $hint How one recognises the key; null of a person.
 */
final class PayoutMaker extends Record
{
}
