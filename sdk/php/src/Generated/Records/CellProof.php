<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * The proof of a cell.
 *
 * @property-read string $cell The letter of the cell.
 * @property-read string $root Over the chains of all businesses of the cell.
 * @property-read string $previous SHA-256 of what the proof of the day before says; zeros of the first.
 * @property-read string $key The id of the key that signed it.
 * @property-read string $signature Ed25519 of what it says, in base64.
 */
final class CellProof extends Record
{
}
