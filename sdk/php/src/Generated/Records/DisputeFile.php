<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A file of evidence. Its content is encrypted at rest.
 *
 * @property-read string $kind What it shows.
 * @property-read string $type By its content.
 * @property-read int $bytes Its size.
 * @property-read string $sha256 The SHA-256 of its content, in hex.
 */
final class DisputeFile extends Record
{
}
