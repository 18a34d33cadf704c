<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * The picture beside its name on hosted pages, in mails and on invoices.
 *
 * @property-read string $url Where it is. Another logo has another address.
 * @property-read string $type What it is, by its bytes.
 * @property-read int $width Pixels.
 * @property-read int $height Pixels.
 * @property-read string $sha256 Of what is served, in hex: the picture alone, without what else was in the file.
 */
final class Logo extends Record
{
}
