<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * What is wrong with one part of a request.
 *
 * @property-read string $path Where it is, such as `lines.0.quantity`.
 * @property-read string $message What it must be.
 * @property-read string $location The part of a request that an issue is in.
 */
final class ValidationIssue extends Record
{
}
