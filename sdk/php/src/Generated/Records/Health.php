<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * Whether the server can work.
 *
 * @property-read string $status `ok`, or `unavailable` with status 503.
 * @property-read bool $database Whether the database answers.
 * @property-read bool $migrations Whether its schema is this server’s.
 * @property-read bool|null $workers Whether workers run jobs; null: this process cannot know.
 * @property-read list<string> $warnings What a person should look at, such as a treasury that runs low. The server works all the same.
 */
final class Health extends Record
{
}
