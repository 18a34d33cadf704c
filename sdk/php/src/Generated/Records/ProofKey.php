<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A key that signed proofs.
 *
 * @property-read string $id The first 16 hex digits of the SHA-256 of the key.
 * @property-read string $public_key The 32 bytes of the Ed25519 key, in base64.
 * @property-read string $from The first day whose proof it signed.
 * @property-read string|null $until The last one; null of the key in use.
 */
final class ProofKey extends Record
{
}
