<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * Who did it.
 *
 * @property-read string $type `key`: a request with an API key; `person`: a signed-in person; `operator`: a key of the operator, or a command on the server’s machine.
 * @property-read string|null $id The key, or the person.
 * @property-read string|null $hint How to recognise the key, or the email address of the person.
 */
final class AuditActor extends Record
{
}
