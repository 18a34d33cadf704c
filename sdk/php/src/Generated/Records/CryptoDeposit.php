<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * Tokens that were sent to an address on a chain.
 *
 * @property-read string $id Unique id.
 * @property-read string $crypto_wallet Whose address it is.
 * @property-read string $network The network.
 * @property-read string $currency The token.
 * @property-read int $amount Whole cents of the token. What is less than a cent is kept in an account of its own.
 * @property-read string $units In the token’s own units, as a decimal number.
 * @property-read string $from_address Who sent it.
 * @property-read string $tx_hash The transaction on the chain.
 * @property-read int $block_number The block that holds it.
 * @property-read int $confirmations Blocks on top of it so far, as far as it counts.
 * @property-read int $confirmations_needed Blocks on top of it before it is credited.
 * @property-read string $status `held`: screening holds it until a person of the operator’s has looked (`review` of its transaction). `dropped`: its block is gone from the chain; when it is mined again it is `pending` again.
 * @property-read string|null $transaction Its transaction, `pending` until it is credited; null for less than a cent.
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read array<string, mixed> $metadata Your own data, given back as it came: up to 50 keys and 16 KiB of JSON.
 * @property-read string $created_at When it was created.
 * @property-read string $updated_at When it last changed.
 */
final class CryptoDeposit extends Record
{
    protected const SHAPES = [
        'metadata' => ['*' => null],
    ];
}
